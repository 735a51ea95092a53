import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import { madeUpHeader, PI_VERSION } from "../../entry/header-check.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import { baseOf } from "../../entry/session-base.ts";
import {
  type Decoded,
  type DecodedTail,
  type LineDecoder,
  type PhysicalLine,
  SessionDecoder,
} from "../../entry/session-decoder.ts";
import { AppendFile, sameBytes } from "../../io/append-file.ts";
import { sameFile } from "../../io/file-identity.ts";
import type { FileSystem } from "../../io/file-system.ts";
import type { Hold } from "../../io/lock-slice.ts";
import { SessionTree } from "../../tree/session-tree.ts";
import { assertSession, readOnlyReason, takeLines, takeTailProblems } from "./decoded-lines.ts";
import { decoderFor } from "./decoder-for.ts";
import { idFromName } from "./id-from-name.ts";
import { IndexedEntries } from "./indexed-entries.ts";
import { KeptEntries } from "./kept-entries.ts";
import type { KnownSession } from "./known-session.ts";
import type { EntriesBelow } from "./linked-base.ts";
import { scanStructure } from "./scan-structure.ts";
import type { MadeFile, WrittenEntry } from "./written-entry.ts";

/** How {@link SessionFile.open} opens. */
export interface SessionFileOptions {
  /** "append" also allows writing; nothing is written by opening (R7). */
  readonly mode: "read" | "append";
  readonly signal?: AbortSignal | undefined;
  /** Finds what a linked session reads from its base; without it only what stands in the file is read. */
  readonly below?: FindBelow | undefined;
}

/** What a session with this header reads from its base, or null; whoever reads the file closes it. */
export type FindBelow = (header: SessionHeader, path: string) => Promise<EntriesBelow | null>;

const CLEAN_TAIL: DecodedTail = { incompleteGroup: null, torn: null, unterminated: false };

/**
 * A session file and what was read from it: header, tree, entries with their places, idempotency
 * keys, problems. Reads from the last known byte on, so files that others write are followed. Knows
 * nothing of locks; whoever writes holds one.
 */
export class SessionFile {
  readonly file: AppendFile;
  readonly mode: "read" | "append";
  readonly header: SessionHeader;
  /** What it reads from the session that it is linked to, or null. Whoever closes `file` closes it, too. */
  readonly below: EntriesBelow | null;
  /** Why the format itself forbids writing, or null. */
  readonly readOnly: string | null;
  readonly #decoder: LineDecoder;
  readonly #kept = new KeptEntries();
  readonly #keys = new Map<string, string[]>();
  readonly #known: KnownSession | null;
  readonly #indexed: IndexedEntries;
  #tree: SessionTree | null = null;
  /** Entries that wait for the first question to the tree. */
  readonly #unlinked: Entry[] = [];
  #tailProblems: readonly Problem[] = [];
  #tail: DecodedTail = CLEAN_TAIL;
  /** Where the next scan begins. The file's own `known` is brought here, also after a failed read. */
  #from = 0;
  /** Number of the line that begins at #from, or goes on there behind an unterminated record. */
  #line = 1;
  /** End of the file when it was last read. */
  #end = 0;
  /** Everything before it was synced by this handle. */
  #durableTo = 0;

  private constructor(
    file: AppendFile,
    start: {
      readonly decoder: LineDecoder;
      readonly mode: "read" | "append";
      readonly known?: KnownSession;
      readonly below?: EntriesBelow | null;
    },
  ) {
    this.file = file;
    this.#decoder = start.decoder;
    this.mode = start.mode;
    this.header = freezeDeep(start.decoder.header ?? madeUpHeader(idFromName(file.path)));
    this.below = start.below ?? null;
    this.readOnly = readOnlyReason(start.decoder);
    this.#known = start.known ?? null;
    this.#indexed = new IndexedEntries(file, (id) => this.placeOf(id));
  }

  /**
   * Opens a file of which an index knows the first lines, and reads only what stands behind them. null
   * where the file is not the one that the index knows. Throws as {@link SessionFile.open} does.
   */
  static async resume(
    fileSystem: FileSystem,
    path: string,
    options: SessionFileOptions & { readonly known: KnownSession },
  ): Promise<SessionFile | null> {
    const file = await AppendFile.open(fileSystem, path, { mode: options.mode });
    try {
      const session = await SessionFile.#resume(file, options);
      if (session === null) await file.close();
      return session;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Reads a file that is open already and has not been read: from where `known` ends where that fits the
   * file, else its structure where it is long enough for that to pay, else whole. Throws as
   * {@link SessionFile.open} does. The new object owns the file, also where it throws.
   */
  static async of(
    file: AppendFile,
    options: SessionFileOptions & {
      readonly known: KnownSession | null;
      /** Bytes from which on the structure is read. */
      readonly longFile: number;
    },
  ): Promise<SessionFile> {
    const { mode, signal, known, longFile } = options;
    try {
      const resumed = known && (await SessionFile.#resume(file, { mode, known }));
      if (resumed !== null) return resumed;
      const scanned = file.size < longFile ? null : await scanStructure(file, signal);
      const session = scanned && (await SessionFile.#resume(file, { mode, known: scanned }));
      if (session !== null) return session;
    } catch (error) {
      await file.close();
      throw error;
    }
    return await SessionFile.whole(file, options);
  }

  static async #resume(
    file: AppendFile,
    { mode, known }: { readonly mode: "read" | "append"; readonly known: KnownSession },
  ): Promise<SessionFile | null> {
    const length = known.fingerprint.length;
    const stands = await file.read(known.known - length, length);
    const isSame = sameFile(file.identity, known.identity) && sameBytes(stands, known.fingerprint);
    // What is known of a linked session is its own part only.
    if (!isSame || baseOf(known.header) !== null) return null;
    const decoder = SessionDecoder.resume(known.header);
    const session = new SessionFile(file, { decoder, mode, known });
    session.#from = known.known;
    session.#line = known.nextLine;
    await session.#readFrom();
    return session;
  }

  /**
   * Opens and reads a file. Throws SESSION_INVALID for what is no session, ABORTED, FILE_UNSAFE,
   * IO_FAILED. The caller closes its `file`.
   */
  static async open(
    fileSystem: FileSystem,
    path: string,
    options: SessionFileOptions,
  ): Promise<SessionFile> {
    const file = await AppendFile.open(fileSystem, path, { mode: options.mode });
    return await SessionFile.whole(file, options);
  }

  /** The same for a file that is open already and has not been read. Owns it, also where it throws. */
  static async whole(file: AppendFile, options: SessionFileOptions): Promise<SessionFile> {
    try {
      return await SessionFile.#read(file, options);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * The same open file, read as a whole. Not opened by its path again: another file may stand there by
   * now, and nothing may be taken from or written to that one (F011, F032). Throws as `AppendFile.check`
   * does where it is not the file that is known. The new object owns the file, and what it reads below.
   */
  async readWhole(): Promise<SessionFile> {
    await this.file.check();
    await this.file.advance(0);
    return await SessionFile.#readLines(this.file, { mode: this.mode }, async () => this.below);
  }

  /**
   * The file of a session that was just made. What stands below is not asked for anything. Owns the file,
   * also where it throws.
   */
  static async made(file: AppendFile, start: MadeFile): Promise<SessionFile> {
    const { header, bytes, below, written } = start;
    const decoder = SessionDecoder.resume(header);
    const session = new SessionFile(file, { decoder, mode: "append", below });
    session.#line = 2;
    session.accept(written, { start: bytes, sealed: 0 });
    try {
      await file.advance(session.#from);
    } catch (error) {
      await file.close();
      throw error;
    }
    return session;
  }

  static async #read(file: AppendFile, options: SessionFileOptions): Promise<SessionFile> {
    const { mode, signal } = options;
    const opened: (EntriesBelow | null)[] = [];
    try {
      return await SessionFile.#readLines(file, { mode, signal }, async (header) => {
        const below = (await options.below?.(header, file.path)) ?? null;
        opened.push(below);
        return below;
      });
    } catch (error) {
      for (const below of opened) await below?.close();
      throw error;
    }
  }

  static async #readLines(
    file: AppendFile,
    { mode, signal }: SessionFileOptions,
    find: (header: SessionHeader) => Promise<EntriesBelow | null>,
  ): Promise<SessionFile> {
    let decoder: LineDecoder | null = null;
    const early: Decoded[] = [];
    let session: SessionFile | null = null;
    let rest: PhysicalLine | null = null;
    let end = { from: 0, line: 1 };
    for await (const batch of file.scan(signal === undefined ? {} : { signal })) {
      decoder ??= await decoderFor(batch[0] as PhysicalLine);
      const read = takeLines(decoder, batch, early);
      rest = read.rest;
      end = read.end ?? end;
      // The tree needs the session's id, so what comes before the header waits for it.
      const { header } = decoder;
      if (session === null && header !== null) {
        session = new SessionFile(file, { decoder, mode, below: await find(header) });
      }
      if (session !== null) session.#take(early.splice(0));
    }
    decoder ??= new SessionDecoder();
    const finished = { ...decoder.finish(rest), rest };
    const late = decoder.header === null || session !== null ? null : await find(decoder.header);
    session ??= new SessionFile(file, { decoder, mode, below: late });
    session.#take(early);
    session.#from = end.from;
    session.#line = end.line;
    await session.#settle(finished);
    assertSession(file.path, decoder);
    return session;
  }

  /** Links, folds and tables of all entries, those of `below` first. */
  get tree(): SessionTree {
    if (this.#tree !== null) return this.#tree;
    this.#tree = new SessionTree(this.header.id, this.#known?.base ?? this.below?.tree);
    for (const entry of this.#unlinked.splice(0)) this.#tree.addNew(entry);
    return this.#tree;
  }

  /** Everything found so far, in the order of the file, what is wrong with the tail last. */
  get problems(): readonly Problem[] {
    const below = this.below?.problems ?? [];
    return [...below, ...this.#decoder.problems, ...this.#tailProblems];
  }

  /** Closes the file, and lets go of what it reads below. */
  async close(): Promise<void> {
    await this.file.close();
    await this.below?.close();
  }

  /** True where the session is linked to another one, and only its own part was read. */
  get isHalf(): boolean {
    return this.below === null && baseOf(this.header) !== null;
  }

  /** True where the index has forgotten what this file goes on from: it has to be read as a whole. */
  get isForgotten(): boolean {
    return this.#known !== null && !this.#known.isAlive();
  }

  /** What has to be repaired before the next append. */
  get tail(): DecodedTail {
    return this.#tail;
  }

  /** True where nothing has to be repaired. */
  get isClean(): boolean {
    return this.#tail === CLEAN_TAIL;
  }

  /** Size in bytes of what was read or written last, the tail included. */
  get end(): number {
    return this.#end;
  }

  /** Pi's version of the file: below 3 it is rewritten by the first append. */
  get version(): number {
    return this.#decoder.version;
  }

  /** True where the last complete line that was read is one of ours, unchanged. */
  get lastIsOurs(): boolean {
    return this.#decoder.lastIsOurs;
  }

  /** The entry, frozen, where it was read or written by this handle and not let go of; else undefined. */
  get(id: string): Entry | undefined {
    return this.#kept.get(id);
  }

  /** Lets go of the oldest payloads beyond `most` bytes; `load` reads them again. Never without being called. */
  trim(most: number): void {
    // An upgrade writes all that an older file holds.
    if (this.version === PI_VERSION) this.#kept.trim(most);
  }

  /**
   * The entries with these ids, frozen, as many as there are; reads those of which only the lines are
   * known. null where the file holds something else than the index says: open it as a whole then.
   */
  async load(ids: readonly string[]): Promise<ReadonlyMap<string, Entry> | null> {
    const all = new Map<string, Entry>();
    const wanted: string[] = [];
    for (const id of ids) {
      const entry = this.get(id);
      if (entry === undefined) wanted.push(id);
      else all.set(id, entry);
    }
    const found = await this.#indexed.load(wanted);
    if (found === null) return null;
    for (const [id, entry] of found) all.set(id, entry);
    if (this.below === null) return all;
    const rest = await this.below.load(ids.filter((id) => !all.has(id)));
    return new Map([...all, ...rest]);
  }

  /** Ids in file order, within places that there are. */
  idsBetween(from: number, to: number): readonly string[] {
    const ids: string[] = [];
    for (let at = from; at < to; at++) ids.push((this.tree.at(at) as { readonly id: string }).id);
    return ids;
  }

  /** The entries from a place in file order to the end, all read or written by this handle and not let go of. */
  since(ordinal: number): readonly Entry[] {
    return this.idsBetween(ordinal, this.tree.size).map((id) => this.get(id) as Entry);
  }

  /** Where in file order the entries begin whose lines stand behind a position. */
  ordinalAt(position: number): number {
    const ids = this.idsBetween(0, this.tree.size);
    return ids.findLastIndex((id) => (this.placeOf(id)?.byteStart ?? -1) < position) + 1;
  }

  /** The entry's line, or null. */
  placeOf(id: string): LinePlace | null {
    return this.#kept.placeOf(id) ?? this.#known?.placeOf(id) ?? null;
  }

  /** Ids of the entries that were committed with an idempotency key. */
  idsOfKey(key: string): readonly string[] | undefined {
    return this.#keys.get(key) ?? this.#known?.idsOfKey(key);
  }

  /** True where this handle itself brought the entry to stable storage. */
  isDurable(id: string): boolean {
    const place = this.placeOf(id);
    return place !== null && place.byteEnd < this.#durableTo;
  }

  /** Says that all that was read is on stable storage. */
  markDurable(): void {
    this.#durableTo = this.#end;
  }

  /**
   * Checks that the file is still the one that was read, and reads what stands behind the last known
   * byte; a hold that was kept is checked less (decision 11). Throws as `AppendFile.check` does; after a
   * failed read it can be called again.
   */
  async catchUp(hold: Hold = "looked"): Promise<void> {
    const size = hold === "kept" ? await this.file.checkAgain() : await this.file.check();
    const { torn, incompleteGroup } = this.#tail;
    if (this.file.known !== this.#from) await this.file.advance(this.#from);
    // Others may have cut what was unfinished and written as many bytes in its place.
    const isUnfinished = torn !== null || incompleteGroup !== null;
    if (isUnfinished || size !== this.#end) await this.#readOn();
  }

  /** Says that the unfinished tail is gone: it was cut. */
  cut(): void {
    this.#clean(this.file.size);
  }

  /**
   * Takes in entries that this handle appended. `start` is where its bytes begin, `sealed` how many
   * newlines (0 or 1) they begin with.
   */
  accept(
    written: readonly WrittenEntry[],
    at: { readonly start: number; readonly sealed: number },
  ): void {
    let line = this.#line + at.sealed;
    let byteStart = at.start + at.sealed;
    for (const { entry, bytes, key } of written) {
      if (this.#tree === null) this.#unlinked.push(entry);
      else this.#tree.addNew(entry);
      const place = { line, byteStart, byteEnd: byteStart + bytes - 1 };
      this.#kept.add({ entry, place, alone: true });
      this.#remember(entry.id, key ?? null);
      byteStart += bytes;
      line++;
    }
    this.#line = line;
    this.#clean(byteStart);
    this.markDurable();
  }

  #clean(end: number): void {
    this.#tail = CLEAN_TAIL;
    this.#tailProblems = [];
    this.#from = end;
    this.#end = end;
  }

  async #readFrom(): Promise<void> {
    await this.file.advance(this.#from);
    if (this.file.size > this.#from) await this.#readOn();
    else this.#clean(this.#from);
  }

  async #readOn(): Promise<void> {
    let rest: PhysicalLine | null = null;
    for await (const batch of this.file.scan({ firstLine: this.#line })) {
      const decoded: Decoded[] = [];
      const read = takeLines(this.#decoder, batch, decoded);
      this.#take(decoded);
      rest = read.rest;
      if (read.end === null) continue;
      this.#line = read.end.line;
      this.#clean(read.end.from);
    }
    await this.#settle({ ...this.#decoder.finish(rest), rest });
  }

  /** Nothing waits before the state is whole, so that a failed read leaves no half of it. */
  async #settle(end: {
    readonly entries: readonly Decoded[];
    readonly tail: DecodedTail;
    readonly rest: PhysicalLine | null;
  }): Promise<void> {
    const { entries, tail, rest } = end;
    this.#take(entries);
    this.#tail = tail;
    this.#end = rest?.byteEnd ?? this.#from;
    if (tail.incompleteGroup !== null) {
      // Its end may still be on the way: read it again from its first line the next time.
      this.#from = tail.incompleteGroup.byteStart;
      this.#line = tail.incompleteGroup.line;
    } else if (tail.unterminated) this.#from = this.#end;
    this.#tailProblems = takeTailProblems(this.#decoder.problems, tail);
    if (this.file.known !== this.#from) await this.file.advance(this.#from);
  }

  #take(decoded: readonly Decoded[]): void {
    for (const one of decoded) {
      if (one.kind === "lost") this.tree.addLost(one);
      else if (this.tree.add(one.entry)) {
        this.#kept.add(one);
        this.#remember(one.entry.id, one.key);
      } else this.#reportDuplicate(one.entry.id, one.place);
    }
  }

  #remember(id: string, key: string | null): void {
    if (key === null) return;
    const ids = this.#keys.get(key);
    if (ids === undefined) this.#keys.set(key, [id]);
    else ids.push(id);
  }

  #reportDuplicate(entryId: string, place: LinePlace): void {
    this.#decoder.problems.push({
      code: "ID_DUPLICATE",
      ...place,
      entryId,
      message: `The id ${entryId} stands for the second time; the first entry counts.`,
    });
  }
}
