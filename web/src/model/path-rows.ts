import type { PathWindow, TranscriptRow } from "branchline/protocol/tree.ts";
import { readPath } from "../api/api.ts";
import { Signal } from "../app/signal.ts";

/** Rows that are fetched at once. */
const WINDOW = 60;
/** Rows that are held; further away ones are forgotten first. */
const HELD = 1200;

/** A stretch of rows, `end` excluded. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The rows of the active path that are known, by their index. Windows are fetched around what is looked
 * at; entries never change, so a row is asked for once unless the path changes before it.
 */
export class PathRows {
  /** Counts up whenever rows came or went. */
  readonly version: Signal<number> = new Signal(0);
  readonly #session: string;
  #rows = new Map<number, TranscriptRow>();
  #indexes = new Map<string, number>();
  #total = 0;
  #leaf: string | null = null;
  #wanted: RowRange | undefined;
  #fetching: AbortController | undefined;
  /** Entry to ask around for an index that is not known. */
  guess: (index: number) => string | null = () => null;

  constructor(session: string) {
    this.#session = session;
  }

  /** Rows of the whole path. */
  get total(): number {
    return this.#total;
  }

  /** The end of the path; null = before the first entry. */
  get leaf(): string | null {
    return this.#leaf;
  }

  /** A row, where it is known. */
  at(index: number): TranscriptRow | undefined {
    return this.#rows.get(index);
  }

  /** Index of an entry that is known. */
  indexOf(id: string): number | undefined {
    return this.#indexes.get(id);
  }

  /** All known rows, in no order. */
  known(): IterableIterator<[number, TranscriptRow]> {
    return this.#rows.entries();
  }

  /** Goes to another path: loads the window around `around` (default: the end). Throws ApiFailure. */
  async load(leaf: string | null, around?: string): Promise<PathWindow> {
    this.#fetching?.abort();
    const fetching = new AbortController();
    this.#fetching = fetching;
    const query =
      around === undefined
        ? { before: WINDOW - 1, after: 0 }
        : { around, before: WINDOW / 2, after: WINDOW / 2 };
    const window = await readPath(this.#session, { leaf, ...query }, fetching.signal);
    this.#fetching = undefined;
    this.#take(window, true);
    return window;
  }

  /** Asks for the rows of a range that are missing; call it whenever the view moved. */
  ensure(range: RowRange): void {
    this.#wanted = range;
    if (this.#fetching === undefined) void this.#fill();
  }

  async #fill(): Promise<void> {
    const fetching = new AbortController();
    this.#fetching = fetching;
    try {
      for (let tries = 0; tries < 8; tries++) {
        const missing = this.#missing();
        if (missing === undefined) break;
        await this.#fetchNear(missing, fetching.signal);
      }
    } catch (error) {
      if (!fetching.signal.aborted) console.warn("rows", error);
    } finally {
      if (this.#fetching === fetching) this.#fetching = undefined;
    }
  }

  #missing(): number | undefined {
    const { start, end } = this.#wanted ?? { start: 0, end: 0 };
    for (let index = Math.max(0, start); index < Math.min(end, this.#total); index++) {
      if (!this.#rows.has(index)) return index;
    }
    return undefined;
  }

  async #fetchNear(index: number, signal: AbortSignal): Promise<void> {
    const above = this.#rows.get(index - 1);
    const around = above?.id ?? this.guess(index);
    const query =
      above === undefined
        ? { before: WINDOW / 2, after: WINDOW / 2 }
        : { before: 0, after: WINDOW };
    const window = await readPath(this.#session, { leaf: this.#leaf, around, ...query }, signal);
    this.#take(window, false);
  }

  #take(window: PathWindow, isNew: boolean): void {
    if (isNew && (window.leaf !== this.#leaf || window.total < this.#total))
      this.#forgetOthers(window);
    this.#leaf = window.leaf;
    this.#total = window.total;
    for (const [offset, row] of window.rows.entries()) this.#put(window.start + offset, row);
    this.#trim();
    this.version.update((version) => version + 1);
  }

  #put(index: number, row: TranscriptRow): void {
    const old = this.#rows.get(index);
    if (old !== undefined && old.id !== row.id) this.#indexes.delete(old.id);
    this.#rows.set(index, row);
    this.#indexes.set(row.id, index);
  }

  /** Which rows of the old path lie on the new one is not known here: only those of the window stay. */
  #forgetOthers(window: PathWindow): void {
    const first = window.rows[0];
    const index = first === undefined ? undefined : this.#indexes.get(first.id);
    const shared = index === window.start ? window.start : 0;
    const kept = [...this.#rows].filter(([at]) => at < shared);
    this.#rows = new Map(kept);
    this.#indexes = new Map(kept.map(([at, row]) => [row.id, at]));
  }

  #trim(): void {
    if (this.#rows.size <= HELD) return;
    const middle =
      this.#wanted === undefined ? this.#total : (this.#wanted.start + this.#wanted.end) / 2;
    const far = [...this.#rows.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const index of far.slice(0, this.#rows.size - HELD)) {
      const row = this.#rows.get(index);
      this.#rows.delete(index);
      if (row !== undefined) this.#indexes.delete(row.id);
    }
  }
}
