import type { EntryPreview } from "branchline/protocol/tree.ts";
import type { CSSProperties, ReactElement } from "react";
import { tokensText } from "../i18n/format.ts";
import { type Translate, useText } from "../i18n/language.ts";
import { roleKey, roleOf } from "../parts/role-mark.tsx";
import { RowGutter } from "./row-gutter.tsx";
import type { TreeRow } from "./tree-rows.ts";

/** What one line of the rail is drawn from. */
export interface TreeRowParts {
  readonly row: TreeRow;
  readonly preview: EntryPreview | undefined;
  readonly kind: string;
  readonly label: string | undefined;
  readonly branch: string | undefined;
  readonly isLeaf: boolean;
  readonly isFocused: boolean;
  readonly isChosen: boolean;
  readonly height: number;
  readonly line: number | undefined;
  readonly style: CSSProperties;
  readonly id: string;
  readonly onPick: (row: TreeRow) => void;
  readonly onFold: (row: TreeRow) => void;
}

/** One line of the rail. */
export function TreeRowView(parts: TreeRowParts): ReactElement {
  const { row, isLeaf, isFocused, isChosen } = parts;
  const t = useText();
  const role = roleOf(parts.kind);
  const words = useWords(parts);
  const canFold = row.sides > 0 || row.kind === "run";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys and the focus
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the tree (aria-activedescendant)
    <div
      id={parts.id}
      role="treeitem"
      aria-level={row.level}
      aria-setsize={row.setSize}
      aria-posinset={row.posInSet}
      aria-selected={isChosen}
      aria-current={isLeaf ? "location" : undefined}
      aria-expanded={canFold ? row.kind !== "run" && !row.collapsed : undefined}
      aria-label={spokenName(parts, words, t)}
      className={className(row, { isFocused, isChosen })}
      style={parts.style}
      onClick={() => parts.onPick(row)}
      onDoubleClick={() => parts.onFold(row)}
    >
      <RowGutter row={row} role={role} height={parts.height} isLeaf={isLeaf} line={parts.line} />
      {row.kind === "run" ? (
        <span className="pill">{words}</span>
      ) : (
        <span className={parts.preview ? "tree-text" : "tree-text waiting"}>{words}</span>
      )}
      {parts.branch && <span className="flag branch">{` ${parts.branch}`}</span>}
      {parts.label && <span className="flag">{` ${parts.label}`}</span>}
      {row.collapsed && <span className="pill small">{` +${row.sides}`}</span>}
    </div>
  );
}

/** Role, what the row shows, and where it stands. */
function spokenName(parts: TreeRowParts, words: string, t: Translate): string {
  const { row, branch, label } = parts;
  const shown = [words, branch, label, row.collapsed ? `+${row.sides}` : undefined];
  const state = [
    t(row.active ? "tree.activePath" : "tree.leftBranch"),
    parts.isLeaf ? t("tree.here") : undefined,
  ];
  const joined = (texts: readonly (string | undefined)[], by: string): string =>
    texts.filter((text) => text !== undefined).join(by);
  return `${t(roleKey(roleOf(parts.kind)))}: ${joined(shown, " ")}, ${joined(state, ", ")}`;
}

function useWords(parts: TreeRowParts): string {
  const t = useText();
  const { row, preview } = parts;
  if (row.kind === "run") {
    const turns =
      row.turns > 0 ? t("unit.turns", { n: row.turns }) : t("unit.steps", { n: row.entries });
    return t("tree.run", { turns, tokens: tokensText(row.tokens) });
  }
  if (preview === undefined) return " ";
  return preview.text === "" ? t(roleKey(roleOf(preview.kind))) : preview.text;
}

function className(
  row: TreeRow,
  state: { readonly isFocused: boolean; readonly isChosen: boolean },
): string {
  return [
    "tree-row",
    row.active ? "active" : "left",
    row.context ? "context" : "",
    state.isFocused ? "focused" : "",
    state.isChosen ? "chosen" : "",
  ]
    .filter((name) => name !== "")
    .join(" ");
}
