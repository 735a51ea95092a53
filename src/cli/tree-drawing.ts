import type { SessionTree } from "../tree/session-tree.ts";
import { isOwn } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";

/** One row of a drawn tree: an entry, or a run of entries that is not shown one by one. */
export interface TreeRow {
  readonly kind: "entry" | "run";
  /** The entry, of a run its first one. */
  readonly at: TreeEntry;
  /** Entries that the row stands for: 1, or the length of the run. */
  readonly entries: number;
  /** How many lanes lie left of the row. Only forks make lanes; a straight run stays in its lane. */
  readonly lane: number;
  /** True where the row begins a branch that leaves the lane to its left. */
  readonly forks: boolean;
  /** True on the path to the leaf. */
  readonly onPath: boolean;
}

/** What is drawn one by one. */
export interface DrawOptions {
  readonly leaf: string | null;
  /** "forks" = ends of runs and what `keeps` names; "path" = the leaf's path too; "all" = everything, own state included. */
  readonly show: "forks" | "path" | "all";
  /** Entries to be shown although they lie inside a run. */
  readonly keeps: (at: TreeEntry) => boolean;
}

/** An entry that is drawn; own state is left out and its children hang one step higher. */
interface Drawn {
  readonly at: TreeEntry;
  readonly parent: Drawn | null;
  readonly children: Drawn[];
  size: number;
  onPath: boolean;
}

interface Task {
  readonly from: Drawn;
  readonly lane: number;
  readonly forks: boolean;
}

/** Runs shorter than this are shown: the row that stands for them would take as much room. */
const SHORTEST_RUN = 3;

function collect(tree: SessionTree, options: DrawOptions): { all: Drawn[]; roots: Drawn[] } {
  const all: Drawn[] = [];
  const roots: Drawn[] = [];
  const stack: { at: TreeEntry; parent: Drawn | null }[] = [];
  const push = (children: readonly TreeEntry[], parent: Drawn | null): void => {
    for (let i = children.length - 1; i >= 0; i--)
      stack.push({ at: children[i] as TreeEntry, parent });
  };
  push(tree.children(null), null);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { at, parent } = next;
    let above = parent;
    if (options.show === "all" || !(isOwn(at) || at.isMove)) {
      const drawn: Drawn = { at, parent, children: [], size: 1, onPath: false };
      (parent === null ? roots : parent.children).push(drawn);
      all.push(drawn);
      above = drawn;
    }
    push(tree.children(at.id), above);
  }
  return { all, roots };
}

function measure(tree: SessionTree, all: readonly Drawn[], leaf: string | null): void {
  const byId = new Map(all.map((drawn) => [drawn.at.id, drawn]));
  for (const at of tree.ancestors(leaf)) {
    const drawn = byId.get(at.id);
    if (drawn !== undefined) drawn.onPath = true;
  }
  // Parents stand before their children, so backwards every size is complete when it is handed up.
  for (let i = all.length - 1; i >= 0; i--) {
    const drawn = all[i] as Drawn;
    if (drawn.parent !== null) drawn.parent.size += drawn.size;
    drawn.children.sort((a, b) => a.at.ordinal - b.at.ordinal);
  }
}

/**
 * The child that goes on in the lane: the one on the leaf's path, else the one with most below it. So
 * a tree of n entries never needs more than log2(n) + 1 lanes.
 */
function mainChild(drawn: Drawn): Drawn | undefined {
  let best = drawn.children[0];
  for (const child of drawn.children) {
    if (child.onPath) return child;
    if (best !== undefined && child.size >= best.size) best = child;
  }
  return best;
}

/**
 * Draws a session as flat lanes, top to bottom: parents above children, side branches before the
 * going-on of their lane. Iterative; straight runs are never indented.
 */
export function drawTree(tree: SessionTree, options: DrawOptions): TreeRow[] {
  const { all, roots } = collect(tree, options);
  measure(tree, all, options.leaf);
  const rows: TreeRow[] = [];
  const tasks: Task[] = roots.map((from) => ({ from, lane: 0, forks: false })).reverse();
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { run, end } = straightRun(task.from);
    pushRun(rows, run, { task, options });
    const main = mainChild(end);
    if (main === undefined) continue;
    tasks.push({ from: main, lane: task.lane, forks: false });
    for (const child of end.children.toReversed()) {
      if (child !== main) tasks.push({ from: child, lane: task.lane + 1, forks: true });
    }
  }
  return rows;
}

function straightRun(from: Drawn): { run: Drawn[]; end: Drawn } {
  const run = [from];
  let end = from;
  let only = end.children.length === 1 ? end.children[0] : undefined;
  while (only !== undefined) {
    run.push(only);
    end = only;
    only = end.children.length === 1 ? end.children[0] : undefined;
  }
  return { run, end };
}

function pushRun(
  rows: TreeRow[],
  run: readonly Drawn[],
  { task, options }: { readonly task: Task; readonly options: DrawOptions },
): void {
  let hidden: Drawn[] = [];
  const row = (drawn: Drawn, entries: number): void => {
    const kind = entries === 1 ? "entry" : "run";
    const forks = task.forks && drawn === task.from;
    rows.push({ kind, at: drawn.at, entries, lane: task.lane, forks, onPath: drawn.onPath });
  };
  const flush = (): void => {
    const [first] = hidden;
    if (first !== undefined && hidden.length >= SHORTEST_RUN) row(first, hidden.length);
    else for (const drawn of hidden) row(drawn, 1);
    hidden = [];
  };
  for (const [index, drawn] of run.entries()) {
    const isEnd = index === 0 || index === run.length - 1;
    const shown = options.show === "all" || (options.show === "path" && drawn.onPath);
    if (isEnd || shown || drawn.at.gap !== null || options.keeps(drawn.at)) {
      flush();
      row(drawn, 1);
    } else hidden.push(drawn);
  }
  flush();
}

/** The lanes left of a row: `│ ├─●`; the last character tells the path to the leaf from the rest. */
export function laneText(row: TreeRow): string {
  const own = row.onPath ? "●" : "○";
  const glyph = row.kind === "run" ? "┊" : own;
  if (!row.forks) return "│ ".repeat(row.lane) + glyph;
  return `${"│ ".repeat(row.lane - 1)}├─${glyph}`;
}
