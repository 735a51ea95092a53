import type { EntryPreview } from "branchline/protocol/tree.ts";
import { readRows } from "../api/api.ts";
import { Signal } from "../app/signal.ts";
import { placesText } from "./places-text.ts";

/** Places that one call may name. */
const BATCH = 200;

/** Short texts of entries by place, fetched in batches for the rows in view; kept for ever, entries never change. */
export class Previews {
  /** Counts up whenever texts came. */
  readonly version: Signal<number> = new Signal(0);
  readonly #session: string;
  readonly #known = new Map<number, EntryPreview>();
  readonly #places = new Map<string, number>();
  readonly #lower = new Map<number, string>();
  readonly #asked = new Set<number>();
  #wanted: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: string) {
    this.#session = session;
  }

  /** The preview, where it is known. */
  at(place: number): EntryPreview | undefined {
    return this.#known.get(place);
  }

  /** Place of an entry whose preview is known. */
  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }

  /** Text to search in, in lower case; empty where it is not known. */
  searchText(place: number): string {
    const known = this.#lower.get(place);
    if (known !== undefined) return known;
    const preview = this.#known.get(place);
    if (preview === undefined) return "";
    const text = `${preview.tool ?? ""} ${preview.text}`.toLowerCase();
    this.#lower.set(place, text);
    return text;
  }

  /** Takes previews that came another way. */
  put(preview: EntryPreview): void {
    this.#take(preview);
    this.#asked.add(preview.place);
  }

  /** Forgets what may have changed: labels. */
  forget(): void {
    this.#asked.clear();
  }

  /** Asks for places that are not known, soon and together. */
  want(places: readonly number[]): void {
    const fresh = places.filter((place) => !this.#asked.has(place));
    if (fresh.length === 0) return;
    for (const place of fresh) this.#asked.add(place);
    for (const place of fresh) this.#wanted.push(place);
    this.#timer ??= setTimeout(() => void this.#fetch(), 8);
  }

  #take(preview: EntryPreview): void {
    this.#known.set(preview.place, preview);
    this.#places.set(preview.id, preview.place);
  }

  async #fetch(): Promise<void> {
    this.#timer = undefined;
    const places = this.#wanted.splice(0, BATCH).sort((a, b) => a - b);
    if (this.#wanted.length > 0) this.#timer = setTimeout(() => void this.#fetch(), 0);
    try {
      const { rows } = await readRows(this.#session, placesText(places));
      for (const row of rows) this.#take(row);
    } catch (error) {
      for (const place of places) this.#asked.delete(place);
      console.warn("previews", error);
    }
    this.version.update((version) => version + 1);
  }
}
