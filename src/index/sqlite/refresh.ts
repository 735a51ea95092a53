import { BranchlineError } from "../../errors.ts";
import { throwIfAborted } from "../../io/clock.ts";
import type { FileStamp } from "../../io/file-stamp.ts";
import { LoopTurns } from "../../io/loop-turns.ts";
import type { IndexedSummary, RefreshOptions, RefreshReport } from "../session-index.ts";
import type { CatchUpTools } from "./catch-up-tools.ts";
import { isFresh, SUMMARY_COLUMNS, toSummary } from "./file-rows.ts";
import type { Row } from "./index-database.ts";
import { rangeBelow } from "./list-query.ts";
import { DamagedRow } from "./seal.ts";
import { quickStamp, stampAt } from "./stamp-at.ts";

/** How many files are read at the same time; their transactions are shared. */
const READERS = 16;
/** Rows that are compared with their files in one go: about 2 ms. */
const PAGE_ROWS = 256;
/** How often a file is caught up of which another process removes or begins the row again meanwhile. */
const LOOKS = 3;

/** Everything a refresh needs. */
export interface RefreshTools extends CatchUpTools {
  /** See the options of the index. */
  readonly stampNow: ((path: string) => FileStamp | undefined) | undefined;
  /** Catches a file up, one at a time a path. */
  readonly catchUp: (path: string, signal: AbortSignal | undefined) => Promise<void>;
  /** Takes the row of each session that was found, once it is up to date; in any order. */
  readonly onRow: ((row: IndexedSummary) => void) | undefined;
}

/** A row of the index without a file that was found. */
interface Gone {
  readonly id: number;
  readonly path: string;
}

/** One refresh of the rows below some roots: what a walk finds is compared with the rows, page by page. */
export class Refresh {
  readonly #tools: RefreshTools;
  readonly #options: RefreshOptions;
  /** The summary is only read where somebody takes it. */
  readonly #select: string;
  readonly #skipped: { readonly path: string; readonly reason: string }[] = [];
  readonly #kept: string[] = [];
  /** Files that were not compared with a row yet; in the end those that have none. */
  readonly #found = new Set<string>();
  readonly #stale: string[] = [];
  readonly #gone: Gone[] = [];
  readonly #turns = new LoopTurns();
  #sessions = 0;
  #isComplete = true;

  constructor(tools: RefreshTools, options: RefreshOptions) {
    this.#tools = tools;
    this.#options = options;
    const summary = tools.onRow === undefined ? "NULL, NULL" : SUMMARY_COLUMNS;
    this.#select = `SELECT ${summary}, path, id, size, mtime, identity, reason FROM file`;
  }

  async run(roots: readonly string[]): Promise<RefreshReport> {
    const { counters, database } = this.#tools;
    const before = counters.bytesRead;
    const folders: string[] = [];
    for (const root of roots) folders.push(await this.#realRoot(root));
    // Whatever others add from now on is none of what the walk should find.
    const newest = Number(database.row("SELECT max(id) FROM file")?.[0]);
    for (const root of roots) await this.#walk(root);
    const total = this.#found.size + this.#skipped.length;
    for (const folder of outermost(folders)) await this.#compare(folder, newest);
    for (const path of this.#found) this.#stale.push(path);
    await this.#catchUp(total);
    await this.#removeGone();
    const scannedBytes = counters.bytesRead - before;
    return {
      sessions: this.#sessions,
      scannedBytes,
      skipped: this.#skipped,
      complete: this.#isComplete,
    };
  }

  async #realRoot(root: string): Promise<string> {
    const { fileSystem } = this.#tools;
    return (await fileSystem.stat(root)) === undefined ? root : fileSystem.realpath(root);
  }

  async #walk(root: string): Promise<void> {
    for await (const { files, skipped } of this.#tools.files.walk(root)) {
      throwIfAborted(this.#options.signal);
      for (const path of files) this.#found.add(path);
      for (const { path, reason, failure } of skipped) {
        this.#skipped.push({ path, reason });
        if (failure !== undefined) this.#kept.push(path);
      }
    }
  }

  /** Page by page, so that timers and sockets get their turn and few rows are held at a time. */
  async #compare(folder: string, newest: number): Promise<void> {
    const { database } = this.#tools;
    const [first, end] = rangeBelow(folder);
    const sql = `${this.#select} WHERE path > ? AND path < ? ORDER BY path LIMIT ${PAGE_ROWS}`;
    for (let after = first; ; ) {
      if (this.#turns.isDue) await this.#turns.take();
      throwIfAborted(this.#options.signal);
      const rows = database.rows(sql, after, end);
      for (const row of rows) {
        const path = row[2] as string;
        const id = row[3] as number;
        if (this.#found.delete(path)) {
          const present = quickStamp(this.#tools, path) ?? (await stampAt(this.#tools, path));
          if (present !== undefined && isFresh(stampIn(row), present)) this.#count(row);
          else this.#stale.push(path);
        } else if (id <= newest) this.#gone.push({ id, path });
      }
      if (rows.length < PAGE_ROWS) return;
      after = laterThan(after, rows.at(-1)?.[2] as string);
    }
  }

  #count(row: Row): void {
    const { onRow } = this.#tools;
    const reason = row[7] as string | null;
    // Also of what is no session: this shows whether the row is what was written.
    const summary = onRow && toSummary(row);
    if (reason !== null) this.#skipped.push({ path: row[2] as string, reason });
    else {
      this.#sessions++;
      if (summary !== undefined) onRow?.(summary);
    }
  }

  async #catchUp(total: number): Promise<void> {
    const { onProgress } = this.#options;
    const stale = this.#stale;
    let next = 0;
    let done = total - stale.length;
    onProgress?.(done, total);
    const reader = async (): Promise<void> => {
      for (let path = stale[next++]; path !== undefined; path = stale[next++]) {
        await this.#catchUpOne(path);
        done++;
        onProgress?.(done, total);
      }
    };
    const readers = Array.from({ length: READERS }, reader);
    const ended = await Promise.allSettled(readers);
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }

  async #catchUpOne(path: string): Promise<void> {
    const { database, catchUp } = this.#tools;
    const { signal } = this.#options;
    for (let look = 0; look < LOOKS; look++) {
      throwIfAborted(signal);
      try {
        await catchUp(path, signal);
      } catch (error) {
        if (!BranchlineError.is(error) || error.code === "ABORTED") throw error;
        this.#skipped.push({ path, reason: error.message });
        return;
      }
      const row = database.row(`${this.#select} WHERE path = ? AND size >= 0`, path);
      if (row !== undefined) {
        this.#count(row);
        return;
      }
    }
    this.#isComplete = false;
  }

  async #removeGone(): Promise<void> {
    const gone = this.#gone.filter(
      ({ path }) => !this.#kept.some((kept) => path === kept || path.startsWith(`${kept}/`)),
    );
    if (gone.length === 0) return;
    const { database } = this.#tools;
    await database.transaction(() => {
      for (const { id } of gone) database.forget(id);
    }, this.#options.signal);
  }
}

/** Folders that lie in none of the others. */
function outermost(folders: readonly string[]): readonly string[] {
  const isInside = (folder: string, other: string): boolean => {
    const [after, before] = rangeBelow(other);
    return folder > after && folder < before;
  };
  return [...new Set(folders)].filter((one) => !folders.some((other) => isInside(one, other)));
}

/** The path to go on behind. A damaged database, whose paths do not ascend, must not be read for ever. */
function laterThan(before: string, path: string): string {
  if (Buffer.compare(Buffer.from(before), Buffer.from(path)) < 0) return path;
  throw new DamagedRow("paths are out of order");
}

function stampIn(row: Row): FileStamp {
  return { size: row[4] as number, mtimeMs: row[5] as number, identity: row[6] as string };
}
