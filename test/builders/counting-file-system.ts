import type { FileHandle, FileSystem } from "../../src/io/file-system.ts";
import { createNodeFileSystem } from "../../src/io/node-file-system.ts";

/** What was done to files, counted. */
export interface FileWork {
  readonly opens: number;
  readonly reads: number;
  readonly bytesRead: number;
  readonly writes: number;
  readonly bytesWritten: number;
  /** fdatasync and fsync. */
  readonly syncs: number;
  readonly stats: number;
}

type Counter = { -readonly [K in keyof FileWork]: number };

const zero = (): Counter => {
  return { opens: 0, reads: 0, bytesRead: 0, writes: 0, bytesWritten: 0, syncs: 0, stats: 0 };
};

/** The real file system, with counts of what is done to session files (names that end in .jsonl). */
export class CountingFileSystem {
  readonly fileSystem: FileSystem;
  #count: Counter = zero();

  constructor(real: FileSystem = createNodeFileSystem()) {
    // Member by member: a file system may be a class, whose methods a spread would lose.
    this.fileSystem = {
      lstat: (path) => real.lstat(path),
      realpath: (path) => real.realpath(path),
      readDirectory: (path) => real.readDirectory(path),
      makeDirectory: (path) => real.makeDirectory(path),
      rename: (from, to) => real.rename(from, to),
      link: (existing, path) => real.link(existing, path),
      removeFile: (path) => real.removeFile(path),
      syncDirectory: (path) => real.syncDirectory(path),
      setTimes: (...times) => real.setTimes(...times),
      readFile: (path, options) => real.readFile(path, options),
      open: async (path, mode) => {
        const handle = await real.open(path, mode);
        if (!path.endsWith(".jsonl")) return handle;
        this.#count.opens++;
        return this.#counted(handle);
      },
      stat: async (path) => {
        if (path.endsWith(".jsonl")) this.#count.stats++;
        return await real.stat(path);
      },
    };
  }

  /** The work that a call does, and its answer. */
  async during<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly work: FileWork }> {
    this.#count = zero();
    const value = await work();
    return { value, work: { ...this.#count } };
  }

  #counted(handle: FileHandle): FileHandle {
    return {
      read: async (buffer, position) => {
        const read = await handle.read(buffer, position);
        this.#count.reads++;
        this.#count.bytesRead += read;
        return read;
      },
      write: async (bytes) => {
        const written = await handle.write(bytes);
        this.#count.writes++;
        this.#count.bytesWritten += written;
        return written;
      },
      datasync: () => this.#synced(handle.datasync()),
      sync: () => this.#synced(handle.sync()),
      truncate: (length) => handle.truncate(length),
      stat: () => {
        this.#count.stats++;
        return handle.stat();
      },
      close: () => handle.close(),
    };
  }

  async #synced(work: Promise<void>): Promise<void> {
    await work;
    this.#count.syncs++;
  }
}
