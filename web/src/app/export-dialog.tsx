import type { ExportScope } from "branchline/protocol/export.ts";
import { type ReactElement, useEffect, useState } from "react";
import { type ExportReview, exportAddress, readExportReview } from "../api/api.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Dialog } from "../parts/dialog.tsx";
import { FailureNote, Loading } from "../parts/notice.tsx";
import { overlay } from "./overlays.ts";
import "../style/export-dialog.css";

const FORMATS = ["html", "md", "jsonl"] as const;
const SCOPES = ["path", "all"] as const;

/** Findings that are listed one by one. */
const LISTED = 100;

/** Exports the open session: what, as what, and first what redaction takes out (S15). */
export function ExportDialog({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  const [to, setTo] = useState<(typeof FORMATS)[number]>("html");
  const [scope, setScope] = useState<ExportScope>("path");
  const [redact, setRedact] = useState(true);
  const shownScope = to === "md" ? "path" : scope;
  return (
    <Dialog title={t("export.title")} onClose={() => overlay.set(null)}>
      <div className="export-form">
        <fieldset className="segments" aria-label={t("export.format")}>
          {FORMATS.map((one) => (
            <button key={one} type="button" aria-pressed={one === to} onClick={() => setTo(one)}>
              {t(`export.to.${one}`)}
            </button>
          ))}
        </fieldset>
        <fieldset className="segments" aria-label={t("export.scope")}>
          {SCOPES.map((one) => (
            <button
              key={one}
              type="button"
              disabled={one === "all" && to === "md"}
              aria-pressed={one === shownScope}
              onClick={() => setScope(one)}
            >
              {t(`export.scope.${one}`)}
            </button>
          ))}
        </fieldset>
        <label className="row">
          <input
            type="checkbox"
            checked={redact}
            onChange={(event) => setRedact(event.target.checked)}
          />
          {t("export.redact")}
        </label>
        {redact ? (
          <Review model={model} scope={shownScope} />
        ) : (
          <p className="entry-error">{t("export.raw")}</p>
        )}
        <div className="row end">
          <a
            className="button primary"
            download
            href={exportAddress(model.id, { to, scope: shownScope, redact })}
            onClick={() => setTimeout(() => overlay.set(null), 0)}
          >
            <span>{t("export.save")}</span>
          </a>
        </div>
      </div>
    </Dialog>
  );
}

function Review(parts: {
  readonly model: SessionModel;
  readonly scope: ExportScope;
}): ReactElement {
  const t = useText();
  const { model, scope } = parts;
  const [review, setReview] = useState<ExportReview>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    const asking = new AbortController();
    setReview(undefined);
    readExportReview(model.id, scope, asking.signal).then(setReview, (error: unknown) => {
      if (!asking.signal.aborted) setFailure(error);
    });
    return () => asking.abort();
  }, [model, scope]);
  if (failure !== undefined) return <FailureNote error={failure} />;
  if (review === undefined) return <Loading lines={3} />;
  if (review.total === 0) return <p className="quiet">{t("export.clean")}</p>;
  return (
    <section className="export-review" aria-label={t("export.review")}>
      <p>{t("export.found", { n: review.total })}</p>
      <p className="row">
        {review.kinds.map(({ kind, count }) => (
          <span key={kind} className="chip">
            {kind} {count}
          </span>
        ))}
      </p>
      <details>
        <summary>{t("export.review")}</summary>
        <ol className="originals">
          {review.findings.slice(0, LISTED).map(({ kind, masked, count, placeholder }) => (
            <li key={`${placeholder} ${masked}`}>
              <span className="quiet small">{kind}</span>
              <span className="original-text">
                {masked} → {placeholder} ×{count}
              </span>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}
