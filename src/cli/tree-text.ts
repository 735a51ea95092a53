import type { Entry } from "../entry/entry.ts";
import { entryKind, entryPreview } from "../session/entry-preview.ts";
import type { StoreSession } from "../store/store.ts";
import type { BranchInfo, TreeEntry } from "../tree/tree-entry.ts";
import { safeLine } from "../view/safe-text.ts";
import { type Piece, type Style, styled, textOf } from "./color.ts";
import { type ShortIds, shortIds } from "./short-ids.ts";
import { laneText, type TreeRow } from "./tree-drawing.ts";
import { displayWidth, truncate } from "./width.ts";

/** What the rows of a drawing need to be told in words. */
export interface RowContext {
  readonly store: StoreSession;
  readonly leaf: string | null;
  readonly columns: number;
  readonly plain: boolean;
}

/** Payloads are read in pages of this many entries. */
const PAGE = 500;

const KIND_STYLES: Readonly<Record<string, Style>> = {
  user: "user",
  assistant: "assistant",
  toolResult: "tool",
  bashExecution: "tool",
  system: "system",
};

/** The style of a kind of entry. */
export function styleOfKind(kind: string): Style {
  return KIND_STYLES[kind] ?? "faint";
}

/** Short ids for the entries of a session. */
export function sessionShortIds(store: StoreSession): ShortIds {
  return shortIds([...store.tree.entries()].map((at) => at.id));
}

/** Names of branches and tips by the entry at which they are shown: the position of their head. */
export function branchNames(store: StoreSession): ReadonlyMap<string, readonly BranchInfo[]> {
  const byEntry = new Map<string, BranchInfo[]>();
  for (const branch of store.tree.branches()) {
    if (branch.head === null || branch.kind === "tip") continue;
    const at = store.tree.position(branch.head) ?? branch.head;
    byEntry.set(at, [...(byEntry.get(at) ?? []), branch]);
  }
  return byEntry;
}

/** What to call a branch: its name, else the start of its id. */
export function branchTitle(branch: BranchInfo): string {
  return branch.name ?? branch.id.slice(0, 8);
}

/** The lines of a drawing, in pages, so that memory stays bounded by the screen and not the session. */
export async function* treeLines(
  rows: readonly TreeRow[],
  context: RowContext,
): AsyncIterable<readonly Piece[]> {
  const { store } = context;
  const ids = sessionShortIds(store);
  const branches = branchNames(store);
  const position = store.tree.position(context.leaf);
  for (let from = 0; from < rows.length; from += PAGE) {
    const page = rows.slice(from, from + PAGE);
    const shown = page.filter((row) => row.kind === "entry");
    const entries = await store.getAll(shown.map((row) => row.at.id));
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    for (const row of page) {
      const marks = marksOf(row.at, { store, branches, position });
      const line = { row, entry: byId.get(row.at.id), ids, marks };
      yield context.plain ? sentence(line) : laneLine(line, context.columns);
    }
  }
}

interface Marks {
  readonly label: string | null;
  readonly branches: readonly string[];
  readonly isLeaf: boolean;
}

interface RowLine {
  readonly row: TreeRow;
  readonly entry: Entry | undefined;
  readonly ids: ShortIds;
  readonly marks: Marks;
}

function marksOf(
  at: TreeEntry,
  context: {
    readonly store: StoreSession;
    readonly branches: ReadonlyMap<string, readonly BranchInfo[]>;
    readonly position: string | null;
  },
): Marks {
  const branches = context.branches.get(at.id) ?? [];
  return {
    label: context.store.tree.labels().get(at.id)?.label ?? null,
    branches: branches.map((b) => branchTitle(b) + (b.archived ? " archived" : "")),
    isLeaf: at.id === context.position,
  };
}

function countText(entries: number): string {
  return `… ${entries.toLocaleString("en-US")} entries …`;
}

function laneLine({ row, entry, ids, marks }: RowLine, columns: number): Piece[] {
  const lanes = styled(row.onPath ? "strong" : "faint", `${laneText(row)} `);
  if (row.kind === "run" || entry === undefined) {
    return [lanes, styled("faint", countText(row.entries))];
  }
  const kind = entryKind(entry);
  const pieces: Piece[] = [lanes, styled("id", ids.short(entry.id)), " "];
  if (row.at.gap !== null) pieces.push(styled("warning", "⚠ history is missing above "));
  pieces.push(styled(styleOfKind(kind), kind), " ");
  const after: Piece[] = [];
  if (marks.label !== null) after.push(" ", styled("label", `:${safeLine(marks.label)}`));
  for (const name of marks.branches) after.push(" ", styled("branch", `[${safeLine(name)}]`));
  if (marks.isLeaf) after.push(" ", styled("leaf", "◀ leaf"));
  const room = columns - displayWidth(textOf(pieces)) - displayWidth(textOf(after));
  return [...pieces, truncate(safeLine(entryPreview(entry)), Math.max(10, room)), ...after];
}

/** For screen readers and logs: no drawing, the place in words. */
function sentence({ row, entry, ids, marks }: RowLine): Piece[] {
  const level = `Level ${row.lane}${row.forks ? ", a branch begins" : ""}:`;
  if (row.kind === "run" || entry === undefined)
    return [`${level} ${row.entries} entries not shown.`];
  const words = [`${level} ${entryKind(entry)} ${ids.short(entry.id)}`];
  if (row.at.parent !== null) words.push(`under ${ids.short(row.at.parent.id)}`);
  if (row.at.gap !== null) words.push("history is missing above it");
  if (marks.label !== null) words.push(`label ${safeLine(marks.label)}`);
  for (const name of marks.branches) words.push(`end of branch ${safeLine(name)}`);
  if (marks.isLeaf) words.push("the leaf is here");
  else if (row.onPath) words.push("on the path to the leaf");
  return [safeLine(`${words.join(", ")}. ${entryPreview(entry)}`)];
}
