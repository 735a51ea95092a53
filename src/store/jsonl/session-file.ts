import { basename } from "node:path";
import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import { madeUpHeader } from "../../entry/header-check.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import {
  type Decoded,
  type DecodedEntry,
  type DecodedTail,
  type PhysicalLine,
  SessionDecoder,
} from "../../entry/session-decoder.ts";
import { BranchlineError } from "../../errors.ts";
import { AppendFile } from "../../io/append-file.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { SessionTree } from "../../tree/session-tree.ts";

/** How {@link SessionFile.open} opens. */
export interface SessionFileOptions {
  /** "append" also allows writing; nothing is written by opening (R7). */
  readonly mode: "read" | "append";
  readonly signal?: AbortSignal | undefined;
}

interface StoredEntry {
  readonly entry: Entry;
  readonly place: LinePlace;
}

const CLEAN_TAIL: DecodedTail = { incompleteGroup: null, torn: null, unterminated: false };

/**
 * A session file and what was read from it: header, tree, entries with their places, idempotency
 * keys, problems. Reads from the last known byte on, so files that others write are followed. Knows
 * nothing of locks; whoever writes holds one.
 */
export class SessionFile {
  readonly file: AppendFile;
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  /** Why the format itself forbids writing, or null. */
  readonly readOnly: string | null;
  readonly #decoder: SessionDecoder;
  readonly #entries = new Map<string, StoredEntry>();
  readonly #keys = new Map<string, string[]>();
  readonly #problems: Problem[];
  #tailProblems: readonly Problem[] = [];
  #tail: DecodedTail = CLEAN_TAIL;
  #nextLine = 1;

  private constructor(file: AppendFile, decoder: SessionDecoder) {
    this.file = file;
    this.#decoder = decoder;
    this.#problems = decoder.problems;
    this.header = decoder.header ?? madeUpHeader(idFromName(file.path));
    this.tree = new SessionTree(this.header.id);
    this.readOnly = readOnlyReason(decoder);
  }

  /**
   * Opens and reads a file. Throws SESSION_INVALID for what is no session, ABORTED, FILE_UNSAFE,
   * IO_FAILED. The caller closes it.
   */
  static async open(
    fileSystem: FileSystem,
    path: string,
    options: SessionFileOptions,
  ): Promise<SessionFile> {
    const file = await AppendFile.open(fileSystem, path, { mode: options.mode });
    try {
      return await SessionFile.#read(file, options.signal);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  static async #read(file: AppendFile, signal: AbortSignal | undefined): Promise<SessionFile> {
    const decoder = new SessionDecoder();
    const early: Decoded[] = [];
    let session: SessionFile | null = null;
    let rest: PhysicalLine | null = null;
    let nextLine = 1;
    for await (const batch of file.scan(signal === undefined ? {} : { signal })) {
      for (const line of batch) {
        if (!line.terminated) {
          rest = line;
          continue;
        }
        nextLine = line.line + 1;
        early.push(...decoder.push(line));
      }
      // The tree needs the session's id, so what comes before the header waits for it.
      if (session === null && decoder.header !== null) session = new SessionFile(file, decoder);
      if (session !== null) session.#take(early.splice(0));
    }
    const { entries, tail } = decoder.finish(rest);
    session ??= new SessionFile(file, decoder);
    session.#take(early);
    await session.#settleTail({ entries, tail, rest, nextLine });
    assertSession(file.path, decoder);
    return session;
  }

  /** Everything found so far, in the order of the file, what is wrong with the tail last. */
  get problems(): readonly Problem[] {
    return [...this.#problems, ...this.#tailProblems];
  }

  /** What has to be repaired before the next append. */
  get tail(): DecodedTail {
    return this.#tail;
  }

  /** Pi's version of the file: below 3 it is rewritten before the first append. */
  get version(): number {
    return this.#decoder.version;
  }

  /** True where the last complete line is one of ours, unchanged. */
  get lastIsOurs(): boolean {
    return this.#decoder.lastIsOurs;
  }

  /** The entry, frozen, or undefined. */
  get(id: string): Entry | undefined {
    const stored = this.#entries.get(id);
    return stored === undefined ? undefined : freezeDeep(stored.entry);
  }

  /** The entry's line, or null. */
  placeOf(id: string): LinePlace | null {
    return this.#entries.get(id)?.place ?? null;
  }

  /** Ids of the entries that were committed with an idempotency key. */
  idsOfKey(key: string): readonly string[] | undefined {
    return this.#keys.get(key);
  }

  /** Reads what stands behind the last known byte; gives the entries that came out, in file order. */
  async catchUp(): Promise<readonly Entry[]> {
    const before = this.tree.size;
    let rest: PhysicalLine | null = null;
    // The rest of a line that was taken without its newline is no line of its own.
    const firstLine = this.#tail.unterminated ? this.#nextLine - 1 : this.#nextLine;
    let nextLine = this.#nextLine;
    for await (const batch of this.file.scan({ firstLine })) {
      for (const line of batch) {
        if (!line.terminated) {
          rest = line;
          continue;
        }
        nextLine = line.line + 1;
        this.#take(this.#decoder.push(line));
      }
    }
    await this.#settleTail({ ...this.#decoder.finish(rest), rest, nextLine });
    return this.#since(before);
  }

  /** Takes in entries that were written by this handle at `start`, the encoded lines beside them. */
  accept(entries: readonly DecodedEntry[]): void {
    this.#tail = CLEAN_TAIL;
    this.#tailProblems = [];
    for (const decoded of entries) this.#store(decoded);
  }

  /** Number of the line that the next append will be. */
  get nextLine(): number {
    return this.#nextLine;
  }

  #since(ordinal: number): readonly Entry[] {
    const added: Entry[] = [];
    for (let at = ordinal; at < this.tree.size; at++) {
      const { id } = this.tree.at(at) as { readonly id: string };
      added.push(this.get(id) as Entry);
    }
    return added;
  }

  async #settleTail(end: {
    readonly entries: readonly Decoded[];
    readonly tail: DecodedTail;
    readonly rest: PhysicalLine | null;
    readonly nextLine: number;
  }): Promise<void> {
    const { tail, rest } = end;
    this.#take(end.entries);
    this.#tail = tail;
    this.#nextLine = end.nextLine;
    if (tail.unterminated && rest !== null) {
      await this.file.advance(rest.byteEnd);
      this.#nextLine = rest.line + 1;
    }
    if (tail.incompleteGroup !== null) {
      // Its end may still be on the way: read it again from its first line the next time.
      await this.file.advance(tail.incompleteGroup.byteStart);
      this.#nextLine = tail.incompleteGroup.line;
    }
    this.#tailProblems = takeTailProblems(this.#problems, tail);
  }

  #take(decoded: readonly Decoded[]): void {
    for (const one of decoded) {
      if (one.kind === "lost") this.tree.addLost(one);
      else if (this.tree.add(one.entry)) this.#store(one);
      else this.#reportDuplicate(one);
    }
  }

  #store(decoded: DecodedEntry): void {
    const { entry, place, key } = decoded;
    this.#entries.set(entry.id, { entry, place });
    this.#nextLine = Math.max(this.#nextLine, place.line + 1);
    if (key === null) return;
    const ids = this.#keys.get(key);
    if (ids === undefined) this.#keys.set(key, [entry.id]);
    else ids.push(entry.id);
  }

  #reportDuplicate(decoded: DecodedEntry): void {
    this.#problems.push({
      code: "ID_DUPLICATE",
      ...decoded.place,
      entryId: decoded.entry.id,
      message: `The id ${decoded.entry.id} stands for the second time; the first entry counts.`,
    });
  }
}

/** Findings about the tail hold only until more is read, so they are kept apart. */
function takeTailProblems(problems: Problem[], tail: DecodedTail): readonly Problem[] {
  const starts = [tail.torn?.byteStart, tail.incompleteGroup?.byteStart];
  const isTail = (problem: Problem): boolean =>
    starts.includes(problem.byteStart) &&
    (problem.code === "TAIL_TORN" || problem.code === "COMMIT_INCOMPLETE");
  const first = problems.findIndex(isTail);
  return first === -1 ? [] : problems.splice(first);
}

function readOnlyReason(decoder: SessionDecoder): string | null {
  if (decoder.header === null) return "its header cannot be read";
  if (decoder.newer) return "its format is newer than this program";
  return null;
}

/** Pi names files `<time>_<id>.jsonl`; of another name the whole stem stands for the id. */
function idFromName(path: string): string {
  const stem = basename(path).replace(/\.jsonl$/, "");
  return stem.slice(stem.indexOf("_") + 1);
}

function assertSession(path: string, decoder: SessionDecoder): void {
  if (decoder.header !== null) return;
  if (!decoder.hasKnownEntry) {
    throw new BranchlineError(
      "SESSION_INVALID",
      { path, reason: "no header and no entry" },
      {
        message: `${path} is no session file: it has neither a header nor an entry.`,
        hint: 'Session files of Pi and Branchline start with a line of type "session".',
        place: { file: path, line: 1, byte: 0 },
      },
    );
  }
  decoder.problems.unshift({
    code: "HEADER_MISSING",
    line: 1,
    byteStart: 0,
    byteEnd: 0,
    entryId: null,
    message: "No header can be read; one was made up and the session is read-only.",
  });
}
