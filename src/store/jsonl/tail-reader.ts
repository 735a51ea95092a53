import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { isEntry } from "../../entry/entry-check.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import { checkHeader, isHeader, PI_VERSION } from "../../entry/header-check.ts";
import { type DecodedRecord, decodeLine } from "../../entry/line-decode.ts";
import { type LineLink, readLink } from "../../entry/line-head.ts";
import { baseOf } from "../../entry/session-base.ts";
import { commitOf } from "../../entry/session-decoder.ts";
import type { AppendFile } from "../../io/append-file.ts";
import { byteTools } from "../../io/byte-tools.ts";
import { type BackwardBatch, type BackwardLine, linesBackward } from "../../io/lines-backward.ts";
import { EMPTY_FOLD, type Fold, foldEntry } from "../../tree/fold.ts";
import { oddityOf } from "../../tree/structure-scanner.ts";
import type { PathTail, SettingsAbove } from "../../tree/tail-tree.ts";
import { ContextEnd } from "./context-end.ts";
import type { ReadingLimits } from "./environment.ts";
import { SettingsSearch } from "./settings-search.ts";

/** The header and what stands right behind it are read in one go; a longer header is unusual. */
const FRONT_BYTES: number = 16 * 1024;
const NEWLINE = 0x0a;

/** The end of a session file. */
export interface FileTail extends PathTail {
  readonly header: SessionHeader;
}

/**
 * Reads a session file from its end: the lines of the path to the stored leaf, up to where its context
 * begins, then only the beginnings of lines, for settings further up. Lines of other branches are
 * passed over. null where the tail does not tell for sure: any damage in what is needed, a parent that
 * stands behind its child or was not found, an old leaf move, an incomplete commit at the end, another
 * version, a context that begins too far above. Then the whole file has to be looked at. Duplicates
 * of ids and damage elsewhere cannot be seen from here. Throws ABORTED, IO_FAILED.
 */
export async function readTail(
  file: AppendFile,
  limits: ReadingLimits,
  signal?: AbortSignal,
): Promise<FileTail | null> {
  const front = await file.read(0, FRONT_BYTES);
  const header = readHeader(front);
  const [last] = await file.read(file.size - 1, 1);
  if (header === null || last !== NEWLINE) return null;
  const walk = new TailWalk(header.id, limits);
  const handle = { read: (buffer: Uint8Array, at: number) => file.readInto(buffer, at) };
  for await (const batch of linesBackward(handle, file.size, signal)) {
    if (walk.take(batch)) break;
  }
  const tail = walk.tail();
  return tail === null ? null : { ...tail, above: withLikely(tail.above, front), header };
}

function readHeader(bytes: Uint8Array): SessionHeader | null {
  const end = bytes.indexOf(NEWLINE);
  const record = end === -1 ? null : oneRecord(bytes.subarray(0, end));
  if (record === null || !isHeader(record.value)) return null;
  const { header, newer, findings } = checkHeader(record.value);
  const isPlain = !newer && findings.length === 0 && record.value.version === PI_VERSION;
  // What a linked session begins with stands in another file.
  return isPlain && baseOf(header) === null ? freezeDeep(header) : null;
}

/**
 * What nobody set as far as was looked is most often as it was when the session began: as the first
 * entries set it that hang straight under each other.
 */
function withLikely(above: SettingsAbove | null, front: Uint8Array): SettingsAbove | null {
  if (above === null || above.unproven.length === 0) return above;
  const fold = foldOfFront(front);
  const likely = Object.fromEntries(above.unproven.map((name) => [name, fold[name]]));
  return { ...above, found: { ...above.found, ...likely } };
}

function foldOfFront(front: Uint8Array): Fold {
  let fold = EMPTY_FOLD;
  let above: string | null = null;
  let start = front.indexOf(NEWLINE) + 1;
  for (let end = front.indexOf(NEWLINE, start); end !== -1; end = front.indexOf(NEWLINE, start)) {
    const bytes = front.subarray(start, end);
    const link = readLink(bytes, byteTools.slice);
    const entry: Entry | null = link?.parentId === above ? entryOf(bytes, link) : null;
    if (entry === null) break;
    fold = foldEntry(fold, entry, "");
    above = entry.id;
    start = end + 1;
  }
  return fold;
}

/** The record of a line on which nothing else stands and with which nothing is wrong. */
function oneRecord(bytes: Uint8Array): DecodedRecord | null {
  const { parts, findings } = decodeLine(bytes);
  const [part] = parts;
  const isOne = parts.length === 1 && part?.kind === "record" && findings.length === 0;
  return isOne && part.crc !== "wrong" ? part : null;
}

type State = "context" | "settings" | "done" | "odd";

/** Follows the path upwards, line by line from the end of the file. */
class TailWalk {
  readonly #session: string;
  readonly #limits: ReadingLimits;
  readonly #entries: Entry[] = [];
  readonly #seen = new Set<string>();
  readonly #context: ContextEnd;
  #settings: SettingsSearch | null = null;
  #state: State = "context";
  /** The entry that comes next on the path; undefined = whatever stands last in the file. */
  #wanted: string | undefined;
  #contextRead = 0;

  constructor(session: string, limits: ReadingLimits) {
    this.#session = session;
    this.#limits = limits;
    this.#context = new ContextEnd(session);
  }

  /** True where no more has to be read. */
  take({ lines, read }: BackwardBatch): boolean {
    for (const line of lines) {
      if (this.#isOver) return true;
      this.#takeLine(line);
    }
    const { context, settings } = this.#limits;
    if (this.#state === "context") this.#contextRead = read;
    if (this.#state === "context" && read >= context) this.#state = "odd";
    const isFar = read - this.#contextRead >= settings;
    if (this.#state === "settings" && isFar) this.#state = "done";
    return this.#isOver;
  }

  /** What was found; null where that is not enough. */
  tail(): PathTail | null {
    // At the beginning of the file, whatever is still wanted is missing.
    if (this.#state !== "done") return null;
    const above = this.#settings?.result() ?? null;
    return { session: this.#session, entries: this.#entries, above };
  }

  get #isOver(): boolean {
    return this.#state === "done" || this.#state === "odd";
  }

  #takeLine(line: BackwardLine): void {
    // The header was read before.
    if (line.start === 0) return;
    const link = readLink(line.bytes, byteTools.slice) ?? linkOf(line.bytes);
    if (link === null || link === "odd") {
      if (link === "odd") this.#state = "odd";
      return;
    }
    // Of two entries with one id the first one in the file counts, which this is not for sure.
    if (this.#seen.has(link.id)) this.#state = "odd";
    this.#seen.add(link.id);
    if (this.#wanted !== undefined && this.#wanted !== link.id) return;
    if (this.#state === "context") this.#takeStep(line, link);
    else if (this.#state === "settings") this.#takeSetting(line, link);
  }

  #takeStep({ bytes }: BackwardLine, link: LineLink): void {
    const entry = entryOf(bytes, link);
    const isCut = this.#wanted === undefined && isBeginning(bytes);
    if (entry === null || isCut || isEntry(entry, "leaf") || this.#isBehind(entry.parentId)) {
      this.#state = "odd";
      return;
    }
    this.#entries.push(freezeDeep(entry));
    this.#wanted = entry.parentId ?? undefined;
    const isEnd = this.#context.add(entry);
    if (isEnd === null) this.#state = "odd";
    else if (entry.parentId === null) this.#state = "done";
    else if (isEnd) {
      this.#settings = new SettingsSearch(this.#entries);
      this.#state = this.#settings.isDone ? "done" : "settings";
    }
  }

  #takeSetting({ bytes }: BackwardLine, link: LineLink): void {
    const { parentId, type } = link;
    const settings = this.#settings as SettingsSearch;
    if (type === "leaf" || this.#isBehind(parentId)) {
      this.#state = "odd";
      return;
    }
    this.#wanted = parentId ?? undefined;
    if (settings.wants(type)) {
      const entry = entryOf(bytes, link);
      if (entry === null) this.#state = "odd";
      else settings.add(entry);
    }
    if (parentId === null) settings.end();
    if (this.#state !== "odd" && settings.isDone) this.#state = "done";
  }

  /** A parent that stands behind its child. */
  #isBehind(parentId: string | null): boolean {
    return parentId !== null && this.#seen.has(parentId);
  }
}

/** The entry of a sound line. */
function entryOf(bytes: Uint8Array, link: LineLink): Entry | null {
  const record = oneRecord(bytes);
  if (record === null || oddityOf(record) !== null) return null;
  const entry = record.value as Entry;
  return entry.id === link.id && entry.parentId === link.parentId ? entry : null;
}

/** True for a line of a commit of which more lines have to come. */
function isBeginning(bytes: Uint8Array): boolean {
  const commit = commitOf(oneRecord(bytes)?.commit);
  return commit !== null && commit.i < commit.n;
}

/** The same as `readLink` from the whole line; null where the line is blank. */
function linkOf(bytes: Uint8Array): LineLink | "odd" | null {
  const { blank, findings } = decodeLine(bytes);
  if (blank && findings.length === 0) return null;
  const record = oneRecord(bytes);
  if (record === null || oddityOf(record) !== null) return "odd";
  const { type, id, parentId } = record.value as Entry;
  return { type, id, parentId };
}
