import type { SessionRow } from "branchline/protocol/session.ts";
import type { PathWindow } from "branchline/protocol/tree.ts";
import { type ReactElement, useEffect, useState } from "react";
import { readPath } from "../api/api.ts";
import { bytesText, timeText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { Button } from "../parts/button.tsx";
import { Loading } from "../parts/notice.tsx";
import { RoleMark, roleKey, roleOf } from "../parts/role-mark.tsx";
import { openSessionPage, titleOf } from "./library-actions.ts";

/** Entries that the preview shows, and the wait before it asks, in ms. */
const SHOWN = 12;
const WAIT = 120;

/** The last turns of the session that has the focus. */
export function SessionPreview({ row }: { readonly row: SessionRow }): ReactElement {
  const t = useText();
  const [window, setWindow] = useState<PathWindow>();
  // A sample that is made when it is opened; a look at its row must not make it.
  const isMade = row.path !== null || !row.sample;
  useEffect(() => {
    if (!isMade) return;
    const fetching = new AbortController();
    const timer = setTimeout(() => {
      readPath(row.id, { before: SHOWN, after: 0 }, fetching.signal).then(setWindow, (error) =>
        console.debug("preview", error),
      );
    }, WAIT);
    return () => {
      clearTimeout(timer);
      fetching.abort();
    };
  }, [row.id, isMade]);
  return (
    <section className="preview">
      <h2>{titleOf(row)}</h2>
      <dl className="facts">
        <dt>{t("library.cwd")}</dt>
        <dd title={row.cwd}>{row.cwd}</dd>
        <dt>{t("library.sort.modified")}</dt>
        <dd>{timeText(row.modified)}</dd>
        <dt>{t("library.sort.bytes")}</dt>
        <dd>
          {t("unit.entries", { n: row.entries })} · {bytesText(row.bytes)}
        </dd>
      </dl>
      {!isMade && <p className="quiet">{t("library.notMade")}</p>}
      {window === undefined ? (
        isMade && <Loading />
      ) : (
        <ol className="preview-rows">
          {window.rows.map((entry) => (
            <li key={entry.id} className={`role-${roleOf(entry.kind)}`}>
              <RoleMark of={roleOf(entry.kind)} />
              <span className="only-spoken">{t(roleKey(roleOf(entry.kind)))}</span>
              <span>{entry.text}</span>
            </li>
          ))}
        </ol>
      )}
      <Button kind="primary" onClick={() => openSessionPage(row.id)}>
        {t("library.open")}
      </Button>
    </section>
  );
}
