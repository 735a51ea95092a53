import type { SessionHeader } from "../../entry/entry.ts";
import { scanChunks } from "../../io/chunk-lines.ts";
import { systemClock } from "../../io/clock.ts";
import { identityOf, stampOf } from "../../io/file-stamp.ts";
import type { FileHandle, FileStat } from "../../io/file-system.ts";
import type { IndexCallOptions, IndexCounters } from "../session-index.ts";
import type { CatchUpTools } from "./catch-up-tools.ts";
import { EntryScanner } from "./entry-scanner.ts";
import { EntryWriter, OddFile } from "./entry-writer.ts";
import {
  emptySummary,
  type FileRow,
  findWithSnapshot,
  isFresh,
  newFileId,
  saveFile,
  saveSnapshot,
} from "./file-rows.ts";
import type { IndexDatabase } from "./index-database.ts";
import { writeWhole } from "./whole-writer.ts";

/** How many of the last known bytes are compared with the file before it is read on. */
const FINGERPRINT_BYTES = 64;

/** `size` of a row whose file has to be read whole: what the scanner made of it does not fit. */
export const DISTRUSTED = -2;

/** What is in the index at the start of a batch. */
interface Place {
  readonly row: FileRow | null;
  readonly tables: string | null;
  /** The file as it was just after the row was read. */
  readonly stat: FileStat;
}

/**
 * Brings the rows of one file up to date, batch by batch, each in one transaction. Another process may
 * do the same at the same time: every batch looks again at where the rows stand, and starts over from
 * there where that has changed, so both end with the same rows. Throws what the file system throws.
 */
export class FileCatchUp {
  readonly #tools: CatchUpTools;
  readonly #path: string;
  readonly #options: IndexCallOptions;

  constructor(tools: CatchUpTools, path: string, options: IndexCallOptions) {
    this.#tools = tools;
    this.#path = path;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { fileSystem } = this.#tools;
    const handle = await fileSystem.open(this.#path, "read");
    try {
      const odd = await this.#scan(handle);
      if (odd !== null) await this.#readWhole(odd);
    } finally {
      await handle.close();
    }
  }

  /** The file's state where it needs the whole reader, else null. */
  async #scan(handle: FileHandle): Promise<FileStat | null> {
    for (;;) {
      const place = await this.#place(handle);
      const { row, stat } = place;
      if (row !== null && isFresh(row, stampOf(stat))) return null;
      if (row?.size === DISTRUSTED) return stat;
      const scanner = scannerAt(place, this.#tools.counters);
      const end = await this.#readLines(handle, stat, scanner);
      if (scanner.odd !== null || scanner.header === null) return stat;
      const fingerprint = await this.#read(handle, scanner.known);
      const outcome = await this.#store({ place, scanner, stat, fingerprint, end });
      if (outcome === "odd") return stat;
      if (outcome === "done") return null;
    }
  }

  /** Where to go on: the row's end where the file has only grown behind it, else the beginning. */
  async #place(handle: FileHandle): Promise<Place> {
    const found = findWithSnapshot(this.#tools.database, this.#path);
    // After the row: a file that only grows is then never shorter than what another process has indexed.
    const stat = await this.#settled(handle, found?.row);
    if (found === undefined) return { row: null, tables: null, stat };
    const { row, tables } = found;
    if (isFresh(row, stampOf(stat))) return { row, tables, stat };
    const mayHaveGrown =
      row.sound &&
      row.identity === identityOf(stat) &&
      (stat.size > row.size || row.size === -1) &&
      stat.size >= row.known;
    if (!mayHaveGrown) return { row, tables: null, stat };
    const present = await this.#read(handle, row.known);
    const isSame = Buffer.compare(present, row.fingerprint) === 0;
    return { row, tables: isSame ? tables : null, stat };
  }

  /**
   * The state of a file that may be written right now: the system shows the new time of a write before
   * its new size, which would look like a rewrite in place.
   */
  async #settled(handle: FileHandle, row: FileRow | undefined): Promise<FileStat> {
    let stat = await handle.stat();
    for (let look = 0; look < 3; look++) {
      const isOdd = row?.size === stat.size && row.mtimeMs !== stat.mtimeMs;
      if (!isOdd) break;
      await systemClock.sleep(2);
      stat = await handle.stat();
    }
    return stat;
  }

  async #readLines(
    handle: FileHandle,
    stat: FileStat,
    scanner: EntryScanner,
  ): Promise<"all" | "more"> {
    const { signal, onProgress } = this.#options;
    const from = scanner.known;
    if (from >= stat.size) return "all";
    const report = (): void => onProgress?.(scanner.known, stat.size);
    const sink = {
      line: (bytes: Buffer, start: number) => scanner.line(bytes, start),
      range: (bytes: Buffer) => scanner.range(bytes),
      chunkEnd: () => {
        report();
        return scanner.chunkEnd();
      },
    };
    const { rest, read } = await scanChunks(handle, { from, to: stat.size, signal }, sink);
    this.#tools.counters.bytesRead += read;
    if (from + read < stat.size) return "more";
    scanner.finish(rest);
    report();
    return "all";
  }

  async #store(batch: Batch): Promise<"done" | "more" | "odd"> {
    const { database, kinds, isShared } = this.#tools;
    try {
      const work = (): "done" | "more" => this.#write(batch);
      return await (isShared === true
        ? database.shared(work)
        : database.transaction(work, this.#options.signal));
    } catch (error) {
      // Ids of dictionary rows that were taken back must not be used.
      kinds.forget();
      if (error instanceof OddFile) return "odd";
      throw error;
    }
  }

  #write({ place, scanner, stat, fingerprint, end }: Batch): "done" | "more" {
    const { database, kinds, counters } = this.#tools;
    const present = findWithSnapshot(database, this.#path);
    // Somebody else was here in between: look again.
    if (!isSamePlace(present?.row, place.row)) return "more";
    const isNew = place.tables === null;
    if (isNew && place.row !== null) database.forget(place.row.id);
    const header = scanner.header as SessionHeader;
    const row: FileRow = isNew
      ? newRow(database, this.#path, header)
      : (present as { row: FileRow }).row;
    const tables = isNew ? null : (present?.tables ?? null);
    if (isNew) saveFile(database, row);
    const writer = new EntryWriter({
      database,
      kinds,
      counters,
      header,
      prompt: scanner.prompt,
      row,
      tables,
    });
    for (const scanned of scanner.batch) writer.add(scanned);
    const written = writer.finish();
    const isDone = end === "all";
    saveFile(database, {
      ...written.row,
      identity: identityOf(stat),
      size: isDone ? stat.size : -1,
      mtimeMs: stat.mtimeMs,
      known: scanner.known,
      line: scanner.nextLine,
      fingerprint,
    });
    const text = JSON.stringify(written.snapshot);
    if (text !== tables) saveSnapshot(database, row, text);
    return isDone ? "done" : "more";
  }

  async #readWhole(stat: FileStat): Promise<void> {
    const { files } = this.#tools;
    await writeWhole(this.#tools, {
      path: this.#path,
      stat,
      read: () => files.readWhole(this.#path, this.#options.signal),
      signal: this.#options.signal,
    });
  }

  /** The last bytes before `position`. */
  async #read(handle: FileHandle, position: number): Promise<Uint8Array> {
    const length = Math.min(position, FINGERPRINT_BYTES);
    const buffer = Buffer.alloc(length);
    const read = await handle.read(buffer, position - length);
    this.#tools.counters.bytesRead += read;
    return buffer.subarray(0, read);
  }
}

interface Batch {
  readonly place: Place;
  readonly scanner: EntryScanner;
  readonly stat: FileStat;
  readonly fingerprint: Uint8Array;
  /** Whether the scan came to the end of the file. */
  readonly end: "all" | "more";
}

function scannerAt({ row, tables }: Omit<Place, "stat">, counters: IndexCounters): EntryScanner {
  const goesOn = row !== null && tables !== null && row.header !== null;
  if (!goesOn)
    return new EntryScanner({ header: null, known: 0, line: 1, wantsPrompt: true }, counters);
  const header = JSON.parse(row.header) as SessionHeader;
  const wantsPrompt = row.prompt === null;
  return new EntryScanner({ header, known: row.known, line: row.line, wantsPrompt }, counters);
}

function isSamePlace(a: FileRow | undefined, b: FileRow | null): boolean {
  if (a === undefined || b === null) return a === undefined && b === null;
  return a.id === b.id && a.known === b.known && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function newRow(database: IndexDatabase, path: string, header: SessionHeader): FileRow {
  return {
    id: newFileId(database),
    path,
    identity: "",
    size: -1,
    mtimeMs: 0,
    known: 0,
    line: 1,
    fingerprint: new Uint8Array(0),
    sound: true,
    reason: null,
    header: JSON.stringify(header),
    prompt: null,
    leafOrdinal: null,
    lastMessage: null,
    keyed: 0,
    rolled: 0,
    summary: emptySummary(path, header),
  };
}
