import { encodeEntry } from "../../entry/line-encode.ts";
import type { LinePlace } from "../../entry/problem.ts";
import { SessionTree } from "../../tree/session-tree.ts";
import { PathBase } from "../../tree/path-base.ts";
import { idOfStep, readSteps } from "../path-copy.ts";
import type { CopiedStep, LineSource, PathCopy } from "../store.ts";
import { copiedLine } from "./copied-line.ts";

/** Bytes that are read at a time; a longer line is read alone. */
const BLOCK_BYTES: number = 4 * 1024 * 1024;
/** Of what is read, one part in this many may be lines that are not wanted. */
const WANTED_TO_HOLES = 32;
/** Pieces below this size, in bytes, are written together. */
const SMALL_BYTES: number = 256 * 1024;
/** Entries that are encoded at a time. */
const ENCODED_AT_ONCE = 64;
const NEWLINE: Uint8Array = Uint8Array.of(0x0a);

/** Neighbouring steps whose lines are read with one call, or which are encoded. */
interface Block {
  readonly first: number;
  /** Index behind the last step. */
  readonly end: number;
  /** Of each step; null = the steps are encoded. */
  readonly places: readonly LinePlace[] | null;
  /** Bytes of the places, once they are wanted. */
  readonly bytes: Promise<Uint8Array> | null;
}

/**
 * The lines of a copied path, made while they are written (F120: the cost is that of the path, not of
 * the file). Lines that stay are read in long ranges and keep their bytes (reliability.md §3 row 26);
 * what cannot stay is encoded. Bounded memory: two blocks and one line.
 */
export class PathLines {
  /** What a reader of the new file would learn of the path, once all lines were taken. */
  readonly base: PathBase;
  readonly #copy: PathCopy;
  readonly #lines: LineSource | undefined;
  /** Begins of the lines that something is wrong with. */
  readonly #damaged: ReadonlySet<number>;
  readonly #relinks: number;
  readonly #ends: number[] = [];
  readonly #names: SessionTree;
  #position: number;

  /** `session` is the new session's id, `position` where the first line will stand. */
  constructor(copy: PathCopy, session: string, position: number) {
    this.#copy = copy;
    this.#lines = copy.from.lines;
    this.#damaged = new Set(copy.from.problems.map(({ byteStart }) => byteStart));
    this.#relinks = copy.from.tree.relinks;
    this.#names = new SessionTree(session);
    this.base = new PathBase(session, () => this.#names.name());
    this.#position = position;
  }

  /** True where `base` is all that a reader would find: the old session is sound. */
  get isSound(): boolean {
    const { problems, tree } = this.#copy.from;
    return this.#lines !== undefined && problems.length === 0 && tree.relinks === this.#relinks;
  }

  /** Offset behind the last line so far. */
  get end(): number {
    return this.#position;
  }

  /** The entry's line in the new file, or null. */
  placeOf(id: string): LinePlace | null {
    const ordinal = this.base.get(id)?.ordinal;
    if (ordinal === undefined) return null;
    const byteStart = this.#ends[ordinal - 1] ?? this.#start;
    // The header is line 1.
    return { line: ordinal + 2, byteStart, byteEnd: (this.#ends[ordinal] as number) - 1 };
  }
