import type { BigIntStats, Dirent } from "node:fs";
import { constants } from "node:fs";
import type { FileHandle as NativeHandle } from "node:fs/promises";
import {
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  stat,
  unlink,
} from "node:fs/promises";
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

/** Options of {@link createNodeFileSystem}. */
export interface NodeFileSystemOptions {
  /** Default: the platform of this process. */
  readonly platform?: NodeJS.Platform;
}

/** The real file system, on node:fs/promises. Holds nothing that needs closing. */
export function createNodeFileSystem(options: NodeFileSystemOptions = {}): FileSystem {
  const windows = (options.platform ?? process.platform) === "win32";
  return {
    open: openSafely,
    stat: (path) => statOrAbsent("stat", path, stat(path, { bigint: true })),
    lstat: (path) => statOrAbsent("lstat", path, lstat(path, { bigint: true })),
    realpath: (path) => attempt("realpath", path, realpath(path)),
    readDirectory,
    makeDirectory: (path) =>
      attempt("makeDirectory", path, mkdir(path, { recursive: true, mode: DIRECTORY_MODE })),
    rename: (from, to) => attempt("rename", to, rename(from, to)),
    link: (existing, path) => attempt("link", path, link(existing, path)),
    removeFile,
    syncDirectory: (path) => syncDirectory(path, windows ? NO_DIRECTORY_SYNC : new Set()),
    setTimes: (path, atimeMs, mtimeMs) =>
      attempt("setTimes", path, lutimes(path, atimeMs / 1000, mtimeMs / 1000)),
    readFile,
  };
}

async function attempt<T>(operation: string, path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw ioFailed({ operation, path }, errnoOf(cause), cause);
  }
}

async function openSafely(path: string, mode: OpenMode): Promise<FileHandle> {
  let opened: NativeHandle;
  try {
    opened = await open(path, FLAGS[mode], FILE_MODE);
  } catch (cause) {
    const errno = errnoOf(cause);
    if (UNSAFE_ERRNOS.has(errno)) throw unsafe(path, `not a regular file (${errno})`, cause);
    throw ioFailed({ operation: "open", path }, errno, cause);
  }
  const handle = new NodeFileHandle(opened, path);
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

  constructor(handle: NativeHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  async read(buffer: Uint8Array, position: number): Promise<number> {
    const work = this.#handle.read(buffer, 0, buffer.byteLength, position);
    return (await attempt("read", this.#path, work)).bytesRead;
  }

  async write(bytes: Uint8Array): Promise<number> {
    return (await attempt("write", this.#path, this.#handle.write(bytes))).bytesWritten;
  }

  datasync(): Promise<void> {
    return attempt("datasync", this.#path, this.#handle.datasync());
  }

  sync(): Promise<void> {
    return attempt("sync", this.#path, this.#handle.sync());
  }

  truncate(length: number): Promise<void> {
    return attempt("truncate", this.#path, this.#handle.truncate(length));
  }

  async stat(): Promise<FileStat> {
    return toFileStat(await attempt("stat", this.#path, this.#handle.stat({ bigint: true })));
  }

  close(): Promise<void> {
    return attempt("close", this.#path, this.#handle.close());
  }
}

async function statOrAbsent(
  operation: string,
  path: string,
  work: Promise<BigIntStats>,
): Promise<FileStat | undefined> {
  try {
    return toFileStat(await work);
  } catch (cause) {
    const errno = errnoOf(cause);
    if (ABSENT_ERRNOS.has(errno)) return undefined;
    throw ioFailed({ operation, path }, errno, cause);
  }
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
  const handle = await openSafely(path, "read");
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
