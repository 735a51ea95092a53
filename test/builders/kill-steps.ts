import type { FileHandle, FileSystem } from "../../src/io/file-system.ts";
import { createNodeFileSystem } from "../../src/io/node-file-system.ts";

/**
 * Counts the awaited steps of a process, and kills it (SIGKILL, nothing is flushed or closed) at the one
 * that was chosen. A write has a second step inside, at which half of its bytes are written.
 */
export class KillSteps {
  readonly #at: number;
  /** Steps so far. */
  count = 0;
  /** What each step was. */
  readonly names: string[] = [];

  /** `at` counts from 1; 0 = never. */
  constructor(at: number) {
    this.#at = at;
  }

  /** One awaited step: called before it is made. */
  step(name: string): void {
    if (this.#isNext(name)) this.#kill();
  }

  /** The real file system, with a step before each of its operations. */
  fileSystem(real: FileSystem = createNodeFileSystem()): FileSystem {
    return {
      open: async (path, mode) => {
        this.step("open");
        return this.#handle(await real.open(path, mode));
      },
      stat: (path) => this.#before("stat", () => real.stat(path)),
      lstat: (path) => this.#before("lstat", () => real.lstat(path)),
      realpath: (path) => this.#before("realpath", () => real.realpath(path)),
      readDirectory: (path) => this.#before("readDirectory", () => real.readDirectory(path)),
      makeDirectory: (path) => this.#before("makeDirectory", () => real.makeDirectory(path)),
      rename: (from, to) => this.#before("rename", () => real.rename(from, to)),
      link: (existing, path) => this.#before("link", () => real.link(existing, path)),
      removeFile: (path) => this.#before("removeFile", () => real.removeFile(path)),
      syncDirectory: (path) => this.#before("syncDirectory", () => real.syncDirectory(path)),
      setTimes: (...times) => this.#before("setTimes", () => real.setTimes(...times)),
      readFile: (path, options) => this.#before("readFile", () => real.readFile(path, options)),
    };
  }

  #handle(handle: FileHandle): FileHandle {
    return {
      read: (buffer, position) => this.#before("read", () => handle.read(buffer, position)),
      write: async (bytes) => {
        this.step("write");
        if (this.#isNext("half a write")) {
          await handle.write(bytes.subarray(0, bytes.length >> 1));
          this.#kill();
        }
        return await handle.write(bytes);
      },
      datasync: () => this.#before("datasync", () => handle.datasync()),
      sync: () => this.#before("sync", () => handle.sync()),
      truncate: (length) => this.#before("truncate", () => handle.truncate(length)),
      stat: () => this.#before("fstat", () => handle.stat()),
      close: () => this.#before("close", () => handle.close()),
    };
  }

  #before<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.step(name);
    return work();
  }

  #isNext(name: string): boolean {
    this.count++;
    this.names.push(name);
    return this.count === this.#at;
  }

  #kill(): void {
    process.kill(process.pid, "SIGKILL");
  }
}
