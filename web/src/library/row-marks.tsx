import type { SessionRow } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import { useText } from "../i18n/language.ts";
import { Icon } from "../parts/icon.tsx";

/** Labels that a row shows. */
const SHOWN = 2;

/** The dot before the title: a run is active, or something is new. Nothing where neither is so. */
export function StateDot({ row }: { readonly row: SessionRow }): ReactElement | null {
  const t = useText();
  const unread = row.unread ?? 0;
  if (row.running != null) {
    const words = t(row.running === "here" ? "library.runningHere" : "library.runningElsewhere");
    return (
      <span className="state-dot running" title={words}>
        <span className="only-spoken">{words}</span>
      </span>
    );
  }
  if (unread === 0) return null;
  const words = t("library.newEntries", { n: unread });
  return (
    <span className="state-dot unread" title={words}>
      <span className="only-spoken">{words}</span>
    </span>
  );
}

/** Behind the title: what a person should know before opening it. */
export function StateChips({ row }: { readonly row: SessionRow }): ReactElement {
  const t = useText();
  const secrets = row.secrets ?? 0;
  return (
    <>
      {row.diverged === true && (
        <span className="chip state diverged" title={t("library.divergedWhy")}>
          <Icon name="fork" />
          {t("library.flag.diverged")}
        </span>
      )}
      {secrets > 0 && (
        <span className="chip state warn" title={t("library.secretsWhy")}>
          <Icon name="lock" />
          {t("library.secrets", { n: secrets })}
        </span>
      )}
    </>
  );
}

/** The newest labels as flags. */
export function LabelFlags({ row }: { readonly row: SessionRow }): ReactElement | null {
  const labels = row.labels ?? [];
  if (labels.length === 0) return null;
  const rest = labels.length - SHOWN;
  return (
    <span className="session-labels" title={labels.join(", ")}>
      {labels.slice(0, SHOWN).map((label) => (
        <span key={label} className="flag">
          {label}
        </span>
      ))}
      {rest > 0 && <span className="quiet small">+{rest}</span>}
    </span>
  );
}
