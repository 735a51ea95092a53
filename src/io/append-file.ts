import { BranchlineError } from "../errors.ts";
import { sameFile } from "./file-identity.ts";
import type { FileHandle, FileIdentity, FileStat, FileSystem } from "./file-system.ts";
import { ioFailed } from "./io-failure.ts";
import type { ScannedLine, ScanOptions } from "./line-scanner.ts";
import { scanLines } from "./line-scanner.ts";
import type { Durability } from "./publish.ts";

/** How many of the last known bytes are compared with the disk before each use. */
const FINGERPRINT_BYTES = 64;

/** Options of {@link AppendFile.open}. */
export interface AppendFileOptions {
  /** Default "append"; with "read" the methods that write fail with `IO_FAILED`. */
  readonly mode?: "read" | "append";
}

/** Options of {@link AppendFile.append}. */
export interface AppendOptions {
  readonly durability: Durability;
}

/** Where appended bytes stand: offsets of the first byte and behind the last one. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a failed write that could not be cut back yet. */
interface TornWrite {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * A log file that is kept open for reading and appending. It notices when other processes replace,
 * truncate or extend the file, and it never leaves half a write behind unnoticed. The caller holds the
 * session's lock around `check` … `append`, calls one method at a time, and closes the file.
 */
export class AppendFile {
  /** The real path, without links. */
  readonly path: string;
  /** Identity of the open file. */
  readonly identity: FileIdentity;
  readonly #fileSystem: FileSystem;
  readonly #handle: FileHandle;
  #size: number;
  #known = 0;
  #fingerprint: Uint8Array = new Uint8Array(0);
  #torn: TornWrite | undefined;
  #state: "open" | "failed" | "closed" = "open";

  private constructor(
    fileSystem: FileSystem,
    path: string,
    opened: { readonly handle: FileHandle; readonly identity: FileIdentity; readonly size: number },
  ) {
    this.#fileSystem = fileSystem;
    this.path = path;
    this.identity = { dev: opened.identity.dev, ino: opened.identity.ino };
    this.#handle = opened.handle;
    this.#size = opened.size;
  }

  /** Opens an existing file by its real path. Throws `IO_FAILED` and `FILE_UNSAFE`. */
  static async open(
    fileSystem: FileSystem,
    path: string,
    options: AppendFileOptions = {},
  ): Promise<AppendFile> {
    const real = await fileSystem.realpath(path);
    const handle = await fileSystem.open(real, options.mode ?? "append");
    try {
      const stat = await handle.stat();
      return new AppendFile(fileSystem, real, { handle, identity: stat, size: stat.size });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Bytes from the start that were read as whole lines or written by us; 0 after opening. */
  get known(): number {
    return this.#known;
  }

  /** Size in bytes when it was last looked at (open, check, append, truncateTo). */
  get size(): number {
    return this.#size;
  }

  /** True while bytes of a failed write stand at the end; the next append cuts them first. */
  get torn(): boolean {
    return this.#torn !== undefined;
  }

  /** True after a failed sync: the file is given up, only `close` is left. */
  get failed(): boolean {
    return this.#state === "failed";
  }

  /**
   * Compares what stands at the path with what is known, and gives the present size in bytes: larger
   * than `known` means that others wrote, so read on with `scan`. Throws `FILE_MISSING`,
   * `FILE_REPLACED` (another file, or other bytes), `FILE_TRUNCATED`, `IO_FAILED`, `STORE_CLOSED`.
   */
  async check(): Promise<number> {
    this.#assertOpen();
    const present = await this.#fileSystem.stat(this.path);
    if (present === undefined) {
      throw new BranchlineError(
        "FILE_MISSING",
        { path: this.path },
        { message: `${this.path} is gone; it was removed or renamed while it was open.` },
      );
    }
    if (!sameFile(present, this.identity)) throw this.#replaced("another file stands at its path");
    if (present.size < this.#known) {
      throw new BranchlineError(
        "FILE_TRUNCATED",
        { path: this.path, known: this.#known, actual: present.size },
        {
          message: `${this.path} became shorter: ${present.size} of ${this.#known} bytes are left.`,
        },
      );
    }
    const expected = this.#fingerprint;
    const actual = await this.read(this.#known - expected.byteLength, expected.byteLength);
    if (!sameBytes(expected, actual)) throw this.#replaced("bytes that were read before changed");
    this.#size = present.size;
    return present.size;
  }

  /**
   * The same for a caller that checked a few ms ago and has held the lock since: reads no bytes, so it does
   * not notice that they were exchanged in place. Where anything looks different it checks in full. Throws
   * as {@link check}.
   */
  async checkAgain(): Promise<number> {
    this.#assertOpen();
    const present = await this.#fileSystem.stat(this.path);
    return this.#isStill(present, this.#size) ? this.#size : await this.check();
  }

  /**
   * Reads the lines from `known` on, in batches, as {@link scanLines} does. When the caller comes back
   * for the next batch, the terminated lines of the last one count as known; an unterminated tail never
   * does. A caller that stops early will get its last batch again.
   */
  async *scan(
    options: Omit<ScanOptions, "from"> = {},
  ): AsyncGenerator<readonly ScannedLine[], void, void> {
    this.#assertOpen();
    for await (const batch of scanLines(this.#handle, { ...options, from: this.#known })) {
      yield batch;
      const last = batch.findLast((line) => line.terminated);
      if (last !== undefined) await this.advance(last.byteEnd + 1);
    }
  }

  /** Sets `known` for a caller that learned from elsewhere (an index) what stands before `position`. */
  async advance(position: number): Promise<void> {
    this.#assertOpen();
    const length = Math.min(position, FINGERPRINT_BYTES);
    this.#fingerprint = await this.read(position - length, length);
    this.#known = position;
  }

  /** Reads `length` bytes at `position`; fewer at the end of the file. */
  async read(position: number, length: number): Promise<Uint8Array> {
    const buffer = new Uint8Array(length);
    return buffer.subarray(0, await this.readInto(buffer, position));
  }

  /** Fills a buffer from `position` on; gives how many bytes it got, fewer at the end of the file. */
  async readInto(buffer: Uint8Array, position: number): Promise<number> {
    this.#assertOpen();
    let filled = 0;
    while (filled < buffer.byteLength) {
      const count = await this.#handle.read(buffer.subarray(filled), position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  /**
   * Appends whole lines with one write and syncs them (P1). Call `check` before, in the same hold of
   * the lock: the bytes are expected at `size`. Gives where they stand; undefined when a foreign writer
   * got in between, then they are on disk and `scan` from `known` finds them and the foreign lines, or
   * when the file does not stand at its path any more, then `check` says so.
   * `known` moves over the bytes only when everything before them was known.
   *
   * Throws `IO_FAILED` with nothing changed (P5; see `torn`), `APPEND_UNKNOWN` after a failed sync
   * (the file is given up: the kernel may have dropped the bytes and report success the next time), and
   * `STORE_CLOSED`.
   */
  async append(bytes: Uint8Array, options: AppendOptions): Promise<ByteRange | undefined> {
    this.#assertOpen();
    if (this.#torn !== undefined) await this.#takeBack(this.#torn);
    const start = this.#size;
    await this.#writeOrTakeBack(bytes, start);
    const end = start + bytes.byteLength;
    const present = await this.#settle(options.durability);
    this.#size = present?.size ?? end;
    if (!this.#isStill(present, end)) return undefined;
    if (this.#known === start) {
      const last = bytes.subarray(-FINGERPRINT_BYTES);
      // A copy: a view would keep all of the caller's memory.
      this.#fingerprint =
        last.length < FINGERPRINT_BYTES
          ? Buffer.concat([this.#fingerprint, last]).subarray(-FINGERPRINT_BYTES)
          : new Uint8Array(last);
      this.#known = end;
    }
    return { start, end };
  }

  /** Cuts a torn tail of our own, under the lock, and syncs. Never for foreign bytes (design §2). */
  async truncateTo(offset: number): Promise<void> {
    this.#assertOpen();
    await this.#handle.truncate(offset);
    this.#torn = undefined;
    this.#size = offset;
    if (offset < this.#known) await this.advance(offset);
    await this.#handle.datasync();
  }

  /** Closes the file; more calls do nothing. */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closed";
    await this.#handle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #writeOrTakeBack(bytes: Uint8Array, start: number): Promise<void> {
    try {
      const written = await this.#handle.write(bytes);
      if (written < bytes.byteLength) {
        throw ioFailed({ operation: "write", path: this.path }, "SHORT_WRITE");
      }
    } catch (error) {
      // The write's error is the one to report; what cannot be taken back is kept in #torn.
      await this.#takeBack({ start, bytes }).catch(() => false);
      throw error;
    }
  }

  /** Cuts what a failed write left, but only bytes that are certainly ours. */
  async #takeBack(torn: TornWrite): Promise<void> {
    this.#torn = torn;
    const { size } = await this.#handle.stat();
    const length = size - torn.start;
    const ours =
      length > 0 &&
      length <= torn.bytes.byteLength &&
      sameBytes(await this.read(torn.start, length), torn.bytes.subarray(0, length));
    if (ours) await this.#handle.truncate(torn.start);
    this.#size = ours ? torn.start : size;
    this.#torn = undefined;
  }

  /**
   * Waits for the disk, then looks at what stands at the path: who got in before is seen here, whoever comes
   * later by the next `check`. By the path, since what went into a file that was moved away or replaced
   * meanwhile is not in the session.
   */
  async #settle(durability: Durability): Promise<FileStat | undefined> {
    try {
      if (durability === "full") await this.#handle.datasync();
      return await this.#fileSystem.stat(this.path);
    } catch (cause) {
      this.#state = "failed";
      throw new BranchlineError(
        "APPEND_UNKNOWN",
        { key: null },
        {
          message: `It is not known whether the last bytes of ${this.path} are on disk.`,
          hint: "Open the session again and retry with the same key.",
          cause,
        },
      );
    }
  }

  /** True where the open file stands at its path and has the size that is expected. */
  #isStill(present: FileStat | undefined, size: number): boolean {
    return present !== undefined && present.size === size && sameFile(present, this.identity);
  }

  #replaced(reason: string): BranchlineError<"FILE_REPLACED"> {
    return new BranchlineError(
      "FILE_REPLACED",
      { path: this.path },
      { message: `${this.path} is not the file that was opened: ${reason}.` },
    );
  }

  #assertOpen(): void {
    if (this.#state === "open") return;
    throw new BranchlineError("STORE_CLOSED", {}, { message: `${this.path} is ${this.#state}.` });
  }
}

/** True when both hold the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
