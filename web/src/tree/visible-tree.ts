import type { TreeShape } from "./tree-shape.ts";

/** A tree of the visible entries only: hidden ones are left out, their children hang under the nearest visible entry. */
export interface VisibleTree {
  /** First child; -1 = none. The last index (`size`) stands for "above all roots". */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly childCount: Int32Array;
  /** The child that goes on in the same lane: the active one, else the one with the newest entry below; -1 = none. */
  readonly mainChild: Int32Array;
  /** Visible entries. */
  readonly count: number;
}

/** The visible tree; `active` are path marks. Children keep file order. O(size), no recursion. */
export function visibleTree(
  shape: TreeShape,
  visible: Uint8Array,
  active: Uint8Array,
): VisibleTree {
  const { size, parent } = shape;
  const above = new Int32Array(size);
  const firstChild = new Int32Array(size + 1).fill(-1);
  const nextSibling = new Int32Array(size).fill(-1);
  const childCount = new Int32Array(size + 1);
  const mainChild = new Int32Array(size + 1).fill(-1);
  let count = 0;
  for (let at = 0; at < size; at++) {
    const own = parent[at] ?? -1;
    above[at] = own < 0 ? size : visible[own] ? own : (above[own] ?? size);
  }
  const newest = new Int32Array(size + 1);
  for (let at = size - 1; at >= 0; at--) {
    if (!visible[at]) continue;
    count++;
    const up = above[at] ?? size;
    const reach = Math.max(newest[at] ?? 0, at);
    newest[at] = reach;
    nextSibling[at] = firstChild[up] ?? -1;
    firstChild[up] = at;
    childCount[up] = (childCount[up] ?? 0) + 1;
    const rival = mainChild[up] ?? -1;
    const beaten = rival < 0 || (!active[rival] && (active[at] || reach > (newest[rival] ?? 0)));
    if (beaten) mainChild[up] = at;
    newest[up] = Math.max(newest[up] ?? 0, reach);
  }
  return { firstChild, nextSibling, childCount, mainChild, count };
}
