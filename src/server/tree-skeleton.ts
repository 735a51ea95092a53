import { QUEUE_TYPE } from "../entry/own-state.ts";
import type { KindCode, TreeColumns } from "../protocol/tree.ts";
import type { StoreSession } from "../store/store.ts";
import { isOwn } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { kindOf } from "../view/entry-kind.ts";
import { entryTokens } from "../view/entry-view.ts";
import { EntryReader } from "./entry-reader.ts";

/**
 * Entries up to which tokens are counted from the payloads; of larger sessions the bytes of a line tell
 * (bytes / 4), so that opening one does not read all of it.
 */
const COUNTED_ENTRIES = 20_000;
/** Entries after which others get a turn. */
const SLICE = 2000;
/** Entries that are read at a time. */
const READ_AT_ONCE = 64;

/** What the tree columns say of the handle. */
export interface Standing {
  readonly revision: string;
  readonly leaf: string | null;
  readonly position: string | null;
}

/**
 * The tree of one open session as columns (`TreeColumns`): worked out once, then only what was added.
 * Holds two numbers and a character for each entry.
 */
export class TreeSkeleton {
  readonly #store: StoreSession;
  readonly #reader: EntryReader;
  #distances: number[] = [];
  #kinds: string[] = [];
  #tokens: number[] = [];
  /** Ids of knots, by place. */
  readonly #ids = new Map<number, string>();
  #relinks = -1;
  #hasQueues = false;
  #updating: Promise<void> | null = null;

  constructor(store: StoreSession) {
    this.#store = store;
    this.#reader = new EntryReader(store);
  }

  /** Takes in what was added. Whoever asks meanwhile waits for the same work. */
  async update(): Promise<void> {
    for (;;) {
      while (this.#updating !== null) await this.#updating;
      const { tree } = this.#store;
      if (this.#relinks === tree.relinks && this.#kinds.length === tree.size) return;
      this.#updating = this.#grow().finally(() => {
        this.#updating = null;
      });
    }
  }

  /** Estimated tokens of the entry at a place; 0 for what is not taken in yet. */
  tokensAt(place: number): number {
    return this.#tokens[place] ?? 0;
  }

  /** Whether anything was ever queued: where not, nobody has to look for it. */
  get hasQueues(): boolean {
    return this.#hasQueues;
  }

  /** Kind of the entry at a place. */
  kindAt(place: number): KindCode {
    return this.#kinds[place] ?? ".";
  }

  /** Places from an entry up to its root, the entry first; needs no look at the tree. */
  *placesUp(place: number): IterableIterator<number> {
    for (let at = place; at >= 0; ) {
      yield at;
      const distance = this.#distances[at] ?? 0;
      if (distance === 0) return;
      at -= distance;
    }
  }

  /** For every place the last place below it in file order, itself where nothing hangs under it. */
  lastPlaces(): Int32Array {
    const size = this.#distances.length;
    const last = Int32Array.from({ length: size }, (_, place) => place);
    for (let place = size - 1; place >= 0; place--) {
      const distance = this.#distances[place] as number;
      const parent = place - distance;
      if (distance > 0 && (last[parent] as number) < (last[place] as number)) {
        last[parent] = last[place] as number;
      }
    }
    return last;
  }

  /** The columns from a place on; `update` first. */
  columns(standing: Standing, from = 0): TreeColumns {
    const { tree } = this.#store;
    const placeOf = (id: string | null): number =>
      id === null ? -1 : (tree.get(id)?.ordinal ?? -1);
    return {
      revision: standing.revision,
      size: this.#kinds.length,
      from,
      parents: this.#distances.slice(from),
      kinds: this.#kinds.slice(from).join(""),
      tokens: this.#tokens.slice(from),
      leaf: placeOf(standing.leaf),
      position: placeOf(standing.position),
      knots: this.#knots(),
      labels: [...tree.labels().values()].map(({ targetId, label }) => [placeOf(targetId), label]),
      branches: tree.branches().map(({ id, name, head, archived }) => ({
        ...{ id, name, archived },
        start: id === "main" ? 0 : placeOf(id),
        head: placeOf(head),
      })),
    };
  }

  async #grow(): Promise<void> {
    const { tree } = this.#store;
    if (tree.relinks !== this.#relinks) {
      // Links were taken back: perhaps by a failed write, whose places then hold other entries.
      this.#distances = [];
      this.#kinds = [];
      this.#tokens = [];
      this.#ids.clear();
      this.#relinks = tree.relinks;
    }
    const from = this.#kinds.length;
    const { size } = tree;
    for (let place = from; place < size; place++) {
      const at = tree.at(place) as TreeEntry;
      // A parent that stands behind its child gives a negative distance; 0 is a root.
      this.#distances.push(at.parent === null ? 0 : place - at.parent.ordinal);
      this.#kinds.push(kindOf(at));
      if (at.customType === QUEUE_TYPE) this.#hasQueues = true;
      if (place % SLICE === SLICE - 1) await turn();
    }
    await this.#count(size);
  }

  async #count(size: number): Promise<void> {
    const from = this.#tokens.length;
    if (size - from > COUNTED_ENTRIES) return await this.#measure(size);
    const { tree } = this.#store;
    for (let place = from; place < size; place += READ_AT_ONCE) {
      const ids: string[] = [];
      for (let next = place; next < Math.min(size, place + READ_AT_ONCE); next++) {
        ids.push((tree.at(next) as TreeEntry).id);
      }
      for (const { entry, large } of await this.#reader.read(ids)) {
        this.#tokens.push(large === null ? entryTokens(entry) : large.tokens);
      }
      if (this.#tokens.length % SLICE < READ_AT_ONCE) await turn();
    }
  }

  async #measure(size: number): Promise<void> {
    const { tree } = this.#store;
    for (let place = this.#tokens.length; place < size; place++) {
      const at = tree.at(place) as TreeEntry;
      this.#tokens.push(isOwn(at) ? 0 : this.#lengthOf(at.id) >> 2);
      if (place % SLICE === SLICE - 1) await turn();
    }
  }

  /** An entry's id never changes, so it is looked up once. */
  #idAt(place: number): string {
    const known = this.#ids.get(place) ?? this.#store.tree.at(place)?.id ?? "";
    this.#ids.set(place, known);
    return known;
  }

  #lengthOf(id: string): number {
    const place = this.#store.placeOf(id);
    return place === null ? 0 : place.byteEnd - place.byteStart;
  }

  /** Forks, tips, compactions, labelled entries and starts of branches, with their ids. */
  #knots(): readonly (readonly [number, string])[] {
    const { tree } = this.#store;
    const size = this.#distances.length;
    const children = new Uint32Array(size);
    let roots = 0;
    for (let place = 0; place < size; place++) {
      const distance = this.#distances[place] as number;
      if (distance === 0) roots++;
      else children[place - distance] = (children[place - distance] as number) + 1;
    }
    const places = new Set<number>();
    for (let place = 0; place < size; place++) {
      const isRootOfSeveral = roots > 1 && this.#distances[place] === 0;
      if (children[place] !== 1 || this.#kinds[place] === "c" || isRootOfSeveral) places.add(place);
    }
    for (const { id } of tree.branches()) addPlace(places, tree.get(id));
    for (const id of tree.labels().keys()) addPlace(places, tree.get(id));
    const sorted = [...places].sort((a, b) => a - b);
    return sorted.map((place) => [place, this.#idAt(place)]);
  }
}

function addPlace(places: Set<number>, at: TreeEntry | undefined): void {
  if (at !== undefined) places.add(at.ordinal);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
