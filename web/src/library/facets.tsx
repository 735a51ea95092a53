import type { Facet, SessionPage } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import type { MessageKey } from "../i18n/en.ts";
import { useText } from "../i18n/language.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import type { LibraryFilter } from "./library-filter.ts";
import { shortPath } from "./session-row-view.tsx";

type Filter = LibraryFilter;

const SHELVES: readonly {
  readonly shelf: Filter["shelf"];
  readonly key: MessageKey;
  readonly icon: IconName;
}[] = [
  { shelf: "all", key: "library.all", icon: "library" },
  { shelf: "archived", key: "library.archived", icon: "archive" },
  { shelf: "trash", key: "library.trash", icon: "trash" },
];

/** The left side of the library: shelves and filters with counts. */
export function Facets(parts: {
  readonly page: SessionPage | undefined;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}): ReactElement {
  const t = useText();
  const { page, filter, onChange } = parts;
  return (
    <nav className="facets" aria-label={t("tree.filter")}>
      <ul>
        {SHELVES.map(({ shelf, key, icon }) => (
          <li key={shelf}>
            <button
              type="button"
              aria-pressed={filter.shelf === shelf}
              onClick={() => onChange({ ...filter, shelf })}
            >
              <Icon name={icon} />
              <span className="facet-name">{t(key)}</span>
            </button>
          </li>
        ))}
      </ul>
      {page && filter.shelf !== "trash" && (
        <>
          <DateGroup days={filter.days} onPick={(days) => onChange({ ...filter, days })} />
          <FacetGroup
            title={t("library.labels")}
            facets={page.facets.labels ?? []}
            value={filter.label}
            onPick={(label) => onChange({ ...filter, label })}
          />
          <FacetGroup
            title={t("library.projects")}
            facets={page.facets.projects}
            value={filter.project}
            show={shortPath}
            onPick={(project) => onChange({ ...filter, project })}
          />
          <FacetGroup
            title={t("library.agents")}
            facets={page.facets.agents}
            value={filter.agent}
            onPick={(agent) => onChange({ ...filter, agent })}
          />
          <FacetGroup
            title={t("library.models")}
            facets={page.facets.models}
            value={filter.model}
            onPick={(model) => onChange({ ...filter, model })}
          />
        </>
      )}
    </nav>
  );
}

const DATES: readonly { readonly days: number; readonly key: MessageKey }[] = [
  { days: 0, key: "library.date.today" },
  { days: 7, key: "library.date.week" },
  { days: 30, key: "library.date.month" },
];

function DateGroup(parts: {
  readonly days: number | null;
  readonly onPick: (days: number | null) => void;
}): ReactElement {
  const t = useText();
  return (
    <section>
      <h2>{t("library.date")}</h2>
      <ul>
        {DATES.map(({ days, key }) => (
          <li key={key}>
            <button
              type="button"
              aria-pressed={days === parts.days}
              onClick={() => parts.onPick(days === parts.days ? null : days)}
            >
              <span className="facet-name">{t(key)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Values that one group shows. */
const SHOWN = 12;

function FacetGroup(parts: {
  readonly title: string;
  readonly facets: readonly Facet[];
  readonly value: string | null;
  readonly show?: (value: string) => string;
  readonly onPick: (value: string | null) => void;
}): ReactElement | null {
  const { title, facets, value, show = (text) => text, onPick } = parts;
  if (facets.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {facets.slice(0, SHOWN).map((facet) => (
          <li key={facet.value}>
            <button
              type="button"
              title={facet.value}
              aria-pressed={facet.value === value}
              onClick={() => onPick(facet.value === value ? null : facet.value)}
            >
              <span className="facet-name">{show(facet.value) || "–"}</span>
              <span className="quiet">{facet.count}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
