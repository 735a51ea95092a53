import { closeSync, fdatasync, fsync, ftruncate, openSync, read, write } from "node:fs";
import { promisify } from "node:util";

const native = {
  datasync: promisify(fdatasync),
  read: promisify(read),
  sync: promisify(fsync),
  truncate: promisify(ftruncate),
  write: promisify(write),
};

/**
 * An open file by its number, with what goes through the thread pool. Not `FileHandle` of
 * `node:fs/promises`: Node loads that module for every process that imports the library, which is a
 * tenth of the import (T14). Errors are those of Node. Whoever opened it closes it.
 */
export class OpenFile {
  #fd: number;
  /** A number that was closed may be that of another file at once, so a close waits for these. */
  readonly #running = new Set<Promise<unknown>>();

  /**
   * Opens a file in place: whoever opens a path has just asked for its real path, so what it takes to get
   * there lies in memory.
   */
  constructor(path: string, flags: number, mode: number) {
    this.#fd = openSync(path, flags, mode);
  }

  /** For calls in place; -1 once it is closed, which Node refuses with ERR_OUT_OF_RANGE. */
  get fd(): number {
    return this.#fd;
  }

  /** Bytes that were read, fewer than there is room for at the end of the file. */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    const { byteLength } = buffer;
    return (await this.#run(native.read(this.#fd, buffer, 0, byteLength, position))).bytesRead;
  }

  /** Writes at the end; bytes that were written. */
  async write(bytes: Uint8Array): Promise<number> {
    return (await this.#run(native.write(this.#fd, bytes))).bytesWritten;
  }

  /** Waits until content and size are on the disk. */
  async datasync(): Promise<void> {
    await this.#run(native.datasync(this.#fd));
  }

  /** Waits until everything about the file is on the disk. */
  async sync(): Promise<void> {
    await this.#run(native.sync(this.#fd));
  }

  /** Cuts the file. */
  async truncate(length: number): Promise<void> {
    await this.#run(native.truncate(this.#fd, length));
  }

  /**
   * Closes the file once what is under way has ended; more calls do nothing. In place: what was to reach
   * the disk has been synced, and a process that only reads never starts the pool.
   */
  async close(): Promise<void> {
    const fd = this.#fd;
    if (fd === -1) return;
    this.#fd = -1;
    await Promise.allSettled(this.#running);
    closeSync(fd);
  }

  async #run<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }
}
