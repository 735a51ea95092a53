import { type ReactElement, useDeferredValue, useState } from "react";
import { useKeys } from "../app/keys.ts";
import { replaceRoute, useRoute } from "../app/location.ts";
import { TourOffer } from "../app/tour.tsx";
import { useText } from "../i18n/language.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { Facets } from "./facets.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { HitList } from "./hit-list.tsx";
import { newSession } from "./library-actions.ts";
import {
  filterOf,
  isNarrowed,
  type LibraryFilter,
  NO_FILTER,
  routeOf,
  SORTS,
} from "./library-filter.ts";
import { LibraryList } from "./library-list.tsx";
import { SessionPreview } from "./session-preview.tsx";
import { SourcesCard } from "./sources-card.tsx";
import { type LibraryState, useLibrary } from "./use-library.ts";

/** S1, all sessions of this machine. */
export function Library(): ReactElement {
  const t = useText();
  const route = useRoute();
  const filter = filterOf(route);
  const setFilter = (next: LibraryFilter): void => replaceRoute(routeOf(next));
  const [chosen, setChosen] = useState<string | null>(null);
  const [hasFacets, setFacets] = useState(false);
  const q = route.q ?? "";
  const asked = useDeferredValue(q.trim());
  const library = useLibrary({ ...filter, q: "" });
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
              value={filter.sort}
              onChange={(event) => replaceRoute({ sort: event.target.value })}
            >
              {SORTS.map((one) => (
                <option key={one} value={one}>
                  {t(`library.sort.${one}`)}
                </option>
              ))}
            </select>
          </label>
          <span className="facets-button">
            <IconButton
              icon="filter"
              label={t("library.filters")}
              pressed={isNarrowed(filter)}
              onClick={() => setFacets(true)}
            />
          </span>
          <Button kind="primary" icon="plus" onClick={() => void newSession()}>
            {t("library.new")}
          </Button>
        </div>
        {asked !== "" ? (
          <HitList query={asked} />
        ) : (
          <LibraryBody
            library={library}
            filter={filter}
            chosen={chosen}
            onChoose={setChosen}
            onFilter={setFilter}
          />
        )}
      </section>
      <aside className="library-side" aria-label={t("library.preview")}>
        <TourOffer />
        {row && filter.shelf !== "trash" ? <SessionPreview row={row} /> : <SourcesCard />}
      </aside>
      {hasFacets && (
        <Dialog className="sheet" title={t("library.filters")} onClose={() => setFacets(false)}>
          <Facets page={library.page} filter={filter} onChange={setFilter} />
        </Dialog>
      )}
    </main>
  );
}

function LibraryBody(parts: {
  readonly library: LibraryState;
  readonly filter: LibraryFilter;
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
  readonly onFilter: (filter: LibraryFilter) => void;
}): ReactElement {
  const t = useText();
  const { library, filter, onFilter } = parts;
  const { shelf, sort } = filter;
  if (library.error !== undefined)
    return <FailureNote error={library.error} onRetry={library.reload} />;
  if (library.page === undefined) return <Loading lines={10} />;
  if (library.rows.length > 0) {
    return (
      <LibraryList
        library={library}
        filter={filter}
        onFilter={onFilter}
        chosen={parts.chosen}
        onChoose={parts.onChoose}
      />
    );
  }
  if (shelf === "trash")
    return <Empty title={t("library.trashEmpty")} body={t("library.trashEmptyBody")} />;
  if (isNarrowed(filter)) {
    return (
      <>
        <FilterChips counts={library.page.facets.flags} filter={filter} onChange={onFilter} />
        <Empty title={t("library.nothing")} body={t("library.nothingBody")}>
          <Button onClick={() => onFilter({ ...NO_FILTER, shelf, sort })}>
            {t("library.clear")}
          </Button>
        </Empty>
      </>
    );
  }
  if (shelf === "archived")
    return <Empty title={t("library.archiveEmpty")} body={t("library.archiveEmptyBody")} />;
  return (
    <Empty title={t("library.empty")} body={t("library.emptyBody")}>
      <Button kind="primary" icon="plus" onClick={() => void newSession()}>
        {t("library.new")}
      </Button>
    </Empty>
  );
}
