import type { BigIntStats, Dirent } from "node:fs";
import * as native from "node:fs";
import {
  constants,
  fdatasyncSync,
  fstatSync,
  lstatSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { BranchlineError } from "../errors.ts";
import { monotonicNow } from "./clock.ts";
import type {
  DirectoryEntry,
  FileHandle,
  FileKind,
  FileStat,
  FileSystem,
  OpenMode,
  ReadFileOptions,
} from "./file-system.ts";
import { errnoOf, ioFailed } from "./io-failure.ts";
import { LoopTurns } from "./loop-turns.ts";
import { OpenFile } from "./open-file.ts";
import { SyncPace } from "./sync-pace.ts";

// Not of `node:fs/promises`, see OpenFile.
const link = promisify(native.link);
const lutimes = promisify(native.lutimes);
const mkdir = promisify(native.mkdir);
const readdir = promisify(native.readdir);
const rename = promisify(native.rename);
const unlink = promisify(native.unlink);

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/**
 * O_NOFOLLOW and O_NONBLOCK keep links and FIFOs from doing harm before `fstat` has seen what was
 * opened (reliability §3 rows 46–49). Windows has neither; undefined counts as 0 in a bit operation.
 */
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY | SAFE,
  append: constants.O_RDWR | constants.O_APPEND | SAFE,
  create: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | SAFE,
};

/** What `open` itself says to a link, a socket and a directory. */
const UNSAFE_ERRNOS: ReadonlySet<string> = new Set(["ELOOP", "ENXIO", "EISDIR"]);
const ABSENT_ERRNOS: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);
/** Windows cannot sync a directory; there the file system's own journal has to do. */
const NO_DIRECTORY_SYNC: ReadonlySet<string> = new Set(["EPERM", "EISDIR", "EINVAL"]);

/**
 * Up to these sizes a read or write is made in place, as every open and stat is: the page cache answers in a few
 * µs, where a way through the thread pool takes some dozens, five of them for each append (T4, T5). What
 * waits for the disk itself (truncate, whatever is larger) goes through the pool, and so does a sync
 * unless the disk is quick ({@link SyncPace}).
 */
const IN_PLACE_READ_BYTES = 64 * 1024;
const IN_PLACE_WRITE_BYTES = 1024 * 1024;
/** A folder of some thousand names, 2 ms: a list reads hundreds of folders with a few files each (T8). */
const IN_PLACE_DIRECTORY_BYTES = 128 * 1024;
const BY_TYPE = { withFileTypes: true } as const;

const turns = new LoopTurns();

/** Options of {@link createNodeFileSystem}. */
export interface NodeFileSystemOptions {
  /** Default: the platform of this process. */
  readonly platform?: NodeJS.Platform;
  /**
   * Syncs of a file are made in place, without the thread pool, while they take no longer than this, in
   * ms; the event loop stands still meanwhile. Default 1; 0 = never in place.
   */
  readonly slowSyncMs?: number;
}

/**
 * The real file system. Holds nothing that needs closing. Small calls are made in place (see
 * {@link IN_PLACE_READ_BYTES}); in a long row of them timers and sockets still get their turn.
 */
export function createNodeFileSystem(options: NodeFileSystemOptions = {}): FileSystem {
  const windows = (options.platform ?? process.platform) === "win32";
  return {
    open: (path, mode) => openSafely(path, mode, options.slowSyncMs ?? 1),
    stat: (path) => statOrAbsent("stat", path, statSync),
    lstat: (path) => statOrAbsent("lstat", path, lstatSync),
    realpath: (path) => inPlace("realpath", path, () => realpathSync.native(path)),
    readDirectory,
    makeDirectory,
    rename: (from, to) => attempt("rename", to, rename(from, to)),
    link: (existing, path) => attempt("link", path, link(existing, path)),
    removeFile,
    syncDirectory: (path) => syncDirectory(path, windows ? NO_DIRECTORY_SYNC : new Set()),
    setTimes: (path, atimeMs, mtimeMs) =>
      attempt("setTimes", path, lutimes(path, atimeMs / 1000, mtimeMs / 1000)),
    readFile,
  };
}

/**
 * Level by level and not with Node's `recursive`, which never ends where a folder cannot be made in one
 * that exists (ENOENT below /proc).
 */
async function makeDirectory(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  let folder = path;
  for (; (await kindAt(folder)) === undefined; folder = dirname(folder)) missing.push(folder);
  if ((await kindAt(folder)) !== "directory") {
    throw ioFailed({ operation: "makeDirectory", path: folder }, "ENOTDIR");
  }
  for (const next of missing.toReversed()) {
    await attempt("makeDirectory", next, mkdir(next, { mode: DIRECTORY_MODE })).catch(
      async (error: unknown) => {
        // Another process may have made it in the meantime.
        if ((await kindAt(next)) !== "directory") throw error;
      },
    );
  }
  return missing.at(-1);
}

async function kindAt(path: string): Promise<FileKind | undefined> {
  return (await statOrAbsent("makeDirectory", path, statSync))?.kind;
}

async function attempt<T>(operation: string, path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw ioFailed({ operation, path }, errnoOf(cause), cause);
  }
}

/** Makes a small call in place, once the event loop has had its turn. */
function inPlace<T>(operation: string, path: string, call: () => T): Promise<T> {
  if (turns.isDue) return turns.take().then(() => inPlace(operation, path, call));
  try {
    return Promise.resolve(call());
  } catch (cause) {
    return Promise.reject(ioFailed({ operation, path }, errnoOf(cause), cause));
  }
}

async function openSafely(path: string, mode: OpenMode, slowSyncMs: number): Promise<FileHandle> {
  let opened: OpenFile;
  if (turns.isDue) await turns.take();
  try {
    opened = new OpenFile(path, FLAGS[mode], FILE_MODE);
  } catch (cause) {
    const errno = errnoOf(cause);
    if (UNSAFE_ERRNOS.has(errno)) throw unsafe(path, `not a regular file (${errno})`, cause);
    throw ioFailed({ operation: "open", path }, errno, cause);
  }
  const handle = new NodeFileHandle(opened, path, new SyncPace(slowSyncMs));
  try {
    const { kind } = await handle.stat();
    if (kind !== "file") throw unsafe(path, `not a regular file (${kind})`);
    return handle;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function unsafe(path: string, reason: string, cause?: unknown): BranchlineError<"FILE_UNSAFE"> {
  return new BranchlineError(
    "FILE_UNSAFE",
    { path, reason },
    { message: `${path}: ${reason}`, hint: "Name a regular file.", cause },
  );
}

class NodeFileHandle implements FileHandle {
  readonly #handle: OpenFile;
  readonly #path: string;
  readonly #pace: SyncPace;

  constructor(handle: OpenFile, path: string, pace: SyncPace) {
    this.#handle = handle;
    this.#path = path;
    this.#pace = pace;
  }

  read(buffer: Uint8Array, position: number): Promise<number> {
    const { byteLength } = buffer;
    if (byteLength > IN_PLACE_READ_BYTES) return this.#readLarge(buffer, position);
    const call = (): number => readSync(this.#handle.fd, buffer, 0, byteLength, position);
    return inPlace("read", this.#path, call);
  }

  write(bytes: Uint8Array): Promise<number> {
    if (bytes.byteLength > IN_PLACE_WRITE_BYTES) return this.#writeLarge(bytes);
    return inPlace("write", this.#path, () => writeSync(this.#handle.fd, bytes));
  }

  async datasync(): Promise<void> {
    const since = monotonicNow();
    if (this.#pace.isQuick)
      await inPlace("datasync", this.#path, () => fdatasyncSync(this.#handle.fd));
    else await attempt("datasync", this.#path, this.#handle.datasync());
    this.#pace.took(monotonicNow() - since);
  }

  sync(): Promise<void> {
    return attempt("sync", this.#path, this.#handle.sync());
  }

  truncate(length: number): Promise<void> {
    return attempt("truncate", this.#path, this.#handle.truncate(length));
  }

  stat(): Promise<FileStat> {
    const call = (): FileStat => toFileStat(fstatSync(this.#handle.fd, { bigint: true }));
    return inPlace("stat", this.#path, call);
  }

  close(): Promise<void> {
    return attempt("close", this.#path, this.#handle.close());
  }

  #readLarge(buffer: Uint8Array, position: number): Promise<number> {
    return attempt("read", this.#path, this.#handle.read(buffer, position));
  }

  #writeLarge(bytes: Uint8Array): Promise<number> {
    return attempt("write", this.#path, this.#handle.write(bytes));
  }
}

type NativeStat = (
  path: string,
  options: { readonly bigint: true; readonly throwIfNoEntry: false },
) => BigIntStats | undefined;

function statOrAbsent(
  operation: string,
  path: string,
  native: NativeStat,
): Promise<FileStat | undefined> {
  return inPlace(operation, path, () => {
    const stats = native(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : toFileStat(stats);
  });
}

function toFileStat(stats: BigIntStats): FileStat {
  return {
    kind: kindOf(stats),
    dev: stats.dev,
    ino: stats.ino,
    size: Number(stats.size),
    mtimeMs: toMs(stats.mtimeNs),
    mode: Number(stats.mode) & 0o777,
    links: Number(stats.nlink),
  };
}

/** As Node itself makes a number of a time, so that one that is asked for in numbers is the same. */
function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000_000n) * 1000 + Number(nanoseconds % 1_000_000_000n) / 1e6;
}

function kindOf(stats: BigIntStats | Dirent): FileKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "other";
}

async function readDirectory(path: string): Promise<readonly DirectoryEntry[]> {
  const { size = 0 } = (await statOrAbsent("readDirectory", path, statSync)) ?? {};
  const isSmall = size <= IN_PLACE_DIRECTORY_BYTES;
  const found = isSmall
    ? await inPlace("readDirectory", path, () => native.readdirSync(path, BY_TYPE))
    : await attempt("readDirectory", path, readdir(path, BY_TYPE));
  return found
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}

async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (cause) {
    const errno = errnoOf(cause);
    if (ABSENT_ERRNOS.has(errno)) return false;
    throw ioFailed({ operation: "removeFile", path }, errno, cause);
  }
}

async function syncDirectory(path: string, tolerated: ReadonlySet<string>): Promise<void> {
  try {
    const directory = new OpenFile(path, constants.O_RDONLY, FILE_MODE);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (cause) {
    const errno = errnoOf(cause);
    if (!tolerated.has(errno)) throw ioFailed({ operation: "syncDirectory", path }, errno, cause);
  }
}

async function readFile(path: string, options: ReadFileOptions): Promise<Uint8Array> {
  const handle = await openSafely(path, "read", 0);
  try {
    // One byte more than allowed is enough to see that the file is too large, also when it grows.
    const { size } = await handle.stat();
    const buffer = new Uint8Array(Math.min(size, options.maxBytes) + 1);
    let length = 0;
    let read: number;
    do {
      read = await handle.read(buffer.subarray(length), length);
      length += read;
    } while (read > 0 && length < buffer.byteLength);
    if (length > options.maxBytes) throw unsafe(path, `larger than ${options.maxBytes} bytes`);
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}
