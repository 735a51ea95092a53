import type { Entry } from "../../entry/entry.ts";
import { BranchlineError } from "../../errors.ts";
import { type Clock, throwIfAborted } from "../../io/clock.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { type EntryTokens, entryText, entryTokens } from "../entry-text.ts";
import { isBelowRoots, type TextReport, type TextUpdateOptions } from "../text-query.ts";
import { type EntryFact, entryFact } from "../usage-fact.ts";
import type { SessionFiles } from "../whole-session.ts";
import type { IndexDatabase } from "./index-database.ts";
import { ROW_SPAN } from "./index-schema.ts";
import { type EntryRow, entryOnLine, readRange } from "./text-source.ts";

/** Bytes of session files that one transaction takes in: short enough for others to get a turn. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_ENTRIES = 2000;

/** What the update works with. */
export interface TextUpdateEnvironment {
  readonly database: IndexDatabase;
  readonly fileSystem: FileSystem;
  readonly files: SessionFiles;
  readonly clock: Clock;
}

interface PendingFile {
  readonly id: number;
  readonly path: string;
  readonly sound: boolean;
  /** Entries that are in the text. */
  readonly done: number;
  /** Entries that the index knows. */
  readonly entries: number;
  /** Bytes that the index knows. */
  readonly known: number;
}

/** An entry, ready to be stored. `null` tokens: its line cannot be read, it counts as done. */
interface Prepared {
  readonly ordinal: number;
  readonly tokens: EntryTokens | null;
  readonly fact: EntryFact | null;
}

/** One run of the update: file after file, newest first, batch after batch. */
export class TextUpdate {
  readonly #env: TextUpdateEnvironment;
  readonly #options: TextUpdateOptions;
  readonly #deadline: number;
  #entries = 0;
  #bytes = 0;
  #bytesTotal = 0;
  #bytesDone = 0;

  constructor(env: TextUpdateEnvironment, options: TextUpdateOptions) {
    this.#env = env;
    this.#options = options;
    this.#deadline = env.clock.monotonic() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  }

  /** Throws ABORTED; what was stored before stays. */
  async run(): Promise<TextReport> {
    let pending = this.#pending();
    for (const file of pending) this.#bytesTotal += remaining(file);
    // Other processes may take batches, and files may grow: go on as long as anything moves.
    for (let before = ""; pending.length > 0 && !this.#isOver(); pending = this.#pending()) {
      const present = pending.map((file) => `${file.id}:${file.done}`).join();
      if (present === before) break;
      before = present;
      for (const file of pending) {
        if (this.#isOver()) break;
        await this.#takeFile(file);
      }
    }
    return { entries: this.#entries, bytes: this.#bytes, complete: pending.length === 0 };
  }

  #pending(): readonly PendingFile[] {
    const { database } = this.#env;
    const rows = database.rows(
      `SELECT f.id, f.path, f.sound, coalesce(t.done, 0), f.entries, f.known
       FROM file f LEFT JOIN text_file t ON t.file = f.id
       WHERE f.reason IS NULL AND f.entries > coalesce(t.done, 0)
       ORDER BY f.modified DESC, f.id`,
    );
    const pending = rows.map(
      ([id, path, sound, done, entries, known]): PendingFile => ({
        id: Number(id),
        path: String(path),
        sound: sound === 1,
        done: Number(done),
        entries: Number(entries),
        known: Number(known),
      }),
    );
    return pending.filter((file) => isBelowRoots(file.path, this.#options.roots));
  }

  #isOver(): boolean {
    return this.#env.clock.monotonic() > this.#deadline;
  }

  async #takeFile(file: PendingFile): Promise<void> {
    const { signal } = this.#options;
    throwIfAborted(signal);
    try {
      if (file.sound) await this.#takeLines(file);
      else await this.#takeWhole(file);
    } catch (error) {
      throwIfAborted(signal);
      // A file that went away or cannot be read never hides the others (F004); it is tried again.
      if (!BranchlineError.is(error)) throw error;
    }
  }

  /** Each entry from its own line, in batches of neighbours. */
  async #takeLines(file: PendingFile): Promise<void> {
    const handle = await this.#env.fileSystem.open(file.path, "read");
    try {
      let { done } = file;
      while (done < file.entries && !this.#isOver()) {
        throwIfAborted(this.#options.signal);
        const rows = this.#rowsFrom(file, done);
        const [first] = rows;
        const last = rows.at(-1);
        if (first === undefined || last === undefined) return;
        const bytes = await readRange(handle, first.start, last.start + last.length - first.start);
        const prepared = rows.map((row): Prepared => {
          const from = row.start - first.start;
          return prepare(row.ordinal, entryOnLine(bytes.subarray(from, from + row.length), row.id));
        });
        if (!(await this.#store(file, done, prepared))) return;
        done = last.ordinal + 1;
        this.#progress(bytes.length);
      }
    } finally {
      await handle.close();
    }
  }

  #rowsFrom(file: PendingFile, done: number): readonly EntryRow[] {
    const base = file.id * ROW_SPAN;
    const found = this.#env.database.rows(
      `SELECT rowid, id, start, length FROM entry WHERE rowid >= ? AND rowid < ?
       ORDER BY rowid LIMIT ${BATCH_ENTRIES}`,
      base + done,
      base + file.entries,
    );
    const rows: EntryRow[] = [];
    for (const [rowid, id, start, length] of found) {
      const row = {
        ordinal: Number(rowid) - base,
        id: String(id),
        start: Number(start),
        length: Number(length),
      };
      const from = rows[0]?.start ?? row.start;
      if (rows.length > 0 && row.start + row.length - from > BATCH_BYTES) break;
      rows.push(row);
    }
    return rows;
  }

  /** The whole file through its reader: its n-th entry is row n. */
  async #takeWhole(file: PendingFile): Promise<void> {
    const whole = await this.#env.files.readWhole(file.path, this.#options.signal);
    let { done } = file;
    let next = 0;
    let bytes = 0;
    let batch: Prepared[] = [];
    for (const entry of whole.entries) {
      const ordinal = next++;
      if (ordinal < done) continue;
      // Rows that are not there yet are for the next run.
      if (ordinal >= file.entries) break;
      const place = whole.placeOf(entry.id);
      batch.push(prepare(ordinal, entry));
      bytes += place === null ? 0 : place.byteEnd - place.byteStart;
      if (bytes < BATCH_BYTES && batch.length < BATCH_ENTRIES) continue;
      if (this.#isOver() || !(await this.#store(file, done, batch))) return;
      done = next;
      this.#progress(bytes);
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0 && (await this.#store(file, done, batch))) this.#progress(bytes);
  }

  /** Stores a batch, unless somebody else was faster: then it gives false. */
  async #store(file: PendingFile, done: number, batch: readonly Prepared[]): Promise<boolean> {
    const { database } = this.#env;
    const last = batch.at(-1) as Prepared;
    const isStored = await database.transaction(() => {
      const present = database.row(
        `SELECT coalesce((SELECT done FROM text_file WHERE file = f.id), 0) FROM file f WHERE f.id = ?`,
        file.id,
      );
      if (present === undefined || Number(present[0]) !== done) return false;
      for (const one of batch) storeEntry(database, file.id * ROW_SPAN + one.ordinal, one);
      database.run(
        `INSERT INTO text_file (file, done) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET done = excluded.done`,
        file.id,
        last.ordinal + 1,
      );
      return true;
    }, this.#options.signal);
    if (isStored) this.#entries += batch.filter((one) => one.tokens !== null).length;
    return isStored;
  }

  #progress(bytes: number): void {
    this.#bytes += bytes;
    this.#bytesDone += bytes;
    this.#options.onProgress?.(Math.min(this.#bytesDone, this.#bytesTotal), this.#bytesTotal);
  }
}

/** Bytes that are not in the text yet, about. */
function remaining({ known, entries, done }: PendingFile): number {
  return Math.round((known * (entries - done)) / entries);
}

function prepare(ordinal: number, entry: Entry | null): Prepared {
  if (entry === null) return { ordinal, tokens: null, fact: null };
  return { ordinal, tokens: entryTokens(entryText(entry)), fact: entryFact(entry) };
}

function storeEntry(database: IndexDatabase, rowid: number, { tokens, fact }: Prepared): void {
  if (tokens === null || fact === null) return;
  database.run(
    "INSERT INTO text (rowid, words, parts, fields) VALUES (?, ?, ?, ?)",
    rowid,
    tokens.words,
    tokens.parts,
    tokens.fields,
  );
  const { usage, calls, response, model } = fact;
  if (usage === null && calls.length === 0) return;
  database.run(
    `INSERT INTO spend (rowid, response, model, input, output, cache_read, cache_write, cost, calls)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    rowid,
    response,
    model,
    usage?.input ?? null,
    usage?.output ?? null,
    usage?.cacheRead ?? null,
    usage?.cacheWrite ?? null,
    usage?.cost ?? null,
    calls.length === 0 ? null : JSON.stringify(calls),
  );
}
