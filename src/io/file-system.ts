/**
 * The file system as the engine sees it: a port with interfaces only, so that a crash simulator can
 * stand in for the real one. Everything is asynchronous. Failures are BranchlineErrors: `IO_FAILED`
 * with the native errno in its fields, `FILE_UNSAFE` for what is not a regular file. Paths are
 * absolute. Created files have mode 0600, created directories 0700, under any umask (P10).
 */

/** What stands at a path. Everything that is none of the first three is "other" (FIFO, device, …). */
export type FileKind = "file" | "directory" | "link" | "other";

/** Which file it is, whatever its name: a path that shows another identity is another file. */
export interface FileIdentity {
  readonly dev: bigint;
  /** 64 bits on some file systems, so a number would round it. */
  readonly ino: bigint;
}

/** What `stat` tells about a file. */
export interface FileStat extends FileIdentity {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** Time of the last change in ms since the epoch, with a fraction where the system has one. */
  readonly mtimeMs: number;
  /** Permission bits only, for example 0o600. */
  readonly mode: number;
  /** Number of hard links. */
  readonly links: number;
}

/** One name in a directory. A link has the kind "link", whatever it points to. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/**
 * How a file is opened: "read" = read only; "append" = read and append, must exist; "create" = read
 * and append, must not exist (`IO_FAILED` with errno EEXIST).
 */
export type OpenMode = "read" | "append" | "create";

/** Limit of a read of a whole file. */
export interface ReadFileOptions {
  /** A larger file is refused with `FILE_UNSAFE`. */
  readonly maxBytes: number;
}

/** An open regular file. Whoever opened it closes it. */
export interface FileHandle {
  /**
   * Reads from byte `position` into `buffer`; gives the number of bytes read, which may be fewer than
   * the buffer holds. 0 = end of file.
   */
  read(buffer: Uint8Array, position: number): Promise<number>;
  /**
   * Appends in ONE write call at the end of the file; gives the number of bytes written, which may be
   * fewer than asked for. Never continued with a second call: another process could get in between.
   */
  write(bytes: Uint8Array): Promise<number>;
  /** Brings data and size to stable storage (fdatasync). */
  datasync(): Promise<void>;
  /** Brings data and all metadata to stable storage (fsync). */
  sync(): Promise<void>;
  /** Sets the size in bytes. */
  truncate(length: number): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/** The operations that the engine needs, no more. */
export interface FileSystem {
  /**
   * Opens a regular file. Links are not followed and a FIFO does not block; both, and everything else
   * that is not a regular file, are refused with `FILE_UNSAFE`.
   */
  open(path: string, mode: OpenMode): Promise<FileHandle>;
  /** Follows links. Undefined when nothing is there (also for a dangling link). */
  stat(path: string): Promise<FileStat | undefined>;
  /** Like `stat` but shows a link as such. */
  lstat(path: string): Promise<FileStat | undefined>;
  /** The path without links; `IO_FAILED` with ENOENT when nothing is there. */
  realpath(path: string): Promise<string>;
  /** The names in a directory, sorted by code unit. */
  readDirectory(path: string): Promise<readonly DirectoryEntry[]>;
  /** Makes the directory and its missing parents; gives the topmost one made, if any. */
  makeDirectory(path: string): Promise<string | undefined>;
  /** Puts `from` in the place of `to`, atomically; a file at `to` is replaced. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for a file; never replaces (`IO_FAILED` with EEXIST). Not every system has it. */
  link(existing: string, path: string): Promise<void>;
  /** Removes a file or link; false when nothing was there. */
  removeFile(path: string): Promise<boolean>;
  /** Makes the names in a directory durable (fsync of the directory). */
  syncDirectory(path: string): Promise<void>;
  /**
   * Sets access and change time (ms since the epoch) BY PATH, without opening the file: an open and
   * close would drop the lock that this process holds on a lock file.
   */
  setTimes(path: string, atimeMs: number, mtimeMs: number): Promise<void>;
  /** The whole content of a small file, opened as `open` does. */
  readFile(path: string, options: ReadFileOptions): Promise<Uint8Array>;
}
