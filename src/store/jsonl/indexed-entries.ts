import type { Entry } from "../../entry/entry.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import type { LinePlace } from "../../entry/problem.ts";
import { readEntryLine } from "../../entry/session-decoder.ts";
import type { AppendFile } from "../../io/append-file.ts";

/**
 * Lines within so many bytes are read in one go; a line of its own may be longer. As much as a file
 * system reads in place: one buffer of that size serves for a whole context, whose bytes would else be
 * so much fresh memory, which costs more than reading them (T1).
 */
const MAX_READ: number = 64 * 1024;
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
    // Of this question only: two at once must not fill the same one.
    let buffer = new Uint8Array(0);
    for (let from = 0; from < wanted.length; ) {
      const to = endOfRun(wanted, from);
      const start = (wanted[from] as Wanted).place.byteStart;
      const length = (wanted[to - 1] as Wanted).place.byteEnd - start;
      if (buffer.length < length) buffer = new Uint8Array(Math.max(length, sizeOf(wanted, from)));
      const filled = await this.#file.readInto(buffer.subarray(0, length), start);
      const bytes = buffer.subarray(0, filled);
      for (; from < to; from++) {
        const entry = this.#take(wanted[from] as Wanted, bytes, start);
        if (entry === null) return null;
        found.set(entry.id, entry);
      }
    }
    return found;
  }

  /** The entry on a line of some bytes that were read; null where it is another one or none. */
  #take({ id, place }: Wanted, bytes: Uint8Array, start: number): Entry | null {
    const line = bytes.subarray(place.byteStart - start, place.byteEnd - start);
    const entry = freezeDeep(readEntryLine(line));
    if (entry?.id !== id) return null;
    this.#keep(entry, line.length);
    return entry;
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

/** Bytes of the buffer for what is read from `from` on. */
function sizeOf(wanted: readonly Wanted[], from: number): number {
  const rest = (wanted.at(-1) as Wanted).place.byteEnd - (wanted[from] as Wanted).place.byteStart;
  return Math.min(rest, MAX_READ);
}

/** Place after the last one that is read in one go with `from`. */
function endOfRun(wanted: readonly Wanted[], from: number): number {
  const start = (wanted[from] as Wanted).place.byteStart;
  let to = from + 1;
  while (to < wanted.length && (wanted[to] as Wanted).place.byteEnd - start <= MAX_READ) to++;
  return to;
}
