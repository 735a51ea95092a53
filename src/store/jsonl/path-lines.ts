import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { encodeEntry } from "../../entry/line-encode.ts";
import type { LinePlace } from "../../entry/problem.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import { PathBase } from "../../tree/path-base.ts";
import { SessionTree } from "../../tree/session-tree.ts";
import { idOfStep, readSteps } from "../path-copy.ts";
import type { CopiedStep, LineSource, PathCopy } from "../store.ts";
import { copiedLine } from "./copied-line.ts";
import {
  BLOCK_BYTES,
  BlockBuffers,
  type CopiedLines,
  inWrites,
  knownCopy,
  SMALL_BYTES,
} from "./copied-lines.ts";
import type { KnownSession } from "./known-session.ts";

/** Of what is read, one part in this many may be lines that are not wanted. */
const WANTED_TO_HOLES = 32;
/** Entries that are encoded at a time. */
const ENCODED_AT_ONCE = 64;
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
export class PathLines implements CopiedLines {
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
  readonly #buffers = new BlockBuffers();
  #position: number;
  #last: Uint8Array;

  /** `session` is the new session's id, `header` the first line of its file. */
  constructor(copy: PathCopy, session: string, header: Uint8Array) {
    this.#copy = copy;
    this.#header = header;
    this.#lines = copy.from.lines;
    this.#damaged = new Set(copy.from.problems.map(({ byteStart }) => byteStart));
    this.#relinks = copy.from.tree.relinks;
    const names = new SessionTree(session);
    this.#names = names;
    // What outlives this must not keep the buffers.
    this.#base = new PathBase(session, () => names.name());
    this.#position = header.length;
    this.#last = header;
  }

  /** null where the old session is not sound: then `base` is not all that a reader would find. */
  known(identity: FileIdentity, header: SessionHeader): KnownSession | null {
    const { problems, tree } = this.#copy.from;
    const isSound = problems.length === 0 && tree.relinks === this.#relinks;
    if (this.#lines === undefined || !isSound) return null;
    return knownCopy(identity, header, {
      start: this.#header.length,
      ends: this.#ends,
      last: this.#last,
      base: this.#base,
      isAlive,
    });
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    yield* inWrites(this.#header, this.#pieces());
    const names = this.#copy.steps.filter(isName);
    for (const entry of await readSteps(this.#copy.from, names)) this.#names.add(entry);
  }

  async *#pieces(): AsyncGenerator<Uint8Array | null, void, void> {
    const { steps } = this.#copy;
    let next = this.#blockAt(0);
    while (next.first < steps.length) {
      const block = next;
      const read = await block.bytes;
      // Its read goes on while the lines of this one are looked at and written.
      next = this.#blockAt(block.end);
      for await (const piece of read === null ? this.#encoded(block) : this.#kept(block, read)) {
        this.#last = piece;
        yield piece;
      }
      if (read !== null && read.length >= SMALL_BYTES) yield null;
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
      const expected = { id: this.#idAt(at) as string, parentId: this.#idAt(at - 1) };
      // Of a file that was cut meanwhile, half a line may be there.
      const copied = lineEnd > read.length ? null : copiedLine(line, expected);
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
    const buffer = this.#buffers.take(length);
    const count = await (this.#lines as LineSource).readInto(buffer, position);
    return buffer.subarray(0, count);
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

function lengthOf({ byteStart, byteEnd }: LinePlace): number {
  return byteEnd + 1 - byteStart;
}

/** The old session has no part in what is known. */
function isAlive(): boolean {
  return true;
}

function isName(step: CopiedStep): boolean {
  return step.kind === "same" && step.at.type === "session_info";
}
