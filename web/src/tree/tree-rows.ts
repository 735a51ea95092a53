import { pathMarks, type TreeShape } from "./tree-shape.ts";
import { type VisibleTree, visibleTree } from "./visible-tree.ts";

/**
 * One line of the rail, git-log style: lane 0 is the active path; at a fork the other branches stand
 * first, one lane further right, and the path goes on below them.
 */
export interface TreeRow {
  /** Stable while the tree grows. */
  readonly key: string;
  /** `run` = a straight run of entries folded into one line. */
  readonly kind: "entry" | "run";
  /** First and last place of the row. */
  readonly place: number;
  readonly last: number;
  readonly entries: number;
  /** User messages and estimated tokens inside. */
  readonly turns: number;
  readonly tokens: number;
  readonly lane: number;
  /** The lane begins here, coming from the lane on its left. */
  readonly starts: boolean;
  /** Nothing of this lane stands above or below. */
  readonly root: boolean;
  readonly ends: boolean;
  /** The session stands here (or at something hidden right below). */
  readonly isLeaf: boolean;
  readonly active: boolean;
  /** The next row of the lane is on the active path too. */
  readonly activeBelow: boolean;
  /** The line of lane 0 beside this row belongs to the active path. */
  readonly trunkActive: boolean;
  /** Other branches that leave here, and whether they are folded away. */
  readonly sides: number;
  readonly collapsed: boolean;
  /** First place of the opened run that this entry belongs to; -1 = none. */
  readonly run: number;
  /** Only shown because matches part here. */
  readonly context: boolean;
  readonly level: number;
  setSize: number;
  readonly posInSet: number;
}

/** What {@link treeRows} needs besides the shape. */
export interface TreeRowOptions {
  /** 0 = hidden, 1 = shown, 2 = shown as context. */
  readonly marks: Uint8Array;
  /** Forks whose other branches are folded away. */
  readonly collapsed: ReadonlySet<number>;
  /** First places of runs that are opened. */
  readonly opened: ReadonlySet<number>;
  /** Places that never vanish in a run. */
  readonly kept: ReadonlySet<number>;
  /** Shorter runs are not folded; Infinity = fold nothing. */
  readonly minRun: number;
}

interface Chain {
  readonly place: number;
  readonly lane: number;
  readonly starts: boolean;
  readonly root: boolean;
  /** The fork (or -1) whose items these are, for posinset. */
  readonly group: number;
  readonly trunkActive: boolean;
}

/** Entries of the active path right above the leaf that are never folded. */
const NEAR_LEAF = 4;

/** All rows, in order. O(size), no recursion: 100,000 entries stay under 100 ms. */
export function treeRows(shape: TreeShape, options: TreeRowOptions): TreeRow[] {
  const active = pathMarks(shape, shape.leaf);
  const tree = visibleTree(shape, options.marks, active);
  return new RowWalk({ shape, options, active, tree }).rows();
}

interface WalkParts {
  readonly shape: TreeShape;
  readonly options: TreeRowOptions;
  readonly active: Uint8Array;
  readonly tree: VisibleTree;
}

class RowWalk {
  readonly #parts: WalkParts;
  readonly #rows: TreeRow[] = [];
  readonly #groups = new Map<number, TreeRow[]>();
  readonly #stack: Chain[] = [];
  readonly #near: ReadonlySet<number>;
  readonly #leaf: number;

  constructor(parts: WalkParts) {
    this.#parts = parts;
    const near = new Set<number>();
    const { shape, options } = parts;
    for (let at = shape.leaf; at >= 0 && near.size < NEAR_LEAF; at = shape.parent[at] ?? -1) {
      if (options.marks[at]) near.add(at);
    }
    this.#near = near;
    this.#leaf = visibleAbove(shape, options.marks, shape.leaf);
  }

  rows(): TreeRow[] {
    const { shape } = this.#parts;
    const roots = this.#children(shape.size);
    for (const root of roots.reverse()) {
      this.#stack.push({
        place: root,
        lane: 0,
        starts: false,
        root: true,
        group: -1,
        trunkActive: false,
      });
    }
    for (let chain = this.#stack.pop(); chain !== undefined; chain = this.#stack.pop()) {
      this.#walk(chain);
    }
    for (const rows of this.#groups.values()) {
      for (const row of rows) row.setSize = rows.length;
    }
    return this.#rows;
  }

  /** Children of a place, the main one last. */
  #children(place: number): number[] {
    const { tree } = this.#parts;
    const main = tree.mainChild[place] ?? -1;
    const found: number[] = [];
    for (let at = tree.firstChild[place] ?? -1; at >= 0; at = tree.nextSibling[at] ?? -1) {
      if (at !== main) found.push(at);
    }
    if (main >= 0) found.push(main);
    return found;
  }

  /** One lane from its first entry to the next fork or its end. */
  #walk(chain: Chain): void {
    const { tree } = this.#parts;
    let run: number[] = [];
    let head: Chain = chain;
    for (let at = chain.place; ; at = tree.mainChild[at] ?? -1) {
      const isFirst = at === chain.place;
      const knot = this.#isKnot(at, isFirst && chain.starts, isFirst && chain.root);
      if (!knot) run.push(at);
      else {
        head = this.#flush(run, head);
        run = [];
        this.#entry(at, head, -1);
        head = { ...head, starts: false, root: false };
      }
      const count = tree.childCount[at] ?? 0;
      if (count === 1) continue;
      this.#flush(run, head);
      if (count > 1) this.#fork(at, head);
      return;
    }
  }

  #fork(at: number, chain: Chain): void {
    const { options, active } = this.#parts;
    const children = this.#children(at);
    const main = children.pop() ?? -1;
    this.#stack.push({ ...chain, place: main, starts: false, root: false });
    if (options.collapsed.has(at)) return;
    const trunkActive = chain.lane === 0 ? active[main] === 1 : chain.trunkActive;
    for (const place of children.reverse()) {
      this.#stack.push({
        place,
        lane: chain.lane + 1,
        starts: true,
        root: false,
        group: at,
        trunkActive,
      });
    }
  }

  #isKnot(at: number, starts: boolean, isRoot: boolean): boolean {
    const { tree, shape, options } = this.#parts;
    const kind = shape.kinds[at];
    return (
      starts ||
      (tree.childCount[at] ?? 0) !== 1 ||
      at === this.#leaf ||
      kind === "c" ||
      kind === "m" ||
      shape.labels.has(at) ||
      this.#near.has(at) ||
      options.kept.has(at) ||
      isRoot
    );
  }

  #flush(run: readonly number[], chain: Chain): Chain {
    const first = run[0];
    if (first === undefined) return chain;
    const { options } = this.#parts;
    const opened = options.opened.has(first);
    if (run.length < options.minRun || opened) {
      let next = chain;
      for (const at of run) {
        this.#entry(at, next, opened ? first : -1);
        next = { ...next, starts: false, root: false };
      }
      return next;
    }
    this.#push(run, chain, -1);
    return { ...chain, starts: false, root: false };
  }

  #entry(at: number, chain: Chain, run: number): void {
    this.#push([at], chain, run);
  }

  #push(places: readonly number[], chain: Chain, run: number): void {
    const { shape, tree, active, options } = this.#parts;
    const place = places[0] ?? 0;
    const last = places.at(-1) ?? place;
    const main = tree.mainChild[last] ?? -1;
    const count = tree.childCount[last] ?? 0;
    const group = this.#groups.get(chain.group) ?? [];
    if (group.length === 0) this.#groups.set(chain.group, group);
    const row: TreeRow = {
      key: `${places.length > 1 ? "r" : "e"}${place}`,
      kind: places.length > 1 ? "run" : "entry",
      place,
      last,
      entries: places.length,
      ...sums(shape, places),
      lane: chain.lane,
      starts: chain.starts,
      root: chain.root,
      isLeaf: places.includes(this.#leaf),
      ends: count === 0,
      active: active[last] === 1,
      activeBelow: main >= 0 && active[main] === 1,
      trunkActive: chain.trunkActive,
      sides: Math.max(0, count - 1),
      collapsed: count > 1 && options.collapsed.has(last),
      run,
      context: options.marks[place] === 2,
      level: chain.lane + 1,
      setSize: 0,
      posInSet: group.length + 1,
    };
    group.push(row);
    this.#rows.push(row);
  }
}

/** The place itself or the nearest one above that is shown; -1 = none. */
export function visibleAbove(shape: TreeShape, marks: Uint8Array, place: number): number {
  let at = place;
  while (at >= 0 && marks[at] !== 1) at = shape.parent[at] ?? -1;
  return at;
}

function sums(shape: TreeShape, places: readonly number[]): { turns: number; tokens: number } {
  let turns = 0;
  let tokens = 0;
  for (const place of places) {
    if (shape.kinds[place] === "u") turns++;
    tokens += shape.tokens[place] ?? 0;
  }
  return { turns, tokens };
}
