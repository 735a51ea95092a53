import { BranchlineError } from "../../errors.ts";
import { throwIfAborted } from "../../io/clock.ts";
import type { FileStat } from "../../io/file-system.ts";
import type { RefreshOptions, RefreshReport } from "../session-index.ts";
import type { CatchUpTools } from "./catch-up-tools.ts";
import { identityOf } from "./file-rows.ts";
import { isBusy } from "./index-database.ts";
import { below } from "./list-query.ts";
import { statOf } from "./stat-of.ts";

/** How many files are read at the same time; their transactions are shared. */
const READERS = 16;

/** Everything a refresh needs. */
export interface RefreshTools extends CatchUpTools {
  /** What stands at a path, at once where the machine can; see the options of the index. */
  readonly statNow: ((path: string) => FileStat | undefined) | undefined;
  /** Catches a file up, one at a time a path. */
  readonly catchUp: (path: string, signal: AbortSignal | undefined) => Promise<void>;
}

interface Fresh {
  readonly id: number;
  readonly identity: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly reason: string | null;
}

/** One refresh of the rows below some roots. */
export class Refresh {
  readonly #tools: RefreshTools;
  readonly #options: RefreshOptions;
  readonly #skipped: { readonly path: string; readonly reason: string }[] = [];
  readonly #kept: string[] = [];
  readonly #rows = new Map<string, Fresh>();
  #sessions = 0;

  constructor(tools: RefreshTools, options: RefreshOptions) {
    this.#tools = tools;
    this.#options = options;
  }

  async run(roots: readonly string[]): Promise<RefreshReport> {
    const { counters } = this.#tools;
    const before = counters.bytesRead;
    const folders: string[] = [];
    for (const root of roots) folders.push(await this.#realRoot(root));
    this.#loadRows(folders);
    const stale: string[] = [];
    let total = 0;
    for (const root of roots) {
      for await (const { path, skipped, failure } of this.#tools.files.walk(root)) {
        throwIfAborted(this.#options.signal);
        total++;
        if (skipped === null) await this.#look(path, stale);
        else {
          this.#skipped.push({ path, reason: skipped });
          if (failure !== undefined) this.#kept.push(path);
        }
      }
    }
    await this.#catchUp(stale, total);
    await this.#removeGone();
    const scannedBytes = counters.bytesRead - before;
    return { sessions: this.#sessions, scannedBytes, skipped: this.#skipped, complete: true };
  }

  async #realRoot(root: string): Promise<string> {
    const { fileSystem } = this.#tools;
    return (await fileSystem.stat(root)) === undefined ? root : fileSystem.realpath(root);
  }

  #loadRows(folders: readonly string[]): void {
    const { sql, values } = below(folders);
    const select = "SELECT path, id, identity, size, mtime, reason FROM file";
    for (const row of this.#tools.database.rows(`${select} WHERE ${sql}`, ...values)) {
      const [path, id, identity, size, mtimeMs, reason] = row as unknown as FreshCells;
      this.#rows.set(path, { id, identity, size, mtimeMs, reason });
    }
  }

  /** Files that are not looked at any more stay in `#rows`: they are gone. */
  async #look(path: string, stale: string[]): Promise<void> {
    const row = this.#rows.get(path);
    this.#rows.delete(path);
    if (row === undefined) {
      stale.push(path);
      return;
    }
    const stat = await statOf(this.#tools, path);
    const isFresh =
      stat !== undefined &&
      stat.size === row.size &&
      stat.mtimeMs === row.mtimeMs &&
      identityOf(stat) === row.identity;
    if (!isFresh) stale.push(path);
    else this.#count(path, row.reason);
  }

  #count(path: string, reason: string | null): void {
    if (reason === null) this.#sessions++;
    else this.#skipped.push({ path, reason });
  }

  async #catchUp(stale: readonly string[], total: number): Promise<void> {
    const { onProgress } = this.#options;
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
    throwIfAborted(signal);
    try {
      await catchUp(path, signal);
    } catch (error) {
      const isAboutFile = BranchlineError.is(error) && error.code !== "ABORTED";
      if (!isAboutFile && !isBusy(error)) throw error;
      this.#skipped.push({ path, reason: (error as Error).message });
      return;
    }
    const row = database.row("SELECT reason FROM file WHERE path = ?", path);
    if (row !== undefined) this.#count(path, row[0] as string | null);
  }

  async #removeGone(): Promise<void> {
    const gone = [...this.#rows].filter(
      ([path]) => !this.#kept.some((kept) => path === kept || path.startsWith(`${kept}/`)),
    );
    if (gone.length === 0) return;
    const { database } = this.#tools;
    await database.transaction(() => {
      for (const [, { id }] of gone) database.forget(id);
    }, this.#options.signal);
  }
}

type FreshCells = readonly [string, number, string, number, number, string | null];
