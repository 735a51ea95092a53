import { throwIfAborted } from "./clock.ts";
import type { FileHandle } from "./file-system.ts";

const NEWLINE = 0x0a;
const MEBIBYTE = 1024 * 1024;

/** One line of a file as bytes. */
export interface ScannedLine {
  /** The line without its newline; null when it is longer than the limit and was not kept. */
  readonly bytes: Uint8Array | null;
  /** Counted from the option `firstLine`. */
  readonly line: number;
  /** Offset of the first byte. */
  readonly byteStart: number;
  /** Offset behind the last byte; the newline, where there is one, stands at this offset. */
  readonly byteEnd: number;
  /** False only for the last piece of a file (or range) that does not end with a newline. */
  readonly terminated: boolean;
}

/** Options of {@link scanLines}. */
export interface ScanOptions {
  /** Offset of the first byte to read. */
  readonly from: number;
  /** Offset at which to stop; default: the end of the file at the time it is reached. */
  readonly to?: number;
  /** Number of the first line, default 1. */
  readonly firstLine?: number;
  /** Bytes asked for in one read, default 1 MiB. */
  readonly chunkBytes?: number;
  /** A longer line is reported with its range only, default 256 MiB (V8 strings end at 512 MiB). */
  readonly maxLineBytes?: number;
  /** Ends the scan with `ABORTED` before the next read. */
  readonly signal?: AbortSignal;
  /** Hears the number of bytes read so far, once per read. */
  readonly onProgress?: (bytesRead: number) => void;
}

/**
 * Reads a file as lines, in batches (one per read, never empty). Splits on byte 0x0A only: U+2028 and
 * CR are content (reliability §3 rows 9, 14). Linear in bytes for lines of any length (row 27),
 * bounded by one chunk plus one line of at most `maxLineBytes` (rows 28, 29; P7). The bytes stay valid
 * after the next batch; a kept line keeps its whole chunk in memory, so copy what is kept for long.
 * The handle stays open and belongs to the caller. Throws `ABORTED` and `IO_FAILED`.
 */
export async function* scanLines(
  handle: FileHandle,
  options: ScanOptions,
): AsyncGenerator<readonly ScannedLine[], void, void> {
  const chunkBytes = options.chunkBytes ?? MEBIBYTE;
  const end = options.to ?? Number.MAX_SAFE_INTEGER;
  const splitter = new LineSplitter(options);
  let position = options.from;
  while (position < end) {
    throwIfAborted(options.signal);
    // A fresh buffer for each read, since lines handed out are views of it.
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - position));
    const read = await handle.read(buffer, position);
    if (read === 0) break;
    position += read;
    options.onProgress?.(position - options.from);
    const batch = splitter.split(buffer.subarray(0, read));
    if (batch.length > 0) yield batch;
  }
  const rest = splitter.rest();
  if (rest !== undefined) yield [rest];
}

/** Cuts chunks into lines and carries the unfinished one over, as pieces joined once at its end. */
class LineSplitter {
  readonly #maxLineBytes: number;
  #line: number;
  #start: number;
  #length = 0;
  #pieces: Buffer[] = [];

  constructor(options: ScanOptions) {
    this.#maxLineBytes = options.maxLineBytes ?? 256 * MEBIBYTE;
    this.#line = options.firstLine ?? 1;
    this.#start = options.from;
  }

  split(chunk: Buffer): readonly ScannedLine[] {
    const lines: ScannedLine[] = [];
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline === -1) break;
      this.#add(chunk.subarray(from, newline));
      lines.push(this.#finish(true));
      from = newline + 1;
    }
    this.#add(chunk.subarray(from));
    return lines;
  }

  rest(): ScannedLine | undefined {
    return this.#length === 0 ? undefined : this.#finish(false);
  }

  #add(piece: Buffer): void {
    this.#length += piece.byteLength;
    if (this.#length > this.#maxLineBytes) this.#pieces = [];
    else if (piece.byteLength > 0) this.#pieces.push(piece);
  }

  #finish(terminated: boolean): ScannedLine {
    const byteEnd = this.#start + this.#length;
    const line: ScannedLine = {
      bytes: this.#length > this.#maxLineBytes ? null : this.#join(),
      line: this.#line,
      byteStart: this.#start,
      byteEnd,
      terminated,
    };
    this.#line += 1;
    this.#start = byteEnd + 1;
    this.#length = 0;
    this.#pieces = [];
    return line;
  }

  #join(): Uint8Array {
    const [only] = this.#pieces;
    return only !== undefined && this.#pieces.length === 1
      ? only
      : Buffer.concat(this.#pieces, this.#length);
  }
}
