import type { SessionRow } from "branchline/protocol/session.ts";
import type { CSSProperties, ReactElement } from "react";
import { ageText, costText, tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { openSessionPage, titleOf } from "./library-actions.ts";
import { LabelFlags, StateChips, StateDot } from "./row-marks.tsx";
import { TreeGlyph } from "./tree-glyph.tsx";

/** The last folders of a path. */
export function shortPath(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== "");
  return parts.length <= 2 ? path : `…/${parts.slice(-2).join("/")}`;
}

/** Two lines of the library: title, place; shape, size, cost, age. */
export function SessionRowView(parts: {
  readonly row: SessionRow;
  readonly isChosen: boolean;
  /** Selected with others. */
  readonly isPicked: boolean;
  /** It lies in the trash: it cannot be opened, and little is known of it. */
  readonly isTrash: boolean;
  readonly style: CSSProperties;
  readonly onChoose: () => void;
  readonly menu: () => readonly MenuItem[];
}): ReactElement {
  const t = useText();
  const { row, isChosen, isPicked, isTrash, style } = parts;
  const marks = `${isChosen ? " chosen" : ""}${isPicked ? " picked" : ""}`;
  return (
    <div className={`session-row${marks}`} style={style}>
      <button
        type="button"
        className="session-main"
        aria-current={isChosen}
        onFocus={parts.onChoose}
        onClick={() => isTrash || openSessionPage(row.id)}
      >
        <span className="session-title">
          {isPicked && <Icon name="check" />}
          {row.pinned && <Icon name="pin" />}
          <StateDot row={row} />
          <span className="session-name-text">{titleOf(row)}</span>
          <StateChips row={row} />
          {row.sample && <span className="chip">{t("library.sample")}</span>}
          {row.readOnly !== null && !row.sample && (
            <span className="chip warn" title={row.readOnly}>
              {t("app.readOnly", { why: "" }).replace(/[:：]\s*$/, "")}
            </span>
          )}
        </span>
        {isTrash ? <TrashParts row={row} /> : <UsedParts row={row} />}
      </button>
      <Menu label={t("action.menu")} items={parts.menu} />
    </div>
  );
}

function UsedParts({ row }: { readonly row: SessionRow }): ReactElement {
  const t = useText();
  return (
    <>
      <span className="session-sub">
        <span>{row.agent}</span>
        <span title={row.cwd}>{shortPath(row.cwd)}</span>
        {row.model && <span>{row.model}</span>}
        <LabelFlags row={row} />
      </span>
      <span className="session-side">
        <span className="session-shape" title={t("unit.branches", { n: row.branches })}>
          <TreeGlyph glyph={row.glyph} />
          <span>{row.branches}</span>
        </span>
        <span className="numbers">{t("unit.messages", { n: row.messages })}</span>
      </span>
      <span className="session-side quiet">
        <span className="numbers">
          {tokensText(row.usage.input + row.usage.output + row.usage.cacheRead)} ·{" "}
          {costText(row.usage.cost)}
        </span>
        <time dateTime={row.modified}>{ageText(row.modified)}</time>
      </span>
    </>
  );
}

function TrashParts({ row }: { readonly row: SessionRow }): ReactElement {
  return (
    <>
      <span className="session-sub">
        <span title={row.path ?? ""}>{row.id}</span>
      </span>
      <span className="session-side quiet">
        <time dateTime={row.modified}>{ageText(row.modified)}</time>
      </span>
    </>
  );
}
