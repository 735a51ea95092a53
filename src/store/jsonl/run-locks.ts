import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { BranchlineError } from "../../errors.ts";
import type { FileSystem } from "../../io/file-system.ts";
import type { SessionLock } from "../../io/session-lock.ts";
import { runActive } from "../refusals.ts";
import type { RunLock, RunLockOptions } from "../store.ts";
import type { Environment } from "./environment.ts";

/** Ids that are a safe part of a file name in any file system, large and small letters being one. */
const PLAIN_ID = /^[a-z0-9]{1,64}$/;

/**
 * What a run lock's side files are named after: `<session file>.run-<branch>`, then `.lock` and
 * `.owner`. An id that is no safe name stands there as the beginning of its SHA-256.
 */
export function runLockPath(file: string, branch: string): string {
  const name = PLAIN_ID.test(branch)
    ? branch
    : `-${createHash("sha256").update(branch).digest("hex").slice(0, 32)}`;
  return `${file}.run-${name}`;
}

/**
 * Removes the lock files of a session that is gone from its path: that for writing, which the caller
 * holds, and those of runs.
 */
export async function removeLocks(fileSystem: FileSystem, file: string): Promise<void> {
  await fileSystem.removeFile(`${file}.lock`);
  const folder = dirname(file);
  if ((await fileSystem.stat(folder)) === undefined) return;
  const prefix = `${basename(file)}.run-`;
  const names = (await fileSystem.readDirectory(folder)).map(({ name }) => name);
  for (const name of names) {
    if (name.startsWith(prefix)) await fileSystem.removeFile(join(folder, name));
  }
}

/** The run locks that one handle holds (design.md §2 "Lock"), each held by the kernel like that for writing. */
export class RunLocks {
  readonly #env: Environment;
  readonly #locks = new Set<SessionLock>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Takes a branch of a session file, by its real path. Throws RUN_ACTIVE, ABORTED, STORE_CLOSED, IO_FAILED. */
  async take(file: string, branch: string, options: RunLockOptions = {}): Promise<RunLock> {
    const lock = this.#env.makeLock(runLockPath(file, branch));
    this.#locks.add(lock);
    const release = async (): Promise<void> => {
      this.#locks.delete(lock);
      await lock.close();
    };
    try {
      // A run lasts, and whoever is refused asks whose it is.
      await lock.acquire({ timeoutMs: 0, ...options, named: true });
    } catch (error) {
      await release();
      throw BranchlineError.is(error, "STORE_BUSY") ? runActive(branch, error.fields.owner) : error;
    }
    return { branch, release, [Symbol.asyncDispose]: release };
  }

  /** Frees all of them; waits that are under way end with STORE_CLOSED. */
  async close(): Promise<void> {
    const locks = [...this.#locks];
    this.#locks.clear();
    await Promise.all(locks.map((lock) => lock.close()));
  }
}
