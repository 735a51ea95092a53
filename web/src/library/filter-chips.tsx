import type { FlagCounts } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import { useText } from "../i18n/language.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { FLAGS, type LibraryFilter, type LibraryFlag } from "./library-filter.ts";
import { shortPath } from "./session-row-view.tsx";

const ICONS: Readonly<Record<LibraryFlag, IconName>> = {
  running: "send",
  unread: "unread",
  diverged: "fork",
  secrets: "lock",
};

const VALUES = ["project", "agent", "model", "label"] as const;

interface ChipParts {
  readonly counts: FlagCounts | undefined;
  readonly filter: LibraryFilter;
  readonly onChange: (filter: LibraryFilter) => void;
}

/** Above the list: states that sessions can be narrowed to with their counts, then what narrows it now. */
export function FilterChips(parts: ChipParts): ReactElement | null {
  const t = useText();
  const { filter, onChange } = parts;
  const chosen = VALUES.filter((name) => filter[name] !== null);
  return (
    <fieldset className="filter-chips" aria-label={t("tree.filter")}>
      <FlagChips {...parts} />
      {chosen.map((name) => (
        <button
          key={name}
          type="button"
          className="filter-chip chosen"
          title={`${filter[name] ?? ""}`}
          aria-label={t("library.without", { name: filter[name] ?? "" })}
          onClick={() => onChange({ ...filter, [name]: null })}
        >
          <span>{name === "project" ? shortPath(filter.project ?? "") : filter[name] || "–"}</span>
          <Icon name="close" />
        </button>
      ))}
    </fieldset>
  );
}

/** A flag that nothing has and nobody chose is not offered. */
function FlagChips({ counts, filter, onChange }: ChipParts): ReactElement {
  const t = useText();
  const offered = FLAGS.filter((flag) => filter.flags.includes(flag) || (counts?.[flag] ?? 0) > 0);
  return (
    <>
      {offered.map((flag) => {
        const isChosen = filter.flags.includes(flag);
        const flags = FLAGS.filter((one) => filter.flags.includes(one) !== (one === flag));
        return (
          <button
            key={flag}
            type="button"
            className={`filter-chip flag-${flag}`}
            aria-pressed={isChosen}
            onClick={() => onChange({ ...filter, flags })}
          >
            <Icon name={ICONS[flag]} />
            <span>{t(`library.flag.${flag}`)}</span>
            <span className="numbers">{counts?.[flag] ?? ""}</span>
          </button>
        );
      })}
    </>
  );
}
