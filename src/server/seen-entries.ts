import { isObject } from "../entry/entry-check.ts";
import type { ValueStore } from "../store/store.ts";

const SCOPE = { resource: "branchline.seen" } as const;
const KEY = "entries";
/** Sessions that are remembered; those that were looked at longest ago are forgotten first. */
const REMEMBERED = 5000;
/** Looks that come within this time are written down together, in ms. */
const TOGETHER_MS = 1000;

/** What {@link SeenEntries} works with. */
export interface SeenParts {
  /** Beside the sessions and for their owner only (P10): no session file is touched. */
  readonly values: Pick<ValueStore, "get" | "set">;
  /** Told where writing down failed; it is tried again with the next look. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * How many entries of each session a person has seen. "Unread" is what came after that, whoever wrote it;
 * a session that nobody ever looked at has no number, so that thousands of old ones are not all unread.
 * A crash may lose the looks of the last second. `close` writes what is left.
 */
export class SeenEntries {
  readonly #parts: SeenParts;
  readonly #changed = new Map<string, number>();
  #known: Promise<Map<string, number>> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: SeenParts) {
    this.#parts = parts;
  }

  /** Entries seen, by session. */
  async all(): Promise<ReadonlyMap<string, number>> {
    const known = await this.#load();
    return this.#changed.size === 0 ? known : new Map([...known, ...this.#changed]);
  }

  /** null = nobody ever looked at it. */
  async of(session: string): Promise<number | null> {
    return this.#changed.get(session) ?? (await this.#load()).get(session) ?? null;
  }

  /** Somebody looks at so many entries of a session; false = that was known. */
  async note(session: string, entries: number): Promise<boolean> {
    if ((await this.of(session)) === entries) return false;
    this.#changed.set(session, entries);
    this.#timer ??= setTimeout(() => void this.#write(), TOGETHER_MS).unref();
    return true;
  }

  /** Writes down what is not written yet. */
  async close(): Promise<void> {
    await this.#write();
  }

  #load(): Promise<Map<string, number>> {
    this.#known ??= this.#read();
    return this.#known;
  }

  async #read(): Promise<Map<string, number>> {
    const { values, onFailure } = this.#parts;
    try {
      const kept = await values.get(SCOPE, KEY);
      const pairs = isObject(kept) ? Object.entries(kept) : [];
      return new Map(pairs.flatMap(([id, seen]) => (isCount(seen) ? [[id, seen] as const] : [])));
    } catch (error) {
      // Nothing of it is worth refusing the library: without it nothing is unread.
      onFailure(error);
      return new Map();
    }
  }

  #write(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#writeNow());
    return this.#writing;
  }

  /** On top of what another server on the same data root wrote meanwhile. */
  async #writeNow(): Promise<void> {
    if (this.#changed.size === 0) return;
    const changed = new Map(this.#changed);
    const seen = await this.#read();
    for (const [id, entries] of changed) {
      seen.delete(id);
      seen.set(id, entries);
    }
    for (const oldest of seen.keys()) {
      if (seen.size <= REMEMBERED) break;
      seen.delete(oldest);
    }
    try {
      await this.#parts.values.set(SCOPE, KEY, Object.fromEntries(seen));
    } catch (error) {
      this.#parts.onFailure(error);
      return;
    }
    this.#known = Promise.resolve(seen);
    for (const [id, entries] of changed) {
      if (this.#changed.get(id) === entries) this.#changed.delete(id);
    }
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
