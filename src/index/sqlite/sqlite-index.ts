import { BranchlineError } from "../../errors.ts";
import { type Clock, systemClock } from "../../io/clock.ts";
import type { FileStamp } from "../../io/file-stamp.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { byActivity } from "../../store/summary.ts";
import type {
  IndexCallOptions,
  IndexCounters,
  IndexedSession,
  IndexedSummary,
  IndexListOptions,
  RefreshedList,
  RefreshOptions,
  RefreshReport,
  SessionIndex,
  UsageQuery,
  UsageRow,
} from "../session-index.ts";
import type { SessionFiles } from "../whole-session.ts";
import type { CatchUpTools } from "./catch-up-tools.ts";
import { DISTRUSTED, FileCatchUp } from "./file-catch-up.ts";
import { findFile, findWithSnapshot, isFresh, saveFile } from "./file-rows.ts";
import { IndexDatabase, type IndexExtension, isBusy } from "./index-database.ts";
import { Kinds } from "./kinds.ts";
import { countRows, listRows, usageRows } from "./list-query.ts";
import { OpenedSession } from "./opened-session.ts";
import { Refresh } from "./refresh.ts";
import { stampAt } from "./stamp-at.ts";

/** Options of {@link createSqliteIndex}. */
export interface SqliteIndexOptions {
  /** The database file, `index.db` of a data root by custom. Its folder is made where it is missing. */
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly files: SessionFiles;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /**
   * `stat` without waiting: 10,000 files are looked at in a tenth of the time. Default: the file
   * system's own, which is asked too where this does not tell.
   */
  readonly stampNow?: (path: string) => FileStamp | undefined;
  /** Further tables in the same database. */
  readonly extensions?: readonly IndexExtension[];
}

/** One connection and what belongs to it. */
export interface Connection {
  readonly database: IndexDatabase;
  readonly kinds: Kinds;
}

const NO_SESSIONS: RefreshReport = { sessions: 0, scannedBytes: 0, skipped: [], complete: false };

/** Makes an index; the database is opened by the first question. The caller closes it. */
export function createSqliteIndex(options: SqliteIndexOptions): SqliteIndex {
  return new SqliteIndex(options);
}

/**
 * The index in one SQLite database that several processes share. Whatever SQLite does not like about the
 * file, the file is removed and built anew, once; a second failure turns the index off (answers null).
 * A database that is only busy is left alone (F031, F032, F033).
 */
export class SqliteIndex implements SessionIndex {
  readonly counters: IndexCounters = {
    bytesRead: 0,
    headsRead: 0,
    linesParsed: 0,
    filesReadWhole: 0,
    rowsWritten: 0,
    rowsRead: 0,
    rebuilds: 0,
  };
  readonly #options: SqliteIndexOptions;
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<void>>();
  /** Given up, but sessions that were handed out may still read from them. */
  readonly #retired: IndexDatabase[] = [];
  #connection: Connection | null = null;
  #opening: Promise<Connection> | null = null;
  /** Its rows were found to be other than what was written. */
  #damaged: Connection | null = null;
  #off = false;

  constructor(options: SqliteIndexOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  session(path: string, options: IndexCallOptions = {}): Promise<IndexedSession | null> {
    return this.attempt((connection) => this.#session(connection, path, options), null);
  }

  refresh(roots: readonly string[], options: RefreshOptions = {}): Promise<RefreshReport> {
    return this.attempt(
      async (connection) => (await this.#refresh(connection, options)).run(roots),
      NO_SESSIONS,
    );
  }

  refreshedList(roots: readonly string[], options: RefreshOptions = {}): Promise<RefreshedList> {
    return this.attempt(
      async (connection) => {
        const rows: IndexedSummary[] = [];
        const refresh = await this.#refresh(connection, options, (row) => rows.push(row));
        const report = await refresh.run(roots);
        return { ...report, rows: rows.sort(byActivity) };
      },
      { ...NO_SESSIONS, rows: [] },
    );
  }

  list(options: IndexListOptions = {}): readonly IndexedSummary[] {
    return this.#ask((database) => listRows(database, options), []);
  }

  count(options: IndexListOptions = {}): number {
    return this.#ask((database) => countRows(database, options), 0);
  }

  usage(query: UsageQuery = {}): readonly UsageRow[] {
    return this.#ask((database) => usageRows(database, query), []);
  }

  async distrust(path: string): Promise<void> {
    await this.attempt(async ({ database }) => {
      await database.transaction(() => {
        const row = findFile(database, path);
        if (row !== undefined) saveFile(database, { ...row, size: DISTRUSTED, sound: false });
      });
      return null;
    }, null);
  }

  async close(): Promise<void> {
    this.#off = true;
    await Promise.allSettled(this.#running.values());
    await this.#opening?.catch(() => null);
    this.#connection?.database.close();
    this.#connection = null;
    for (const database of this.#retired.splice(0)) database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Runs `work` on the database; where that is in trouble, once more on a new one, and gives `otherwise`
   * where that fails too. Errors about session files and ABORTED pass through to `work`'s caller only
   * as far as the port promises.
   */
  async attempt<T>(work: (connection: Connection) => Promise<T>, otherwise: T): Promise<T> {
    if (this.#damaged !== null) await this.#discard(this.#damaged);
    this.#damaged = null;
    for (let turn = 0; turn < 2 && !this.#off; turn++) {
      let connection: Connection | null = null;
      try {
        connection = await this.#open();
        return await work(connection);
      } catch (error) {
        if (BranchlineError.is(error, "ABORTED")) throw error;
        const isAboutFile = connection !== null && BranchlineError.is(error);
        const isWell = isBusy(error) && (connection !== null || !(await this.#isEmptied()));
        if (isAboutFile || isWell) return otherwise;
        await this.#discard(connection);
      }
    }
    this.#off = true;
    return otherwise;
  }

  async #refresh(
    connection: Connection,
    options: RefreshOptions,
    onRow?: (row: IndexedSummary) => void,
  ): Promise<Refresh> {
    const live = await this.#present(connection);
    const { stampNow } = this.#options;
    const catchUp = (path: string, signal: AbortSignal | undefined): Promise<void> =>
      this.#catchUp({ ...live, isShared: true }, path, signal === undefined ? {} : { signal });
    return new Refresh({ ...this.#tools(live), stampNow, catchUp, onRow }, options);
  }

  async #session(
    connection: Connection,
    path: string,
    options: IndexCallOptions,
  ): Promise<IndexedSession | null> {
    const { database, kinds } = connection;
    const { stampNow, fileSystem } = this.#options;
    const stamp = await stampAt({ stampNow, fileSystem }, path);
    let found = findWithSnapshot(database, path);
    if (stamp === undefined) {
      const gone = found?.row.id;
      if (gone !== undefined) await database.transaction(() => database.forget(gone));
      return null;
    }
    if (found === undefined || !isFresh(found.row, stamp)) {
      await this.#catchUp(connection, path, options);
      found = findWithSnapshot(database, path);
    }
    if (found === undefined || found.row.reason !== null) return null;
    const { counters } = this;
    const onDamage = (): void => {
      this.#damaged = connection;
    };
    return new OpenedSession({ database, kinds, counters, ...found, onDamage });
  }

  /** One at a time a path: a second call waits for the first and then has little left to do. */
  async #catchUp(
    connection: Connection & { readonly isShared?: boolean },
    path: string,
    options: IndexCallOptions,
  ): Promise<void> {
    for (let before = this.#running.get(path); before !== undefined; ) {
      await before.catch(() => null);
      before = this.#running.get(path);
    }
    const running = new FileCatchUp(this.#tools(connection), path, options).run();
    this.#running.set(path, running);
    try {
      await running;
    } finally {
      this.#running.delete(path);
    }
  }

  #tools(connection: Connection & { readonly isShared?: boolean }): CatchUpTools {
    const { fileSystem, files } = this.#options;
    return { ...connection, counters: this.counters, fileSystem, files };
  }

  #ask<T>(question: (database: IndexDatabase) => T, otherwise: T): T {
    const connection = this.#connection;
    if (connection === null || this.#off) return otherwise;
    try {
      return question(connection.database);
    } catch {
      // The next call that may wait builds the database anew.
      this.#damaged = connection;
      return otherwise;
    }
  }

  /** The connection, or a new one where somebody has removed or replaced the database (F098). */
  async #present(connection: Connection): Promise<Connection> {
    if (await connection.database.isPresent()) return connection;
    this.#retire(connection);
    return this.#open();
  }

  async #open(): Promise<Connection> {
    if (this.#connection !== null) return this.#connection;
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect(): Promise<Connection> {
    const { path, fileSystem, extensions = [] } = this.#options;
    const clock = this.#clock;
    const database = await IndexDatabase.open({ path, fileSystem, clock, extensions });
    this.#connection = { database, kinds: new Kinds(database) };
    return this.#connection;
  }

  /** Somebody emptied the file while others have it open: they keep us from making the tables in it. */
  async #isEmptied(): Promise<boolean> {
    return (await this.#options.fileSystem.stat(this.#options.path))?.size === 0;
  }

  #retire(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#retired.push(connection.database);
  }

  async #discard(connection: Connection | null): Promise<void> {
    if (connection !== null && this.#connection !== connection) return;
    if (connection !== null) this.#retire(connection);
    this.counters.rebuilds++;
    const { path, fileSystem } = this.#options;
    await IndexDatabase.remove(fileSystem, path).catch(() => {
      // What cannot be removed cannot be opened either: the second try turns the index off.
    });
  }
}
