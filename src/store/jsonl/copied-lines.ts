import type { SessionHeader } from "../../entry/entry.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import type { KnownSession } from "./known-session.ts";

/** The lines of a copied path on their way into a new file. */
export interface CopiedLines {
  /**
   * The header and all lines, in pieces that are worth a write. To be taken once; a piece is good until
   * the one behind the next is asked for.
   */
  chunks(): AsyncGenerator<Uint8Array, void, void>;
  /** Work that needs no disk, where there is any; to be done once all chunks were taken. */
  learn?(): void;
  /**
   * What a reader of the new file would find, whatever stands behind the path; null where only a reader
   * finds out. Asked once the file is written and {@link CopiedLines.learn} was called.
   */
  known(identity: FileIdentity, header: SessionHeader): KnownSession | null;
}

/** How many of the last bytes tell a file. */
export const FINGERPRINT_BYTES = 64;
/** Bytes that are read at a time; a longer line is read alone. */
export const BLOCK_BYTES: number = 2 * 1024 * 1024;
/** Pieces below this size, in bytes, are written together. */
export const SMALL_BYTES: number = 256 * 1024;
/** The buffers of long blocks: a block, its holes, and a last line that is not much longer than most. */
const BUFFER_BYTES: number = BLOCK_BYTES + BLOCK_BYTES / 4;
const BUFFERS = 3;

/**
 * Buffers for blocks that are read. Long blocks share three: one is written while one is looked at and one
 * is read into. What is longer than they are has its own.
 */
export class BlockBuffers {
  readonly #buffers: Buffer[] = [];
  #turn = 0;

  take(length: number): Buffer {
    if (length < SMALL_BYTES || length > BUFFER_BYTES) return Buffer.allocUnsafeSlow(length);
    this.#turn = (this.#turn + 1) % BUFFERS;
    const buffer = this.#buffers[this.#turn] ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#buffers[this.#turn] = buffer;
    return buffer.subarray(0, length);
  }
}

/** Joins small pieces into what is worth a write. null = the buffer of what was given so far is used again soon. */
export async function* inWrites(
  first: Uint8Array,
  pieces: AsyncIterable<Uint8Array | null>,
): AsyncGenerator<Uint8Array, void, void> {
  let small = [first];
  let bytes = first.length;
  const joined = (): Uint8Array => {
    const all = Buffer.concat(small);
    small = [];
    bytes = 0;
    return all;
  };
  for await (const piece of pieces) {
    const length = piece?.length ?? SMALL_BYTES;
    if (piece !== null && length < SMALL_BYTES) {
      small.push(piece);
      bytes += length;
    }
    if (bytes > 0 && Math.max(bytes, length) >= SMALL_BYTES) yield joined();
    if (piece !== null && length >= SMALL_BYTES) yield piece;
  }
  yield joined();
}
