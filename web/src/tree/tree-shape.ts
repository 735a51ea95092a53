import type { TreeColumns } from "branchline/protocol/tree.ts";

/**
 * The skeleton of a session, ready for walks: entry i of the file stands at place i, and every parent
 * stands before its children. Never changed after it was made; {@link growShape} makes a longer one.
 */
export interface TreeShape {
  readonly revision: string;
  /** Entries in the file. */
  readonly size: number;
  /** Place of the parent, -1 = a root. */
  readonly parent: Int32Array;
  readonly kinds: string;
  /** Estimated tokens. */
  readonly tokens: Float64Array;
  /** -1 = before the first entry. */
  readonly leaf: number;
  readonly position: number;
  readonly ids: ReadonlyMap<number, string>;
  readonly places: ReadonlyMap<string, number>;
  readonly labels: ReadonlyMap<number, string>;
  readonly branches: TreeColumns["branches"];
}

/** The shape that the whole columns describe. O(size). */
export function shapeOf(columns: TreeColumns): TreeShape {
  return growShape(undefined, columns);
}

/** The shape after columns that were asked with `from` = the size of the older shape. O(size). */
export function growShape(older: TreeShape | undefined, columns: TreeColumns): TreeShape {
  const { from, size } = columns;
  const parent = new Int32Array(size);
  const tokens = new Float64Array(size);
  if (older !== undefined && from > 0) {
    parent.set(older.parent.subarray(0, from));
    tokens.set(older.tokens.subarray(0, from));
  }
  for (let at = from; at < size; at++) {
    const distance = columns.parents[at - from] ?? 0;
    parent[at] = distance <= 0 || distance > at ? -1 : at - distance;
    tokens[at] = columns.tokens[at - from] ?? 0;
  }
  const ids = new Map(from > 0 ? older?.ids : undefined);
  for (const [place, id] of columns.knots) ids.set(place, id);
  const places = new Map<string, number>();
  for (const [place, id] of ids) places.set(id, place);
  return {
    revision: columns.revision,
    size,
    parent,
    kinds:
      from > 0 && older !== undefined ? older.kinds.slice(0, from) + columns.kinds : columns.kinds,
    tokens,
    leaf: columns.leaf,
    position: columns.position,
    ids,
    places,
    labels: new Map(columns.labels),
    branches: columns.branches,
  };
}

/** One byte for each place: 1 = on the path from the root to `end` (-1 = none). O(size). */
export function pathMarks(shape: TreeShape, end: number): Uint8Array {
  const marks = new Uint8Array(shape.size);
  for (let at = end; at >= 0; at = shape.parent[at] ?? -1) marks[at] = 1;
  return marks;
}

/** Places from the root to `end`, in path order. */
export function pathPlaces(shape: TreeShape, end: number): number[] {
  const places: number[] = [];
  for (let at = end; at >= 0; at = shape.parent[at] ?? -1) places.push(at);
  return places.reverse();
}

/** The newest entry below a place (the place itself when nothing hangs under it). O(size). */
export function newestBelow(shape: TreeShape, place: number): number {
  const inside = new Uint8Array(shape.size);
  inside[place] = 1;
  let newest = place;
  for (let at = place + 1; at < shape.size; at++) {
    const above = shape.parent[at] ?? -1;
    if (above >= 0 && inside[above] === 1) {
      inside[at] = 1;
      if (!STATE_KINDS.has(shape.kinds[at] ?? ".")) newest = at;
    }
  }
  return newest;
}

/** The first entry of a branch that says something (its words name it); -1 = none. O(length of the branch). */
export function firstWordsOf(
  shape: TreeShape,
  branch: { readonly start: number; readonly head: number },
): number {
  let found = -1;
  for (let at = branch.head; at >= 0; at = shape.parent[at] ?? -1) {
    if (!STATE_KINDS.has(shape.kinds[at] ?? ".")) found = at;
    if (at <= branch.start) break;
  }
  return found;
}

/** Kinds that change settings or names and say nothing: hidden unless all entries are asked for. */
export const STATE_KINDS: ReadonlySet<string> = new Set(["o", "k", "l", "n", "v", "."]);
