import type { Entry } from "../../entry/entry.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import type { LinePlace } from "../../entry/problem.ts";
import { readEntryLine } from "../../entry/session-decoder.ts";
import type { AppendFile } from "../../io/append-file.ts";

/** Lines that lie this close together are read in one go, in bytes. */
const MAX_HOLE: number = 64 * 1024;
/** Largest single read, in bytes; a line of its own may be longer. */
const MAX_READ: number = 4 * 1024 * 1024;
/** Payloads kept for the next question, in bytes of their lines. */
const CACHE_BYTES: number = 8 * 1024 * 1024;

interface Wanted {
  readonly id: string;
  readonly place: LinePlace;
}

/**
 * The entries of which only the lines are known: their payloads are read when they are asked for, and
 * nothing else is. What was read last is kept within a bound.
 */
export class IndexedEntries {
  readonly #file: AppendFile;
  readonly #placeOf: (id: string) => LinePlace | null;
  readonly #cache = new Map<string, { readonly entry: Entry; readonly bytes: number }>();
  /** Ids of the cache, oldest first, from `#oldest` on. A walk from the front of a map is slow after many removals. */
  #order: string[] = [];
  #oldest = 0;
  #cached = 0;

  constructor(file: AppendFile, placeOf: (id: string) => LinePlace | null) {
    this.#file = file;
    this.#placeOf = placeOf;
  }

  /**
   * Reads the entries with these ids, as many as there are. null where a line holds something else
   * than the index says: then the file has to be read as a whole.
   */
  async load(ids: Iterable<string>): Promise<ReadonlyMap<string, Entry> | null> {
    const found = new Map<string, Entry>();
    const wanted: Wanted[] = [];
    for (const id of ids) {
      const cached = this.#cache.get(id);
      const place = cached === undefined ? this.#placeOf(id) : null;
      if (cached !== undefined) found.set(id, cached.entry);
      else if (place !== null) wanted.push({ id, place });
    }
    wanted.sort((a, b) => a.place.byteStart - b.place.byteStart);
    for (let from = 0; from < wanted.length; ) {
      const to = endOfRun(wanted, from);
      if (!(await this.#readRun(wanted.slice(from, to), found))) return null;
      from = to;
    }
    return found;
  }

  async #readRun(run: readonly Wanted[], found: Map<string, Entry>): Promise<boolean> {
    const start = (run[0] as Wanted).place.byteStart;
    const end = (run.at(-1) as Wanted).place.byteEnd;
    const bytes = await this.#file.read(start, end - start);
    for (const { id, place } of run) {
      const line = bytes.subarray(place.byteStart - start, place.byteEnd - start);
      const entry = freezeDeep(readEntryLine(line));
      if (entry?.id !== id) return false;
      this.#keep(entry, line.length);
      found.set(id, entry);
    }
    return true;
  }

  #keep(entry: Entry, bytes: number): void {
    // Two questions at once may both have read it.
    if (this.#cache.has(entry.id)) return;
    this.#cache.set(entry.id, { entry, bytes });
    this.#order.push(entry.id);
    this.#cached += bytes;
    while (this.#cached > CACHE_BYTES) this.#dropOldest();
  }

  #dropOldest(): void {
    const id = this.#order[this.#oldest] as string;
    this.#oldest++;
    this.#cached -= (this.#cache.get(id) as { readonly bytes: number }).bytes;
    this.#cache.delete(id);
    if (this.#oldest * 2 < this.#order.length) return;
    this.#order = this.#order.slice(this.#oldest);
    this.#oldest = 0;
  }
}

/** Place after the last one that is read in one go with `from`. */
function endOfRun(wanted: readonly Wanted[], from: number): number {
  const start = (wanted[from] as Wanted).place.byteStart;
  let to = from + 1;
  while (to < wanted.length) {
    const { byteStart, byteEnd } = (wanted[to] as Wanted).place;
    const hole = byteStart - (wanted[to - 1] as Wanted).place.byteEnd;
    if (hole > MAX_HOLE || byteEnd - start > MAX_READ) break;
    to++;
  }
  return to;
}
