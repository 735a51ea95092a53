import type { SessionHeader } from "../../entry/entry.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import type { TreeBase } from "../../tree/tree-base.ts";
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
const FINGERPRINT_BYTES = 64;
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

/**
 * Joins small pieces into what is worth a write. null = the buffer of what was given so far is used again soon:
 * at least one piece goes out between two of them, if need be an empty one, so that whoever writes is done
 * with the one before.
 */
export async function* inWrites(
  first: Uint8Array,
  pieces: AsyncIterable<Uint8Array | null>,
): AsyncGenerator<Uint8Array, void, void> {
  let small = [first];
  let bytes = first.length;
  let isGiven = false;
  const joined = (): Uint8Array => {
    const all = Buffer.concat(small);
    small = [];
    bytes = 0;
    isGiven = true;
    return all;
  };
  for await (const piece of pieces) {
    if (piece === null) {
      if (bytes > 0 || !isGiven) yield joined();
      isGiven = false;
    } else if (piece.length < SMALL_BYTES) {
      small.push(piece);
      bytes += piece.length;
      if (bytes >= SMALL_BYTES) yield joined();
    } else {
      if (bytes > 0) yield joined();
      isGiven = true;
      yield piece;
    }
  }
  yield joined();
}

/** Where copied lines stand in a new file. */
export interface WrittenLines {
  /** Bytes of the first line, the header. */
  readonly start: number;
  /** Offset behind each further line, newline included. */
  readonly ends: readonly number[];
  /** The last bytes. */
  readonly last: Uint8Array;
  /** What a reader finds in them. */
  readonly base: TreeBase;
  readonly isAlive: () => boolean;
}

/** What is known of a new file. Holds nothing of what the lines were read from, which may be much. */
export function knownCopy(
  identity: FileIdentity,
  header: SessionHeader,
  { start, ends, last, base, isAlive }: WrittenLines,
): KnownSession {
  const placeOf = (id: string): LinePlace | null => {
    const ordinal = base.get(id)?.ordinal;
    if (ordinal === undefined) return null;
    // The header is line 1.
    const line = ordinal + 2;
    return { line, byteStart: ends[ordinal - 1] ?? start, byteEnd: (ends[ordinal] as number) - 1 };
  };
  return {
    ...{ identity, header, base, placeOf, isAlive },
    known: ends.at(-1) ?? start,
    nextLine: base.size + 2,
    // A copy: a view would keep the whole block.
    fingerprint: new Uint8Array(last.subarray(-FINGERPRINT_BYTES)),
    // Keys belong to the session that they were given in.
    idsOfKey: () => undefined,
  };
}
