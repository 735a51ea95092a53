import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { SerialQueue } from "../serial-queue.ts";
import { MemoryRunLocks } from "./memory-run-locks.ts";

/** Told after entries were added to a {@link MemoryLog}, in the same turn. */
export type LogListener = () => void;

/** All that is kept of one session; shared by its handles. */
export class MemoryLog {
  readonly header: SessionHeader;
  /** Orders the commits of all handles (P6). */
  readonly queue: SerialQueue = new SerialQueue();
  readonly runs: MemoryRunLocks = new MemoryRunLocks();
  readonly listeners: Set<LogListener> = new Set();
  /** False while the session lies in the trash, and after it was purged. */
  live = true;
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, Entry>();
  readonly #keys = new Map<string, readonly Entry[]>();

  constructor(header: SessionHeader, entries: readonly Entry[]) {
    this.header = header;
    this.#add(entries);
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.length;
  }

  /** The entry at a place in file order, from 0. The place is one that there is. */
  at(ordinal: number): Entry {
    return this.#entries[ordinal] as Entry;
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  /** Entries from one place up to another, which is excluded. */
  slice(from: number, to: number): readonly Entry[] {
    return this.#entries.slice(from, to);
  }

  /** What was committed under an idempotency key; remembered as long as the log. */
  committed(key: string): readonly Entry[] | undefined {
    return this.#keys.get(key);
  }

  /** Adds entries that were planned against this log, all or none. */
  append(entries: readonly Entry[], key: string | undefined): void {
    this.#add(entries);
    if (key !== undefined) this.#keys.set(key, entries);
  }

  #add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#byId.set(entry.id, entry);
    }
  }
}
