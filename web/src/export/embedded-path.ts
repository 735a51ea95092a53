import type { ExportHead } from "branchline/protocol/export.ts";
import { CHOICE_KINDS, SHOWN_KINDS, SILENT_KINDS } from "branchline/protocol/kinds.ts";
import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { pathPlaces, type TreeShape } from "../tree/tree-shape.ts";

/** Alternatives that a row tells. */
const SHOWN_SIBLINGS = 50;

/** The rows of one path and what a context at its end does with them; as the server works it out. */
export interface EmbeddedPath {
  readonly rows: readonly number[];
  readonly indexes: ReadonlyMap<number, number>;
  /** Place of the compaction in force, and of the first entry that it keeps. */
  readonly compaction: number;
  readonly keeps: number;
  readonly edits: ReadonlyMap<number, "hidden" | "replaced">;
}

/** The path to a leaf. O(size). */
export function embeddedPath(head: ExportHead, shape: TreeShape, leaf: number): EmbeddedPath {
  const places = pathPlaces(shape, leaf);
  const rows = places.filter((place) => SHOWN_KINDS.has(shape.kinds[place] ?? "."));
  const on = new Set(places);
  const edits = new Map<number, "hidden" | "replaced">();
  for (const [place, target, effect] of head.edits) {
    if (!on.has(place)) continue;
    if (effect === "original") edits.delete(target);
    else edits.set(target, effect);
  }
  const compaction = leaf === head.columns.leaf ? head.leafContext : contextAt(head, leaf);
  const keeps = head.compactions.find(([place]) => place === compaction)?.[1] ?? -1;
  return {
    rows,
    indexes: new Map(rows.map((place, index) => [place, index])),
    ...{ compaction, keeps, edits },
  };
}

/** The compaction in force with the path's end at a place. */
export function contextAt({ contexts }: ExportHead, place: number): number {
  return contexts.findLast(([from]) => from <= place)?.[1] ?? -1;
}

/** Whether the context at the end of the path holds an entry. */
export function sentOf(path: EmbeddedPath, shape: TreeShape, place: number): TranscriptRow["sent"] {
  const kind = shape.kinds[place] ?? ".";
  if (SILENT_KINDS.has(kind)) return "no";
  if (place === path.compaction) return "yes";
  if (kind === "c") return "no";
  // Along one path places grow: every parent stands before its children.
  if (path.compaction >= 0 && place < path.keeps) return "compacted";
  return path.edits.get(place) ?? "yes";
}

/** First children and next siblings of all places; `size` stands for above the roots. */
export class ChildLists {
  readonly #shape: TreeShape;
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  constructor(shape: TreeShape) {
    const { size } = shape;
    this.#shape = shape;
    this.#first = new Int32Array(size + 1).fill(-1);
    this.#next = new Int32Array(size).fill(-1);
    for (let place = size - 1; place >= 0; place--) {
      const parent = shape.parent[place] ?? -1;
      const above = parent < 0 ? size : parent;
      this.#next[place] = this.#first[above] ?? -1;
      this.#first[above] = place;
    }
  }

  /** Alternatives of a place under one parent, itself included; what only says something about others does not count. */
  siblings(place: number): readonly number[] {
    const { kinds, parent, size } = this.#shape;
    const isChoice = (at: number): boolean => CHOICE_KINDS.has(kinds[at] ?? ".");
    if (!isChoice(place)) return [];
    let above = parent[place] ?? -1;
    while (above >= 0 && !isChoice(above)) above = parent[above] ?? -1;
    const found: number[] = [];
    const waiting = [...this.#children(above < 0 ? size : above)];
    for (let next = 0; next < waiting.length && next < 2000; next++) {
      const child = waiting[next] as number;
      if (isChoice(child)) found.push(child);
      else for (const below of this.#children(child)) waiting.push(below);
    }
    found.sort((a, b) => a - b);
    const from = Math.max(0, Math.min(found.indexOf(place) - 25, found.length - SHOWN_SIBLINGS));
    return found.slice(from, from + SHOWN_SIBLINGS);
  }

  *#children(above: number): IterableIterator<number> {
    for (let at = this.#first[above] ?? -1; at >= 0; at = this.#next[at] ?? -1) yield at;
  }
}

/** For every place the last place below it. O(size). */
export function lastPlaces(shape: TreeShape): Int32Array {
  const last = Int32Array.from({ length: shape.size }, (_, place) => place);
  for (let place = shape.size - 1; place >= 0; place--) {
    const parent = shape.parent[place] ?? -1;
    if (parent >= 0 && (last[parent] ?? 0) < (last[place] ?? 0)) last[parent] = last[place] ?? 0;
  }
  return last;
}
