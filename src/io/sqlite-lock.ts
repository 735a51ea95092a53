import { DatabaseSync } from "node:sqlite";
import type { LockOwner } from "../errors.ts";
import { BranchlineError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import { throwIfAborted } from "./clock.ts";
import { sameFile } from "./file-identity.ts";
import type { FileIdentity, FileSystem } from "./file-system.ts";
import { hasErrno, ioFailed, refusesLinks } from "./io-failure.ts";
import {
  DEFAULT_LOCK_TIMEOUT_MS,
  NOTICE_INTERVAL_MS,
  retryInterval,
  YIELD_MS,
} from "./lock-wait.ts";
import { currentOwner, OwnerFile } from "./owner-file.ts";
import type { Random } from "./random.ts";
import type { AcquireOptions, LockState, SessionLock } from "./session-lock.ts";

const SQLITE_BUSY = 5;

/** Options of {@link SqliteLock}. */
export interface SqliteLockOptions {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  /** Real path of what is locked. The lock file is `<path>.lock`, the owner file `<path>.owner`. */
  readonly path: string;
  /** Default: this process. */
  readonly owner?: LockOwner;
}

/**
 * A {@link SessionLock} that the kernel holds: an exclusive SQLite transaction on an empty side file
 * (design §2). It is a POSIX lock, so NOTHING in this process may open the lock file: the close of any
 * other descriptor would drop it. Here it is only ever stat'ed and touched by path. The file is never
 * deleted; when somebody else does that, the identity check after each acquire notices it.
 *
 * Fairness: a waiter sets the lock file's time ("somebody waits"), at most every 100 ms; a holder sees
 * that the time has changed since it took the lock, gives way and stays away for at least 12 ms; the
 * longer a waiter waits, the more often it tries. No wait blocks the event loop.
 */
export class SqliteLock implements SessionLock {
  readonly #options: SqliteLockOptions;
  readonly #lockPath: string;
  readonly #ownerFile: OwnerFile;
  #database: DatabaseSync | undefined;
  #identity: FileIdentity = { dev: 0n, ino: 0n };
  /** The lock file's time when the lock was taken. No clock is compared, so a jump does no harm. */
  #timeAtAcquire = 0;
  #held = false;
  #closed = false;
  #trouble: unknown;

  constructor(options: SqliteLockOptions) {
    this.#options = options;
    this.#lockPath = `${options.path}.lock`;
    this.#ownerFile = new OwnerFile({
      fileSystem: options.fileSystem,
      path: `${options.path}.owner`,
      owner: options.owner ?? currentOwner(),
      random: options.random,
    });
  }

  get held(): boolean {
    return this.#held;
  }

  /** The last failure of an advisory step (owner file, notice to the holder), for diagnostics. */
  get trouble(): unknown {
    return this.#trouble ?? this.#ownerFile.trouble;
  }

  async acquire(options: AcquireOptions = {}): Promise<void> {
    const { clock, random } = this.#options;
    const timeoutMs = options.timeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    const start = clock.monotonic();
    let noticedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      throwIfAborted(options.signal);
      this.#assertOpen();
      if (await this.#try()) {
        if (options.named === true) await this.#ownerFile.settled();
        return;
      }
      const now = clock.monotonic();
      const waited = now - start;
      if (waited >= timeoutMs) throw await this.#busy(waited);
      if (now - noticedAt >= NOTICE_INTERVAL_MS) {
        noticedAt = now;
        await this.#noticeHolder();
      }
      const interval = Math.min(retryInterval(waited, random), timeoutMs - waited);
      await clock.sleep(interval, options.signal);
    }
  }

  async inspect(): Promise<LockState> {
    const present = await this.#options.fileSystem.lstat(this.#lockPath);
    if (!this.#held || present === undefined || !sameFile(present, this.#identity)) return "lost";
    return present.mtimeMs === this.#timeAtAcquire ? "quiet" : "contended";
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#database?.exec("ROLLBACK");
  }

  async yieldTo(): Promise<void> {
    this.release();
    await this.#options.clock.sleep(YIELD_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.release();
    this.#disconnect();
    await this.#ownerFile.remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One try. A lock file that was exchanged meanwhile is no refusal: the new one is tried at once. */
  async #try(): Promise<boolean> {
    if (this.#held) return true;
    const outcome = await this.#tryPresentFile();
    return outcome === "stale" ? (await this.#tryPresentFile()) === "taken" : outcome === "taken";
  }

  async #tryPresentFile(): Promise<"taken" | "busy" | "stale"> {
    const database = this.#database ?? (await this.#connect());
    this.#assertOpen();
    let failure: unknown;
    try {
      database.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      if (sqliteCode(cause) === SQLITE_BUSY) return "busy";
      // SQLite also fails when the file it has open is not the one at the path any more.
      failure = lockFailed(this.#lockPath, cause);
    }
    try {
      const present = await this.#options.fileSystem.lstat(this.#lockPath);
      this.#assertOpen();
      if (present === undefined || !sameFile(present, this.#identity)) return "stale";
      if (failure !== undefined) throw failure;
      this.#timeAtAcquire = present.mtimeMs;
      this.#held = true;
      this.#ownerFile.claim(() => this.#held);
      return "taken";
    } finally {
      if (!this.#held) this.#disconnect();
    }
  }

  async #connect(): Promise<DatabaseSync> {
    const { fileSystem } = this.#options;
    if ((await fileSystem.lstat(this.#lockPath)) === undefined) await this.#createLockFile();
    const present = await fileSystem.lstat(this.#lockPath);
    this.#assertOpen();
    if (present?.kind !== "file") {
      throw new BranchlineError(
        "FILE_UNSAFE",
        { path: this.#lockPath, reason: "the lock file is not a regular file" },
        {
          message: `${this.#lockPath} is not a regular file.`,
          hint: "Move away what stands there; the lock file is made anew.",
        },
      );
    }
    // Taken before SQLite opens the file: if it is exchanged in between, the check after the first
    // acquire sees two different identities.
    this.#identity = present;
    this.#database = connect(this.#lockPath);
    return this.#database;
  }

  /**
   * The file gets its mode under another name and is closed before it is linked to its own: an open
   * descriptor under the final name could drop the lock of another lock object in this process.
   */
  async #createLockFile(): Promise<void> {
    const { fileSystem, random } = this.#options;
    const token = Buffer.from(random.bytes(8)).toString("hex");
    const temporary = `${this.#lockPath}.${token}.tmp`;
    const handle = await fileSystem.open(temporary, "create");
    await handle.close();
    try {
      await fileSystem.link(temporary, this.#lockPath).catch(async (error: unknown) => {
        // Without hard links this has to do: the descriptor is gone before anybody else is likely there.
        if (!refusesLinks(error)) throw error;
        await (await fileSystem.open(this.#lockPath, "create")).close();
      });
    } catch (error) {
      if (!hasErrno(error, "EEXIST")) throw error;
    } finally {
      await fileSystem.removeFile(temporary);
    }
  }

  /** Advisory: without it the wait is only less fair, so a failure is kept and not thrown. */
  async #noticeHolder(): Promise<void> {
    const { fileSystem, clock } = this.#options;
    const now = clock.now();
    await fileSystem.setTimes(this.#lockPath, now, now).catch((error: unknown) => {
      this.#trouble = error;
    });
  }

  async #busy(waitedMs: number): Promise<BranchlineError<"STORE_BUSY">> {
    const owner = await this.#ownerFile.read();
    const who = owner === null ? "another process" : `${owner.command} (pid ${owner.pid})`;
    return new BranchlineError(
      "STORE_BUSY",
      { owner, waitedMs: Math.round(waitedMs) },
      {
        message: `${this.#options.path} is being written by ${who}.`,
        hint: "Wait and try again, read without writing, or end the other process.",
      },
    );
  }

  #disconnect(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #assertOpen(): void {
    if (!this.#closed) return;
    throw new BranchlineError("STORE_CLOSED", {}, { message: "The lock was closed." });
  }
}

function connect(path: string): DatabaseSync {
  try {
    // A timeout of 0: SQLite must never wait by itself, that would freeze the event loop.
    return new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    throw lockFailed(path, cause);
  }
}

function lockFailed(path: string, cause: unknown): BranchlineError<"IO_FAILED"> {
  return ioFailed({ operation: "lock", path }, `SQLITE_${sqliteCode(cause)}`, cause);
}

/** The primary result code; extended codes carry more in the higher bytes. */
function sqliteCode(cause: unknown): number {
  const known = cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number";
  return known ? Number(cause.errcode) & 0xff : 0;
}
