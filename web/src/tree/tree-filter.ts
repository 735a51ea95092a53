import { STATE_KINDS, type TreeShape } from "./tree-shape.ts";

/** What the rail shows: `forks` folds straight runs and hides state, `all` hides nothing. */
export type TreeFilter = "forks" | "all" | "user" | "no-tools" | "labelled";

/** In the order of the buttons. */
export const TREE_FILTERS: readonly TreeFilter[] = ["forks", "all", "user", "no-tools", "labelled"];

const USER_KINDS = new Set(["u", "b", "c", "m"]);
const NO_TOOL_KINDS = new Set(["u", "a", "s", "b", "c", "m", "q", "g"]);

/** One byte for each place: 1 = the filter shows the entry. O(size). */
export function filterMarks(shape: TreeShape, filter: TreeFilter): Uint8Array {
  const marks = new Uint8Array(shape.size);
  for (let at = 0; at < shape.size; at++) {
    const kind = shape.kinds[at] ?? ".";
    marks[at] = shows(filter, kind) || (filter === "labelled" && shape.labels.has(at)) ? 1 : 0;
  }
  return marks;
}

function shows(filter: TreeFilter, kind: string): boolean {
  if (filter === "all") return true;
  if (filter === "user") return USER_KINDS.has(kind);
  if (filter === "no-tools") return NO_TOOL_KINDS.has(kind);
  if (filter === "labelled") return false;
  return !STATE_KINDS.has(kind);
}

/**
 * Marks for a search: the matches themselves, and as 2 the entries where the ways to several matches
 * part, so that the result keeps the shape of the tree. O(size).
 */
export function searchMarks(shape: TreeShape, matches: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(shape.size);
  const holds = new Uint8Array(shape.size);
  for (const place of matches) {
    if (place < shape.size) marks[place] = 1;
  }
  const ways = new Uint8Array(shape.size);
  for (let at = shape.size - 1; at >= 0; at--) {
    if (marks[at] === 1) holds[at] = 1;
    const above = shape.parent[at] ?? -1;
    if (holds[at] !== 1 || above < 0) continue;
    holds[above] = 1;
    ways[above] = Math.min(2, (ways[above] ?? 0) + 1);
  }
  for (let at = 0; at < shape.size; at++) {
    if (marks[at] === 0 && ways[at] === 2) marks[at] = 2;
  }
  return marks;
}
