import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Clock } from "../../io/clock.ts";
import { sameFile } from "../../io/file-identity.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { ioFailed } from "../../io/io-failure.ts";
import type { Leaning } from "../session-index.ts";
import { FILE_TABLES, ROW_SPAN, SCHEMA, SCHEMA_VERSION } from "./index-schema.ts";

/** A value that a row gives back. */
export type Cell = null | number | bigint | string | Uint8Array;
/** One row, its columns in the order of the SELECT. */
export type Row = readonly Cell[];

/** Tables of a further part of the index (the full text), kept in the same database. */
export interface IndexExtension {
  /** CREATE statements, run once on an empty database. */
  readonly schema: string;
  /** Called inside the transaction that removes a file's rows, before `entry` loses them. */
  forget(database: IndexDatabase, file: number): void;
}

/** What {@link IndexDatabase.open} needs. */
export interface IndexDatabaseOptions {
  /** The database file. Its folder is made; the file and its `-wal` and `-shm` have mode 0600. */
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly extensions?: readonly IndexExtension[];
}

/** A work that waits for the next shared transaction; what it gives back is called after the commit. */
interface WaitingWork {
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** SQLite's result codes for "another connection writes". */
const BUSY_CODES: ReadonlySet<number> = new Set([5, 6]);
/** Longest wait for another process's transaction, in ms. */
const BUSY_WAIT_MS = 5000;
/** The same for another process that just makes the database. */
const OPEN_WAIT_MS = 1000;

/** True where another process holds the write lock: the database is well, only busy (F031). */
export function isBusy(error: unknown): boolean {
  const known = error instanceof Error && "errcode" in error && typeof error.errcode === "number";
  return known && BUSY_CODES.has(Number(error.errcode) & 0xff);
}

/**
 * One connection to the index: opening, statements, transactions. Shared by everything that keeps
 * tables in the index: `sqlite-index.ts` (files, entries, roll-ups) and the full text, which brings its
 * tables as an {@link IndexExtension} and reads `entry` (schema and rowids: `index-schema.ts`).
 * Statements are synchronous and short; only waiting for other processes is not. Errors of SQLite pass
 * through: whoever owns the index decides to rebuild. The owner closes it.
 */
export class IndexDatabase {
  readonly path: string;
  readonly #options: IndexDatabaseOptions;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #leaning = new Map<number, readonly WeakRef<Leaning>[]>();
  #waiting: WaitingWork[] = [];
  #closed = false;
  #forgets = 0;

  private constructor(options: IndexDatabaseOptions, database: DatabaseSync) {
    this.path = options.path;
    this.#options = options;
    this.#database = database;
  }

  /** Opens the database, makes it where none is, and throws where it is not one that we can use. */
  static async open(options: IndexDatabaseOptions): Promise<IndexDatabase> {
    const { path, fileSystem } = options;
    await makeFile(fileSystem, path);
    const database = new DatabaseSync(path, { timeout: 50 });
    try {
      const opened = new IndexDatabase(options, database);
      await opened.#prepare();
      return opened;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Removes the database and what belongs to it. Connections that are still open read on. */
  static async remove(fileSystem: FileSystem, path: string): Promise<void> {
    for (const suffix of ["", "-wal", "-shm", "-journal"])
      await fileSystem.removeFile(path + suffix);
  }

  /** Ms since the epoch, by the clock of the index. */
  get now(): number {
    return this.#options.clock.now();
  }

  /** How often this connection has removed a file's rows. */
  get forgets(): number {
    return this.#forgets;
  }

  /** Ms that never go back, by the clock of the index. */
  get monotonic(): number {
    return this.#options.clock.monotonic();
  }

  /** True once it was closed. */
  get closed(): boolean {
    return this.#closed;
  }

  /** A prepared statement, made once; rows come as arrays. */
  statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    made.setReturnArrays(true);
    this.#statements.set(sql, made);
    return made;
  }

  /** The first row of a SELECT, or undefined. */
  row(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.statement(sql).get(...values) as Row | undefined;
  }

  /** All rows of a SELECT. */
  rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.statement(sql).all(...values) as unknown as readonly Row[];
  }

  /** Runs a statement that changes rows. */
  run(sql: string, ...values: readonly SQLInputValue[]): void {
    this.statement(sql).run(...values);
  }

  /**
   * Runs `work`, which is synchronous, in one write transaction; a throw takes it back. Waits without
   * blocking the event loop while another process writes; gives up with SQLite's own error after 5 s.
   */
  async transaction<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    const { clock } = this.#options;
    const until = clock.monotonic() + BUSY_WAIT_MS;
    for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
      try {
        this.#database.exec("BEGIN IMMEDIATE");
        break;
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() > until) throw error;
      }
      await clock.sleep(wait, signal);
    }
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * Like {@link IndexDatabase.transaction}, but works that wait at the same time share one transaction: a
   * refresh of many small files pays for few commits. A throw takes back its own work only.
   */
  shared<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({
      run: () => {
        const result = work();
        return () => resolve(result);
      },
      reject,
    });
    if (this.#waiting.length === 1) setImmediate(() => this.#runWaiting());
    return promise;
  }

  /** Tells who leans on the rows of a file before this connection removes them; holds it weakly. */
  onForget(file: number, leaning: Leaning): void {
    const known = this.#leaning.get(file) ?? [];
    this.#leaning.set(file, [...known.filter((one) => one.deref()), new WeakRef(leaning)]);
  }

  /** Removes every row of a file; called inside a transaction. */
  forget(file: number): void {
    this.#forgets++;
    for (const leaning of this.#leaning.get(file) ?? []) {
      try {
        leaning.deref()?.keep();
      } catch {
        // The rows are damaged: whoever leaned on them finds them gone and reads the file.
      }
    }
    this.#leaning.delete(file);
    for (const extension of this.#options.extensions ?? []) extension.forget(this, file);
    const first = file * ROW_SPAN;
    for (const table of ["entry", "run"]) {
      this.run(`DELETE FROM ${table} WHERE rowid BETWEEN ? AND ?`, first, first + ROW_SPAN - 1);
    }
    for (const table of FILE_TABLES) this.run(`DELETE FROM ${table} WHERE file = ?`, file);
    this.run("DELETE FROM file WHERE id = ?", file);
  }

  /** True where the file at the path is still the one that this connection has open, and not emptied. */
  async isPresent(): Promise<boolean> {
    const present = await this.#options.fileSystem.stat(this.path);
    const opened = this.#identity;
    if (present === undefined || opened === undefined) return false;
    return sameFile(present, opened) && present.size > 0;
  }

  /** Closes the connection; more calls do nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#database.close();
  }

  #identity: { readonly dev: bigint; readonly ino: bigint } | undefined;

  async #prepare(): Promise<void> {
    const database = this.#database;
    database.exec(
      "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384",
    );
    this.#identity = await this.#options.fileSystem.stat(this.path);
    if (this.#version() === SCHEMA_VERSION) return;
    // Cannot be changed inside the transaction; where the file system has no WAL, it just stays off (F033).
    await this.#patiently(() => database.exec("PRAGMA journal_mode = WAL"));
    await this.transaction(() => {
      const version = this.#version();
      if (version === SCHEMA_VERSION) return;
      const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get();
      if (version !== 0 || tables?.n !== 0)
        throw ioFailed({ operation: "index", path: this.path }, "SQLITE_SCHEMA");
      database.exec(SCHEMA);
      for (const { schema } of this.#options.extensions ?? []) database.exec(schema);
      database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    });
  }

  async #runWaiting(): Promise<void> {
    const works = this.#waiting.splice(0);
    try {
      const settled = await this.transaction(() => works.map((work) => this.#runOne(work)));
      for (const settle of settled) settle();
    } catch (error) {
      for (const { reject } of works) reject(error);
    }
  }

  #runOne({ run, reject }: WaitingWork): () => void {
    this.#database.exec("SAVEPOINT work");
    try {
      const settle = run();
      this.#database.exec("RELEASE work");
      return settle;
    } catch (error) {
      // Some errors end the whole transaction; then there is nothing left to take back.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec("ROLLBACK TO work; RELEASE work");
      return () => reject(error);
    }
  }

  async #patiently(work: () => void): Promise<void> {
    const { clock } = this.#options;
    const until = clock.monotonic() + OPEN_WAIT_MS;
    for (;;) {
      try {
        work();
        return;
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() > until) throw error;
      }
      await clock.sleep(10);
    }
  }

  #version(): number {
    return Number(this.#database.prepare("PRAGMA user_version").get()?.user_version);
  }
}

/** SQLite gives `-wal` and `-shm` the mode of the database, so this one decides (P10). */
async function makeFile(fileSystem: FileSystem, path: string): Promise<void> {
  const present = await fileSystem.stat(path);
  if (present !== undefined) return;
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (slash > 0) await fileSystem.makeDirectory(path.slice(0, slash));
  try {
    await (await fileSystem.open(path, "create")).close();
  } catch (error) {
    if ((await fileSystem.stat(path)) === undefined) throw error;
  }
}
