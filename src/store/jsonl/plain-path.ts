import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { encodeEntry } from "../../entry/line-encode.ts";
import { readLink } from "../../entry/line-head.ts";
import { readEntryLine } from "../../entry/session-decoder.ts";
import type { IndexedSession, LineStretch, PathStretches } from "../../index/session-index.ts";
import { byteTools } from "../../io/byte-tools.ts";
import type { Clock } from "../../io/clock.ts";
import type { FileIdentity } from "../../io/file-system.ts";
import { isCopied } from "../../tree/copied-path.ts";
import { place } from "../../tree/linker.ts";
import { MirroredPath } from "../../tree/mirrored-path.ts";
import { isOwn, SessionTree } from "../../tree/session-tree.ts";
import type { LineSource, StoreSession } from "../store.ts";
import { copiedLine, mayBeStamped } from "./copied-line.ts";
import {
  BLOCK_BYTES,
  BlockBuffers,
  type CopiedLines,
  inWrites,
  knownCopy,
  SMALL_BYTES,
} from "./copied-lines.ts";
import type { KnownSession } from "./known-session.ts";
import { takeOver } from "./take-over.ts";

const NEWLINE = 0x0a;
/** Stretches that lie this close together are read in one go, in bytes. */
const MAX_HOLE: number = 64 * 1024;
/** What has to be read to know whether it is copied, or what it says of the session. */
const LOOKED_AT: ReadonlySet<string> = new Set([
  "label",
  "leaf",
  "custom",
  "context_edit",
  "session_info",
]);

/** Thrown where a line is not what the index says: every entry has to be looked at. */
export class UnlikeIndex extends Error {
  constructor() {
    super("a line is not what the index says");
  }
}

/** A place in the stretches. */
interface Cursor {
  readonly stretch: number;
  /** Offset in the file. */
  readonly from: number;
}

/** Whole lines of one stretch. */
interface Part {
  readonly byteStart: number;
  /** The newline of the last line. */
  readonly byteEnd: number;
  /** Ordinal of the first entry where the stretch begins here, and behind the last one where it ends here. */
  readonly first: number | null;
  readonly behind: number | null;
}

/** A range of the file, read: whole stretches that lie together, or a part of a long one. */
interface Block {
  readonly start: number;
  readonly bytes: Buffer;
  readonly parts: readonly Part[];
  /** Where it goes on, or null. */
  readonly next: Cursor | null;
}

/** Lines that stay, as a range of the bytes they stand in, newlines included. */
interface KeptRange {
  readonly from: number;
  readonly to: number;
  /** Ordinal of the first one there; how many. */
  readonly first: number;
  readonly count: number;
}

/** A line that is written in another way. */
interface NewLine {
  readonly at: number;
  readonly id: string;
  readonly parentId: string | null;
  /** Without its newline; null = the entry is encoded. */
  readonly line: Uint8Array | null;
  /** null = it has to be asked for. */
  readonly entry: Entry | null;
}

/** What a {@link PlainPath} copies. */
export interface PlainPathOptions {
  readonly from: StoreSession;
  readonly lines: LineSource;
  readonly indexed: IndexedSession;
  readonly stretches: PathStretches;
  /** The entry that the path ends at. */
  readonly at: string;
  /** Id of the new session, and the first line of its file. */
  readonly session: string;
  readonly header: Uint8Array;
  /** Ids of the entries that are made for the new session. */
  readonly fresh: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * The lines of a path in which nothing but parents changes, copied in long ranges from where the index says
 * that they stand (T10). The file itself has the last word: of each line type, id and parent are read, the
 * parents have to lead from a root to the end of the path without a hole, and a line that may carry a key, a
 * group mark or a stub of a blob is looked at in full; so it gives what a look at each entry gives. Anything
 * else throws {@link UnlikeIndex} while the chunks are taken. Bounded memory: three blocks, or lines that are longer.
 */
export class PlainPath implements CopiedLines {
  readonly #options: PlainPathOptions;
  readonly #mirror: MirroredPath;
  readonly #names: SessionTree;
  readonly #buffers = new BlockBuffers();
  /** Offset behind each line, newline included. */
  readonly #ends: number[] = [];
  #position: number;
  #last: Uint8Array;
  /** Ids of the line before on the old path, and on the new one; null before the first. */
  #above: string | null = null;
  #copied: string | null = null;
  /** Ordinal there of the next line. */
  #ordinal = 0;

  constructor(options: PlainPathOptions) {
    const { session, header, stretches, fresh } = options;
    this.#options = options;
    const names = new SessionTree(session);
    this.#names = names;
    // What outlives this must not keep the buffers.
    const name = (): string | null => names.name();
    this.#mirror = new MirroredPath({ session, from: stretches.base, name, fresh });
    this.#position = header.length;
    this.#last = header;
  }

  chunks(): AsyncGenerator<Uint8Array, void, void> {
    return inWrites(this.#options.header, this.#pieces());
  }

  /** null where the index has lost the path meanwhile. */
  known(identity: FileIdentity, header: SessionHeader): KnownSession | null {
    const { indexed, stretches, clock } = this.#options;
    if (!indexed.isAlive()) return null;
    const mirror = this.#mirror;
    mirror.end(this.#copied);
    stretches.onLeave(mirror);
    takeOver(mirror, indexed, clock);
    return knownCopy(identity, header, {
      start: this.#options.header.length,
      ends: this.#ends,
      last: this.#last,
      base: mirror,
      isAlive: () => mirror.isKept || indexed.isAlive(),
    });
  }

  async *#pieces(): AsyncGenerator<Uint8Array | null, void, void> {
    let reading = this.#read(this.#cursorAt(0) as Cursor);
    for (let isLast = false; !isLast; ) {
      const block = await reading;
      isLast = block.next === null;
      if (block.next !== null) reading = this.#read(block.next);
      // Awaited when it is its turn; if that never comes, nobody misses it.
      reading.catch(() => undefined);
      for (const part of block.parts) yield* this.#partOf(block, part);
      if (block.bytes.length >= SMALL_BYTES) yield null;
    }
    if (this.#above !== this.#options.at) throw new UnlikeIndex();
  }

  async *#partOf(
    { start, bytes }: Block,
    { byteStart, byteEnd, first, behind }: Part,
  ): AsyncGenerator<Uint8Array, void, void> {
    this.#ordinal = first ?? this.#ordinal;
    const range = bytes.subarray(byteStart - start, byteEnd + 1 - start);
    for (const item of this.#items(range)) {
      const isKept = "first" in item;
      const piece = isKept ? range.subarray(item.from, item.to) : await this.#written(item);
      this.#mirror.add(isKept ? item.first : item.at, isKept ? item.count : 1);
      this.#position += piece.length;
      if (!isKept) this.#ends.push(this.#position);
      this.#last = piece;
      yield piece;
    }
    if (behind !== null && behind !== this.#ordinal) throw new UnlikeIndex();
  }

  async #written({ id, parentId, line, entry }: NewLine): Promise<Uint8Array> {
    if (line !== null) return Buffer.concat([line, Uint8Array.of(NEWLINE)]);
    const [asked] = entry === null ? await this.#options.from.getAll([id]) : [entry];
    return encodeEntry({ ...(asked as Entry), parentId });
  }

  /** Cuts whole lines into what stays and what does not. Not more than needed is done for each line. */
  *#items(range: Buffer): Generator<KeptRange | NewLine, void, void> {
    if (range.at(-1) !== NEWLINE) throw new UnlikeIndex();
    let from = 0;
    let count = 0;
    for (let start = 0; start < range.length; ) {
      const end = range.indexOf(NEWLINE, start);
      const found = this.#look(range.subarray(start, end));
      if (found === "kept") {
        if (count++ === 0) from = start;
        // What was cut off before has been counted by now.
        this.#ends.push(this.#position + end + 1 - from);
      } else {
        if (count > 0) yield { from, to: start, first: this.#firstOf(count, found), count };
        count = 0;
        if (found !== "left" && found !== "blank") yield found;
      }
      start = end + 1;
    }
    if (count > 0) yield { from, to: range.length, first: this.#ordinal - count, count };
  }

  /** The line that ended a range has been counted already, unless nothing stands on it. */
  #firstOf(count: number, found: NewLine | "left" | "blank"): number {
    return this.#ordinal - count - (found === "blank" ? 0 : 1);
  }

  #look(line: Buffer): "kept" | "left" | "blank" | NewLine {
    const head = readLink(line, byteTools.slice);
    const link = head ?? readEntryLine(line);
    if (link === null) {
      if (line.toString("latin1").trim() === "") return "blank";
      throw new UnlikeIndex();
    }
    const { id, parentId } = link;
    if (parentId !== this.#above) throw new UnlikeIndex();
    this.#above = id;
    const at = this.#ordinal++;
    if (LOOKED_AT.has(link.type) && !this.#isCopied(line)) return "left";
    const above = this.#copied;
    this.#copied = id;
    if (parentId !== above) {
      return { at, id, parentId: above, line: null, entry: entryWithPayload(line, id) };
    }
    if (head !== null && !mayBeStamped(line)) return "kept";
    const copied = copiedLine(line, link);
    return copied === line ? "kept" : { at, id, parentId, line: copied, entry: null };
  }

  #isCopied(line: Buffer): boolean {
    const entry = readEntryLine(line);
    if (entry === null) throw new UnlikeIndex();
    const at = place(entry, 0);
    if (!isCopied(at, (id) => this.#isOnPath(id))) return false;
    if (isOwn(at)) this.#mirror.countOwn();
    if (entry.type === "session_info") this.#names.add(entry);
    return true;
  }

  #isOnPath(id: string): boolean {
    const { at, stretches } = this.#options;
    const { base } = stretches;
    return base.get(id) !== undefined && base.commonAncestor(id, at)?.id === id;
  }

  /** Reads whole stretches that lie together, or a part of a long one. */
  async #read(cursor: Cursor): Promise<Block> {
    const { stretches } = this.#options.stretches;
    const { from } = cursor;
    const parts: Part[] = [];
    let to = from;
    for (let at = cursor.stretch; at < stretches.length; at++) {
      const { first, count, byteStart, byteEnd } = stretches[at] as LineStretch;
      const isFirst = parts.length === 0;
      if (byteEnd + 1 - from > BLOCK_BYTES || (!isFirst && byteStart - to > MAX_HOLE)) break;
      const begin = isFirst ? from : byteStart;
      const ordinal = begin === byteStart ? first : null;
      parts.push({ byteStart: begin, byteEnd, first: ordinal, behind: first + count });
      to = byteEnd + 1;
    }
    if (parts.length === 0) return this.#readPart(cursor);
    const next = this.#cursorAt(cursor.stretch + parts.length);
    return { start: from, bytes: await this.#fill(from, to - from), parts, next };
  }

  /** Up to the last newline in a block; a longer line alone. */
  async #readPart(cursor: Cursor, length: number = BLOCK_BYTES): Promise<Block> {
    const { stretch, from } = cursor;
    const { stretches } = this.#options.stretches;
    const { first, count, byteStart, byteEnd } = stretches[stretch] as LineStretch;
    const isRest = from + length > byteEnd;
    const bytes = await this.#fill(from, isRest ? byteEnd + 1 - from : length);
    const cut = isRest ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    if (cut === 0) return await this.#readPart(cursor, await this.#longLine(from, byteEnd));
    const part = {
      byteStart: from,
      byteEnd: from + cut - 1,
      first: from === byteStart ? first : null,
      behind: isRest ? first + count : null,
    };
    const next = isRest ? this.#cursorAt(stretch + 1) : { stretch, from: from + cut };
    return { start: from, bytes, parts: [part], next };
  }

  /**
   * Length of a line that is longer than a block, newline included; not kept meanwhile. Of a file that was cut
   * it is a wrong one, which is met when the line is read.
   */
  async #longLine(from: number, byteEnd: number): Promise<number> {
    const buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    for (let at = from + BLOCK_BYTES; at + BLOCK_BYTES <= byteEnd; at += BLOCK_BYTES) {
      await this.#options.lines.readInto(buffer, at);
      const newline = buffer.indexOf(NEWLINE);
      if (newline !== -1) return at + newline + 1 - from;
    }
    return byteEnd + 1 - from;
  }

  #cursorAt(stretch: number): Cursor | null {
    const next = this.#options.stretches.stretches[stretch];
    return next === undefined ? null : { stretch, from: next.byteStart };
  }

  async #fill(from: number, length: number): Promise<Buffer> {
    const buffer = this.#buffers.take(length);
    if ((await this.#options.lines.readInto(buffer, from)) < length) throw new UnlikeIndex();
    return buffer;
  }
}

/** The entry on a line; null where another one stands there, or a stub. */
function entryWithPayload(line: Buffer, id: string): Entry | null {
  const entry = readEntryLine(line);
  return entry?.id !== id || "branchline" in entry ? null : entry;
}
