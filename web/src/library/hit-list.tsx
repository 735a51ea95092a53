import type { HitRow } from "branchline/protocol/operation.ts";
import { type ReactElement, useEffect, useState } from "react";
import { search } from "../api/api.ts";
import { ageText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { roleName } from "../parts/message-role.ts";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { openSessionPage } from "./library-actions.ts";
import { MarkedText } from "./marked-text.tsx";

const LIMIT = 200;

/** Hits of a search, by session; each opens at its entry and says when it lies on a left branch. */
export function HitList({ query }: { readonly query: string }): ReactElement {
  const t = useText();
  const [hits, setHits] = useState<readonly HitRow[]>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const fetching = new AbortController();
    search(query, LIMIT, fetching.signal).then(
      (answer) => {
        setHits(answer.hits);
        setError(undefined);
      },
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [query]);
  if (error !== undefined) return <FailureNote error={error} />;
  if (hits === undefined) return <Loading />;
  if (hits.length === 0)
    return <Empty title={t("library.noHits")} body={t("library.searchHint")} />;
  return (
    <div className="library-scroll hits">
      {[...Map.groupBy(hits, ({ session }) => session)].map(([session, found]) => (
        <section key={session} className="hit-group">
          <h2>
            <span>{found[0]?.title ?? t("library.untitled")}</span>
            <span className="quiet small">{t("library.hits", { n: found.length })}</span>
          </h2>
          <ul>
            {found.map((hit) => (
              <li key={hit.entry}>
                <button
                  type="button"
                  className="hit"
                  onClick={() => openSessionPage(hit.session, hit.entry)}
                >
                  <span className="hit-meta quiet small">
                    {roleName(hit.role ?? hit.type, t)} · {ageText(hit.timestamp)}
                    {!hit.onActivePath && <span className="chip">{t("library.leftBranch")}</span>}
                  </span>
                  <MarkedText text={hit.excerpt} marks={hit.marks} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
