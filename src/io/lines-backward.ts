import { throwIfAborted } from "./clock.ts";
import type { FileHandle } from "./file-system.ts";

const NEWLINE = 0x0a;
/** Bytes of the first read, and of the largest one: each is twice as long as the one before. */
const FIRST_BYTES: number = 128 * 1024;
const LAST_BYTES: number = 2 * 1024 * 1024;

/** A whole line. */
export interface BackwardLine {
  /** Without its newline; valid until the next batch is asked for. */
  readonly bytes: Uint8Array;
  /** Offset of the first byte, and of the newline. */
  readonly start: number;
  readonly end: number;
}

/** Lines of one read, the last one of the file first. */
export interface BackwardBatch {
  readonly lines: readonly BackwardLine[];
  /** Bytes read so far. */
  readonly read: number;
}

/**
 * Reads the lines before `end`, which stands behind a newline, from the last to the first: one batch for
 * each read, also where no line begins in it. Whoever has seen enough stops. Memory: one buffer and one
 * line. Throws ABORTED, IO_FAILED. The handle belongs to the caller.
 */
export async function* linesBackward(
  handle: Pick<FileHandle, "read">,
  end: number,
  signal?: AbortSignal,
): AsyncGenerator<BackwardBatch, void, void> {
  const cutter = new BackwardCutter(end - 1);
  let buffer = Buffer.alloc(0);
  let position = end - 1;
  for (let size = FIRST_BYTES; position > 0; size = Math.min(size * 2, LAST_BYTES)) {
    throwIfAborted(signal);
    const length = Math.min(size, position);
    if (buffer.length < length) buffer = Buffer.allocUnsafeSlow(length);
    position -= length;
    const chunk = buffer.subarray(0, length);
    await fill(handle, chunk, position);
    yield { lines: cutter.take(chunk, position), read: end - position };
  }
}

/** A file that became shorter meanwhile leaves NUL bytes, which no line of a session holds. */
async function fill(
  handle: Pick<FileHandle, "read">,
  chunk: Buffer,
  position: number,
): Promise<void> {
  let filled = 0;
  while (filled < chunk.length) {
    const read = await handle.read(chunk.subarray(filled), position + filled);
    if (read === 0) break;
    filled += read;
  }
  chunk.fill(0, filled);
}

/** Keeps the end of a line whose beginning was not read yet. */
class BackwardCutter {
  #end: number;
  /** In the order of the file. */
  #pieces: Buffer[] = [];

  /** `end` is the offset of the last newline. */
  constructor(end: number) {
    this.#end = end;
  }

  take(chunk: Buffer, position: number): readonly BackwardLine[] {
    const lines: BackwardLine[] = [];
    let to = chunk.length;
    while (to > 0) {
      const newline = chunk.lastIndexOf(NEWLINE, to - 1);
      if (newline === -1) break;
      lines.push(this.#line(chunk.subarray(newline + 1, to), position + newline + 1));
      this.#end = position + newline;
      to = newline;
    }
    // The buffer is used again.
    if (position > 0) this.#pieces.unshift(Buffer.from(chunk.subarray(0, to)));
    else lines.push(this.#line(chunk.subarray(0, to), 0));
    return lines;
  }

  #line(piece: Buffer, start: number): BackwardLine {
    const bytes = this.#pieces.length === 0 ? piece : Buffer.concat([piece, ...this.#pieces]);
    this.#pieces = [];
    return { bytes, start, end: this.#end };
  }
}
