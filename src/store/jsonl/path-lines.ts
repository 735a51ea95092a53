import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { encodeEntry } from "../../entry/line-encode.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import { PathBase } from "../../tree/path-base.ts";
import { SessionTree } from "../../tree/session-tree.ts";
import { idOfStep, readSteps } from "../path-copy.ts";
import type { CopiedStep, LineSource, PathCopy } from "../store.ts";
import { copiedLine } from "./copied-line.ts";
import type { KnownSession } from "./known-session.ts";

/** Bytes that are read at a time; a longer line is read alone. */
const BLOCK_BYTES: number = 4 * 1024 * 1024;
/** The buffers of long blocks: a block, its holes, and a last line that is not much longer than most. */
const BUFFER_BYTES: number = BLOCK_BYTES + BLOCK_BYTES / 4;
const BUFFERS = 3;
/** Of what is read, one part in this many may be lines that are not wanted. */
const WANTED_TO_HOLES = 32;
/** Pieces below this size, in bytes, are written together. */
const SMALL_BYTES: number = 256 * 1024;
/** Entries that are encoded at a time. */
const ENCODED_AT_ONCE = 64;
/** How many of the last bytes tell a file. */
const FINGERPRINT_BYTES = 64;
const NEWLINE: Uint8Array = Uint8Array.of(0x0a);

/** Neighbouring steps whose lines are read with one call, or which are encoded. */
interface Block {
  readonly first: number;
  /** Index behind the last step. */
  readonly end: number;
  /** The lines of the steps, ascending; none where they are encoded. */
  readonly places: readonly LinePlace[];
  /** What stands from the first line on; null = the steps are encoded. */
  readonly bytes: Promise<Buffer> | null;
}

/**
 * The lines of a copied path, made while they are written (F120: the cost is that of the path, not of
 * the file). Lines that stay are read in long ranges and keep their bytes (reliability.md §3 row 26);
 * what cannot stay is encoded. Bounded memory: two blocks and one line.
 */
export class PathLines {
  /** What a reader of the new file would learn of the path. */
  readonly #base: PathBase;
  readonly #copy: PathCopy;
  readonly #lines: LineSource | undefined;
  /** Begins of the lines that something is wrong with. */
  readonly #damaged: ReadonlySet<number>;
  readonly #relinks: number;
  readonly #header: Uint8Array;
  /** Offset behind each line, newline included. */
  readonly #ends: number[] = [];
  readonly #names: SessionTree;
  readonly #buffers: Buffer[] = [];
  #turn = 0;
  #position: number;
  #last: Uint8Array;

  /** `session` is the new session's id, `header` the first line of its file. */
  constructor(copy: PathCopy, session: string, header: Uint8Array) {
    this.#copy = copy;
    this.#header = header;
    this.#lines = copy.from.lines;
    this.#damaged = new Set(copy.from.problems.map(({ byteStart }) => byteStart));
    this.#relinks = copy.from.tree.relinks;
    this.#names = new SessionTree(session);
    this.#base = new PathBase(session, () => this.#names.name());
    this.#position = header.length;
    this.#last = header;
  }

  /** True where `base` is all that a reader would find: the old session is sound. */
  get isSound(): boolean {
    const { problems, tree } = this.#copy.from;
    return this.#lines !== undefined && problems.length === 0 && tree.relinks === this.#relinks;
  }

  /** What is known of the new file once it is written, whatever stands behind the path. */
  known(identity: FileIdentity, header: SessionHeader): KnownSession {
    return {
      identity,
      known: this.#position,
      nextLine: this.#base.size + 2,
      fingerprint: this.#last.subarray(-FINGERPRINT_BYTES),
      header,
      base: this.#base,
      placeOf: (id) => this.#placeOf(id),
      // Keys belong to the session that they were given in.
      idsOfKey: () => undefined,
      isAlive: () => true,
    };
  }

  #placeOf(id: string): LinePlace | null {
    const ordinal = this.#base.get(id)?.ordinal;
    if (ordinal === undefined) return null;
    const byteStart = this.#ends[ordinal - 1] ?? this.#header.length;
    // The header is line 1.
    return { line: ordinal + 2, byteStart, byteEnd: (this.#ends[ordinal] as number) - 1 };
  }

  /**
   * The header and all lines, in pieces that are worth a write. To be taken once; a piece is good until
   * the one behind the next is asked for.
   */
  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    const { steps } = this.#copy;
    const small = new SmallPieces(this.#header);
    let next = this.#blockAt(0);
    while (next.first < steps.length) {
      const block = next;
      const read = await block.bytes;
      // Its read goes on while the lines of this one are looked at and written.
      next = this.#blockAt(block.end);
      for await (const piece of read === null ? this.#encoded(block) : this.#kept(block, read)) {
        this.#last = piece;
        if (piece.length < SMALL_BYTES) small.push(piece);
        if (small.bytes > 0 && Math.max(small.bytes, piece.length) >= SMALL_BYTES)
          yield small.take();
        if (piece.length >= SMALL_BYTES) yield piece;
      }
      // The buffer of a long block is used again soon.
      if (read !== null && read.length >= SMALL_BYTES && small.bytes > 0) yield small.take();
    }
    yield small.take();
    for (const entry of await readSteps(this.#copy.from, steps.filter(isName))) {
      this.#names.add(entry);
    }
  }

  /** Works out what a reader would learn, from the old tree; needed for {@link PathLines.known}. */
  learn(): void {
    for (const step of this.#copy.steps) {
      if (step.kind === "same") this.#base.addSame(step.at);
      else this.#base.addNew(step.entry);
    }
  }

  async *#encoded(block: Block): AsyncGenerator<Uint8Array, void, void> {
    const steps = this.#copy.steps.slice(block.first, block.end);
    for (const [index, entry] of (await readSteps(this.#copy.from, steps)).entries()) {
      yield this.#encode(block.first + index, entry);
    }
  }

  async *#kept(block: Block, read: Buffer): AsyncGenerator<Uint8Array, void, void> {
    const start = (block.places[0] as LinePlace).byteStart;
    let from = 0;
    let to = 0;
    for (const [index, place] of block.places.entries()) {
      const at = block.first + index;
      const [lineStart, lineEnd] = [place.byteStart - start, place.byteEnd - start];
      const line = read.subarray(lineStart, lineEnd);
      const copied = copiedLine(line, {
        id: this.#idAt(at) as string,
        parentId: this.#idAt(at - 1),
      });
      const isRange = copied === line && read[lineEnd] === NEWLINE[0];
      if (!isRange || lineStart !== to) {
        if (to > from) yield read.subarray(from, to);
        from = lineStart;
      }
      to = lineEnd + 1;
      if (isRange) this.#take(line.length + 1);
      else {
        from = to;
        yield await this.#replaced(at, copied);
      }
    }
    if (to > from) yield read.subarray(from, to);
  }

  async #replaced(at: number, copied: Uint8Array | null): Promise<Uint8Array> {
    if (copied !== null) {
      this.#take(copied.length + 1);
      return Buffer.concat([copied, NEWLINE]);
    }
    const [entry] = await readSteps(this.#copy.from, this.#copy.steps.slice(at, at + 1));
    return this.#encode(at, entry as Entry);
  }

  #encode(at: number, entry: Entry): Uint8Array {
    const line = encodeEntry({ ...entry, parentId: this.#idAt(at - 1) });
    this.#take(line.length);
    return line;
  }

  #take(bytes: number): void {
    this.#position += bytes;
    this.#ends.push(this.#position);
  }

  /** Id of the entry of a step; null before the first one. */
  #idAt(index: number): string | null {
    const step = this.#copy.steps[index];
    return step === undefined ? null : idOfStep(step);
  }

  #blockAt(first: number): Block {
    const place = this.#placeToKeep(first);
    if (place === null) return this.#encodedBlock(first);
    const places = [place];
    let end = first + 1;
    let wanted = lengthOf(place);
    for (let holes = 0; wanted < BLOCK_BYTES; end++) {
      const next = this.#placeToKeep(end);
      if (next === null) break;
      holes += next.byteStart - (places.at(-1) as LinePlace).byteEnd - 1;
      wanted += lengthOf(next);
      if (next.byteStart <= (places.at(-1) as LinePlace).byteEnd) break;
      if (holes * WANTED_TO_HOLES > wanted) break;
      places.push(next);
    }
    const length = (places.at(-1) as LinePlace).byteEnd + 1 - place.byteStart;
    const bytes = this.#read(place.byteStart, length);
    // Awaited when it is its turn; if that never comes, nobody misses it.
    bytes.catch(() => undefined);
    return { first, end, places, bytes };
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const buffer = this.#bufferOf(length);
    const count = await (this.#lines as LineSource).readInto(buffer, position);
    return buffer.subarray(0, count);
  }

  /**
   * Long blocks share three buffers: one is written while one is looked at and one is read into. What
   * is longer than they are has its own.
   */
  #bufferOf(length: number): Buffer {
    if (length < SMALL_BYTES || length > BUFFER_BYTES) return Buffer.allocUnsafeSlow(length);
    this.#turn = (this.#turn + 1) % BUFFERS;
    const buffer = this.#buffers[this.#turn] ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    this.#buffers[this.#turn] = buffer;
    return buffer.subarray(0, length);
  }

  #encodedBlock(first: number): Block {
    const { length } = this.#copy.steps;
    let end = first + 1;
    while (end < Math.min(length, first + ENCODED_AT_ONCE) && this.#placeToKeep(end) === null)
      end++;
    return { first, end, places: [], bytes: null };
  }

  /** The line of a step that may stay as it is; null where there is none. */
  #placeToKeep(index: number): LinePlace | null {
    const step = this.#copy.steps[index];
    if (this.#lines === undefined || step === undefined || step.kind === "new") return null;
    if (step.at.storedParentId !== this.#idAt(index - 1)) return null;
    // A session with lines has one for every entry.
    const place = this.#copy.from.placeOf(step.at.id) as LinePlace;
    return this.#damaged.has(place.byteStart) ? null : place;
  }
}

/** Pieces that are written together. */
class SmallPieces {
  #pieces: Uint8Array[];
  bytes: number;

  constructor(first: Uint8Array) {
    this.#pieces = [first];
    this.bytes = first.length;
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.bytes += piece.length;
  }

  take(): Uint8Array {
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.bytes = 0;
    return all;
  }
}

function lengthOf({ byteStart, byteEnd }: LinePlace): number {
  return byteEnd + 1 - byteStart;
}

function isName(step: CopiedStep): boolean {
  return step.kind === "same" && step.at.type === "session_info";
}
