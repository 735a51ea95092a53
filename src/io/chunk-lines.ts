import { throwIfAborted } from "./clock.ts";
import type { FileHandle } from "./file-system.ts";

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

/** What {@link scanChunks} tells. Views are valid during the call only: buffers are used again. */
export interface LineSink {
  /** A whole line without its newline. `start` is its offset in the file. */
  line(bytes: Buffer, start: number): void;
  /** Called before the lines of a range of whole lines, which stand in `bytes` one behind the other. */
  range(bytes: Buffer): void;
  /** Called after the last line of a chunk; false ends the scan. */
  chunkEnd(): boolean;
}

/** Which bytes to scan. */
export interface ChunkRange {
  readonly from: number;
  readonly to: number;
  /** A longer line ends the scan with the rest empty and `tooLong`. Default: none is too long. */
  readonly maxLineBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Cuts a range of a file into lines, fast: two buffers in turn, the next chunk is being read while the
 * lines of this one are looked at. Gives the unfinished last line. Memory: two chunks and one line.
 */
export async function scanChunks(
  handle: Pick<FileHandle, "read">,
  range: ChunkRange,
  sink: LineSink,
): Promise<{ readonly rest: Buffer; readonly read: number; readonly tooLong: boolean }> {
  const { from, to, signal, maxLineBytes = Number.POSITIVE_INFINITY } = range;
  const size = Math.min(CHUNK_BYTES, to - from);
  const buffers = [
    Buffer.allocUnsafeSlow(size),
    Buffer.allocUnsafeSlow(to - from > size ? size : 0),
  ];
  const cutter = new Cutter(sink, from);
  let position = from;
  const read = (turn: number): Promise<Buffer> => {
    const room = (buffers[turn % 2] as Buffer).subarray(0, to - position);
    return fill(handle, room, position);
  };
  let next = read(0);
  for (let turn = 1; ; turn++) {
    const chunk = await next;
    position += chunk.length;
    const isLast = chunk.length === 0 || position >= to;
    if (!isLast) next = read(turn);
    try {
      throwIfAborted(signal);
      cutter.take(chunk);
      if (cutter.kept > maxLineBytes) {
        await next;
        return { rest: Buffer.alloc(0), read: position - from, tooLong: true };
      }
      if (isLast || !sink.chunkEnd()) break;
    } catch (error) {
      // The read under way must end before the handle is closed.
      await next;
      throw error;
    }
  }
  await next;
  return { rest: cutter.rest(), read: position - from, tooLong: false };
}

/** A read may give less than there is; only 0 is the end of the file. */
async function fill(
  handle: Pick<FileHandle, "read">,
  room: Buffer,
  position: number,
): Promise<Buffer> {
  let filled = 0;
  while (filled < room.length) {
    const read = await handle.read(room.subarray(filled), position + filled);
    if (read === 0) break;
    filled += read;
  }
  return room.subarray(0, filled);
}

/** Keeps the unfinished line between chunks, as pieces joined once at its end. */
class Cutter {
  readonly #sink: LineSink;
  #start: number;
  #pieces: Buffer[] = [];
  /** Bytes of the unfinished line. */
  kept = 0;

  constructor(sink: LineSink, start: number) {
    this.#sink = sink;
    this.#start = start;
  }

  take(chunk: Buffer): void {
    let from = 0;
    if (this.#pieces.length > 0) {
      const newline = chunk.indexOf(NEWLINE);
      if (newline === -1) {
        this.#keep(chunk);
        return;
      }
      this.#pieces.push(chunk.subarray(0, newline));
      const line = this.rest();
      this.#pieces = [];
      this.kept = 0;
      this.#sink.range(line);
      this.#emit(line);
      from = newline + 1;
    }
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= from) this.#sink.range(chunk.subarray(from, end));
    while (from <= end) {
      const newline = chunk.indexOf(NEWLINE, from);
      this.#emit(chunk.subarray(from, newline));
      from = newline + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(Buffer.from(piece));
    this.kept += piece.length;
  }

  #emit(line: Buffer): void {
    this.#sink.line(line, this.#start);
    this.#start += line.length + 1;
  }
}
