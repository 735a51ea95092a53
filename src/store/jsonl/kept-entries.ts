import type { Entry } from "../../entry/entry.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { DecodedEntry } from "../../entry/session-decoder.ts";

interface KeptEntry {
  readonly place: LinePlace;
  /** null where the payload was let go of. */
  entry: Entry | null;
}

/**
 * The entries that a handle has read or appended itself: their places for good, their payloads for as long as
 * its owner wants. A program that appends for days would hold its whole history twice otherwise.
 */
export class KeptEntries {
  readonly #byId = new Map<string, KeptEntry>();
  /** Those with a payload that can be read again, oldest first, from `#oldest` on. */
  #order: KeptEntry[] = [];
  #oldest = 0;
  #bytes = 0;

  /** Takes in an entry with a new id. One that shares its line is never let go of: it cannot be read again. */
  add({ entry, place, alone }: Pick<DecodedEntry, "entry" | "place" | "alone">): void {
    const kept = { place, entry };
    this.#byId.set(entry.id, kept);
    if (!alone) return;
    this.#order.push(kept);
    this.#bytes += bytesOf(place);
  }

  /** The entry, frozen, where its payload is in memory. */
  get(id: string): Entry | undefined {
    const entry = this.#byId.get(id)?.entry ?? undefined;
    return entry && freezeDeep(entry);
  }

  /** The entry's line, also where its payload was let go of. */
  placeOf(id: string): LinePlace | undefined {
    return this.#byId.get(id)?.place;
  }

  /** Lets go of the oldest payloads, so that at most `most` bytes of lines of those are left. */
  trim(most: number): void {
    while (this.#bytes > most) {
      const oldest = this.#order[this.#oldest] as KeptEntry;
      oldest.entry = null;
      this.#bytes -= bytesOf(oldest.place);
      this.#oldest++;
    }
    if (this.#oldest * 2 <= this.#order.length) return;
    this.#order = this.#order.slice(this.#oldest);
    this.#oldest = 0;
  }
}

function bytesOf(place: LinePlace): number {
  return place.byteEnd - place.byteStart;
}
