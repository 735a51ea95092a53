import { type ReactElement, useDeferredValue, useState } from "react";
import { useKeys } from "../app/keys.ts";
import { replaceRoute, useRoute } from "../app/location.ts";
import { TourOffer } from "../app/tour.tsx";
import { useText } from "../i18n/language.ts";
import { Button } from "../parts/button.tsx";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { Facets } from "./facets.tsx";
import { HitList } from "./hit-list.tsx";
import { newSession } from "./library-actions.ts";
import { LibraryList } from "./library-list.tsx";
import { SessionPreview } from "./session-preview.tsx";
import { SourcesCard } from "./sources-card.tsx";
import { type LibraryQuery, type LibraryState, useLibrary } from "./use-library.ts";

const SORTS = ["modified", "created", "title", "bytes", "messages", "cost"] as const;
const NO_FILTER = { project: null, agent: null, model: null, days: null, shelf: "all" } as const;

/** S1, all sessions of this machine. */
export function Library(): ReactElement {
  const t = useText();
  const route = useRoute();
  const [filter, setFilter] = useState<Omit<LibraryQuery, "q" | "sort">>(NO_FILTER);
  const [sort, setSort] = useState<string>("modified");
  const [chosen, setChosen] = useState<string | null>(null);
  const q = route.q ?? "";
  const asked = useDeferredValue(q.trim());
  const library = useLibrary({ ...filter, sort, q: "" });
  useKeys({ n: () => void newSession() });
  const row = library.rows.find(({ id }) => id === chosen);
  return (
    <main className="screen library" id="content">
      <Facets page={library.page} filter={filter} onChange={setFilter} />
      <section className="library-centre" aria-label={t("library.title")}>
        <div className="library-head">
          <h1>{t("library.title")}</h1>
          <input
            className="field search"
            type="search"
            data-search=""
            value={q}
            placeholder={t("library.search")}
            title={t("library.searchHint")}
            aria-label={t("library.search")}
            onChange={(event) => replaceRoute({ q: event.target.value })}
          />
          <label className="sort">
            <span>{t("library.sort")}</span>
            <select
              className="field"
              value={sort}
              onChange={(event) => setSort(event.target.value)}
            >
              {SORTS.map((one) => (
                <option key={one} value={one}>
                  {t(`library.sort.${one}`)}
                </option>
              ))}
            </select>
          </label>
          <Button kind="primary" icon="plus" onClick={() => void newSession()}>
            {t("library.new")}
          </Button>
        </div>
        {asked !== "" ? (
          <HitList query={asked} />
        ) : (
          <LibraryBody
            library={library}
            shelf={filter.shelf}
            chosen={chosen}
            onChoose={setChosen}
            onClear={() => setFilter(NO_FILTER)}
          />
        )}
      </section>
      <aside className="library-side" aria-label={t("library.preview")}>
        <TourOffer />
        {row && filter.shelf !== "trash" ? <SessionPreview row={row} /> : <SourcesCard />}
      </aside>
    </main>
  );
}

function LibraryBody(parts: {
  readonly library: LibraryState;
  readonly shelf: LibraryQuery["shelf"];
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
  readonly onClear: () => void;
}): ReactElement {
  const t = useText();
  const { library, shelf } = parts;
  if (library.error !== undefined)
    return <FailureNote error={library.error} onRetry={library.reload} />;
  if (library.page === undefined) return <Loading lines={10} />;
  if (library.rows.length > 0) {
    return (
      <LibraryList
        library={library}
        shelf={shelf}
        chosen={parts.chosen}
        onChoose={parts.onChoose}
      />
    );
  }
  if (shelf === "trash")
    return <Empty title={t("library.trashEmpty")} body={t("library.trashEmptyBody")} />;
  const isFiltered = library.page.facets.projects.length > 0 || shelf === "archived";
  return isFiltered ? (
    <Empty title={t("library.nothing")} body={t("library.nothingBody")}>
      <Button onClick={parts.onClear}>{t("library.clear")}</Button>
    </Empty>
  ) : (
    <Empty title={t("library.empty")} body={t("library.emptyBody")}>
      <Button kind="primary" icon="plus" onClick={() => void newSession()}>
        {t("library.new")}
      </Button>
    </Empty>
  );
}
