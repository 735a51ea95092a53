import { hostname } from "node:os";
import { basename } from "node:path";
import type { LockOwner } from "../errors.ts";
import { sameFile } from "./file-identity.ts";
import type { FileStat, FileSystem } from "./file-system.ts";
import { publish } from "./publish.ts";
import type { Random } from "./random.ts";

const MAX_BYTES = 4096;

/**
 * This process, as written to owner files. The command is the program's and the script's file name
 * only: arguments may be private.
 */
export function currentOwner(): LockOwner {
  return {
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    host: hostname(),
    command: process.argv
      .slice(0, 2)
      .map((argument) => basename(argument))
      .join(" "),
  };
}

/** Options of {@link OwnerFile}. */
export interface OwnerFileOptions {
  readonly fileSystem: FileSystem;
  /** The session file's real path with `.owner` behind it. */
  readonly path: string;
  readonly owner: LockOwner;
  readonly random: Random;
}

/**
 * The advisory file that tells who holds a lock. It decides nothing, so it is not synced, its writing
 * is never waited for in a commit, and its failures stop nobody: they are kept in `trouble`.
 */
export class OwnerFile {
  readonly #options: OwnerFileOptions;
  #written: FileStat | undefined;
  #trouble: unknown;
  #line: Promise<void> = Promise.resolve();

  constructor(options: OwnerFileOptions) {
    this.#options = options;
  }

  /** The last failure, for diagnostics; undefined when there was none. */
  get trouble(): unknown {
    return this.#trouble;
  }

  /** Writes our name in the background, unless it still stands there or `wanted` says no by then. */
  claim(wanted: () => boolean): void {
    void this.#enqueue(async () => {
      if (!wanted() || (await this.#isOurs())) return;
      const { fileSystem, path, owner, random } = this.#options;
      this.#written = await publish(fileSystem, {
        path,
        content: Buffer.from(`${JSON.stringify(owner)}\n`),
        overwrite: "replace",
        durability: "process",
        random,
      });
    });
  }

  /** Who stands in the file; null when that cannot be told. */
  async read(): Promise<LockOwner | null> {
    const { fileSystem, path } = this.#options;
    try {
      const bytes = await fileSystem.readFile(path, { maxBytes: MAX_BYTES });
      const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
      return isLockOwner(value) ? value : null;
    } catch (error) {
      this.#trouble = error;
      return null;
    }
  }

  /** Resolves when what runs in the background has ended, whatever came of it. */
  settled(): Promise<void> {
    return this.#line;
  }

  /** Waits for what runs in the background, then removes the file if it is still ours. */
  remove(): Promise<void> {
    return this.#enqueue(async () => {
      if (await this.#isOurs()) await this.#options.fileSystem.removeFile(this.#options.path);
      this.#written = undefined;
    });
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#line = this.#line.then(work).catch((error: unknown) => {
      this.#trouble = error;
    });
    return this.#line;
  }

  /** Everybody publishes a new file, so identity and time tell whose it is without reading. */
  async #isOurs(): Promise<boolean> {
    const ours = this.#written;
    if (ours === undefined) return false;
    const present = await this.#options.fileSystem.lstat(this.#options.path);
    return present !== undefined && sameFile(present, ours) && present.mtimeMs === ours.mtimeMs;
  }
}

function isLockOwner(value: unknown): value is LockOwner {
  return (
    typeof value === "object" &&
    value !== null &&
    "pid" in value &&
    typeof value.pid === "number" &&
    "startedAt" in value &&
    typeof value.startedAt === "number" &&
    "host" in value &&
    typeof value.host === "string" &&
    "command" in value &&
    typeof value.command === "string"
  );
}
