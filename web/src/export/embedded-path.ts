import type { ExportedCut, ExportHead } from "branchline/protocol/export.ts";
import { CHOICE_KINDS, isLeftOut, SHOWN_KINDS, SILENT_KINDS } from "branchline/protocol/kinds.ts";
import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { pathPlaces, type TreeShape } from "../tree/tree-shape.ts";

/** Alternatives that a row tells. */
const SHOWN_SIBLINGS = 50;

/** The rows of one path and what a context at its end does with them; as the server works it out. */
export interface EmbeddedPath {
  readonly rows: readonly number[];
  readonly indexes: ReadonlyMap<number, number>;
  /** Place of the compaction in force (-1 = none), and of the first entry that speaks beside it. */
  readonly compaction: number;
  readonly keeps: number;
  /** By place of what they edit. */
  readonly edits: ReadonlyMap<number, EmbeddedEdit>;
}

/** A context edit that counts. */
export interface EmbeddedEdit {
  readonly place: number;
  readonly effect: "hidden" | "replaced";
  /** Of what a replacement leaves. */
  readonly tokens: number;
}

/** The path to a leaf. O(size). */
export function embeddedPath(head: ExportHead, shape: TreeShape, leaf: number): EmbeddedPath {
  const places = pathPlaces(shape, leaf);
  const rows = places.filter((place) => SHOWN_KINDS.has(shape.kinds[place] ?? "."));
  const on = new Set(places);
  const edits = new Map<number, EmbeddedEdit>();
  for (const [place, target, effect, tokens] of head.edits) {
    if (!on.has(place)) continue;
    if (effect === "original") edits.delete(target);
    else edits.set(target, { place, effect, tokens });
  }
  const [compaction, keeps] = leaf === head.columns.leaf ? head.leafContext : contextAt(head, leaf);
  return {
    rows,
    indexes: new Map(rows.map((place, index) => [place, index])),
    ...{ compaction, keeps, edits },
  };
}

/** Where the context begins whose path ends at a place. */
export function contextAt({ contexts }: ExportHead, place: number): ExportedCut {
  let low = -1;
  let high = contexts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((contexts[middle]?.[0] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  const [, compaction = -1, keeps = 0] = contexts[low] ?? [];
  return [compaction, keeps];
}

/** Whether the context at the end of the path holds an entry. */
export function sentOf(path: EmbeddedPath, shape: TreeShape, place: number): TranscriptRow["sent"] {
  const kind = shape.kinds[place] ?? ".";
  if (SILENT_KINDS.has(kind)) return "no";
  if (place === path.compaction) return "yes";
  if (kind === "c") return "no";
  // Along one path places grow: every parent stands before its children.
  if (isLeftOut({ compaction: path.compaction, from: path.keeps }, place, kind)) return "compacted";
  return path.edits.get(place)?.effect ?? "yes";
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
