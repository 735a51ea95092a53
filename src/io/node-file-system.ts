import type { BigIntStats, Dirent } from "node:fs";
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
import type { FileHandle as NativeHandle } from "node:fs/promises";
import { link, lutimes, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { BranchlineError } from "../errors.ts";
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
import { SyncPace } from "./sync-pace.ts";

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
 * Up to these sizes a read or write is made in place, as every stat is: the page cache answers in a few
 * µs, where a way through the thread pool takes some dozens, five of them for each append (T4, T5). What
 * waits for the disk itself (truncate, whatever is larger) goes through the pool, and so does a sync
 * unless the disk is quick ({@link SyncPace}).
 */
const IN_PLACE_READ_BYTES = 64 * 1024;
const IN_PLACE_WRITE_BYTES = 1024 * 1024;

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
async function inPlace<T>(operation: string, path: string, call: () => T): Promise<T> {
  if (turns.isDue) await turns.take();
  try {
    return call();
  } catch (cause) {
    // A closed file shows -1, and Node refuses that where the system would say this.
    const errno = errnoOf(cause);
    throw ioFailed({ operation, path }, errno === "ERR_OUT_OF_RANGE" ? "EBADF" : errno, cause);
  }
}

async function openSafely(path: string, mode: OpenMode, slowSyncMs: number): Promise<FileHandle> {
  let opened: NativeHandle;
  try {
    opened = await open(path, FLAGS[mode], FILE_MODE);
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
  readonly #handle: NativeHandle;
  readonly #path: string;
  readonly #pace: SyncPace;

  constructor(handle: NativeHandle, path: string, pace: SyncPace) {
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
    const since = performance.now();
    if (this.#pace.isQuick)
      await inPlace("datasync", this.#path, () => fdatasyncSync(this.#handle.fd));
    else await attempt("datasync", this.#path, this.#handle.datasync());
    this.#pace.took(performance.now() - since);
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

  async #readLarge(buffer: Uint8Array, position: number): Promise<number> {
    const work = this.#handle.read(buffer, 0, buffer.byteLength, position);
    return (await attempt("read", this.#path, work)).bytesRead;
  }

  async #writeLarge(bytes: Uint8Array): Promise<number> {
    return (await attempt("write", this.#path, this.#handle.write(bytes))).bytesWritten;
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
    mtimeMs: Number(stats.mtimeNs) / 1e6,
    mode: Number(stats.mode) & 0o777,
    links: Number(stats.nlink),
  };
}

function kindOf(stats: BigIntStats | Dirent): FileKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "other";
}

async function readDirectory(path: string): Promise<readonly DirectoryEntry[]> {
  const found = await attempt("readDirectory", path, readdir(path, { withFileTypes: true }));
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
    await using directory = await open(path, constants.O_RDONLY);
    await directory.sync();
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
