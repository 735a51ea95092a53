import { hasControlBytes } from "../entry/control-bytes.ts";
import type { Entry, SessionHeader } from "../entry/entry.ts";
import { entryFault, isEntry, isMalformed } from "../entry/entry-check.ts";
import { checkHeader, isHeader, PI_VERSION } from "../entry/header-check.ts";
import { type DecodedRecord, decodeLine } from "../entry/line-decode.ts";
import type { CommitMark } from "../entry/line-encode.ts";
import { CRC_BYTES, readHead, type SliceLatin1 } from "../entry/line-head.ts";
import { commitOf } from "../entry/session-decoder.ts";
import type { TreeTraits } from "./column-base.ts";
import { slimEntry } from "./slim-entry.ts";

/** An entry without its payload, and its line. */
export interface ScannedLine extends TreeTraits {
  /** Byte range of the line, the newline excluded, and the line's number. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly key: string | null;
  /** Name of the tool of a tool result, else null. */
  readonly toolName: string | null;
}

/** What a machine does faster than this code: the pure layers have no `node:` modules. */
export interface ByteTools {
  readonly slice: SliceLatin1;
  isUtf8(bytes: Uint8Array): boolean;
  /** CRC-32 of zlib. */
  crc32(bytes: Uint8Array): number;
}

/**
 * Takes the entries in file order; gives false where the session is not sound for it. `whole` is the entry
 * with its payload where the line was decoded in full.
 */
export type TakeLine = (scanned: ScannedLine, whole: Entry | null) => boolean;

interface Taken {
  readonly scanned: ScannedLine;
  readonly whole: Entry | null;
}

/** Where a scan begins, if not at the beginning; and what it does besides. */
export interface ScanOptions {
  /** What is known before: the header, behind which byte, and the number of the line there. */
  readonly start?: {
    readonly header: SessionHeader;
    readonly known: number;
    readonly line: number;
  };
  /** True for a role the next message of which has to be decoded in full. Default: none. */
  readonly wantsWhole?: (role: string) => boolean;
  /** Counts the lines of which only the ends were read, and those that were decoded in full. */
  readonly counters?: { headsRead: number; linesParsed: number };
}

type LineAt = Pick<ScannedLine, "start" | "end" | "line">;
type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the structure of a sound file of the present version, line by line, mostly from the ends of the
 * lines. The first unusual line (any finding of the decoder, a second header, a group with a hole, another
 * version…) ends it with `odd`: such a file is read as a whole instead. A line of which only the ends were
 * read is decoded in full where the next one does not hang under it. Damage inside a message that
 * neither UTF-8, control bytes nor a check sum show is found only when the line is read.
 */
export class StructureScanner {
  /** Why the file needs the whole reader, or null. */
  odd: string | null = null;
  header: SessionHeader | null = null;
  /** Behind the last line that counts, and the number of the line there. */
  known = 0;
  nextLine = 1;
  readonly #tools: ByteTools;
  readonly #onHeader: (header: SessionHeader) => TakeLine;
  readonly #wantsWhole: (role: string) => boolean;
  readonly #counters: { headsRead: number; linesParsed: number };
  #take: TakeLine | null = null;
  #line: number;
  #suspect = false;
  #group: Taken[] = [];
  #mark: CommitMark | null = null;
  #previous: { readonly id: string; readonly bytes: Uint8Array | null } | null = null;

  /** `onHeader` hears the header once, before any entry, and gives who takes the entries. */
  constructor(
    tools: ByteTools,
    onHeader: (header: SessionHeader) => TakeLine,
    options: ScanOptions = {},
  ) {
    const {
      start,
      wantsWhole = () => false,
      counters = { headsRead: 0, linesParsed: 0 },
    } = options;
    this.#tools = tools;
    this.#onHeader = onHeader;
    this.#wantsWhole = wantsWhole;
    this.#counters = counters;
    if (start !== undefined) {
      this.header = start.header;
      this.#take = onHeader(start.header);
      this.known = start.known;
      this.nextLine = start.line;
    }
    this.#line = this.nextLine;
  }

  /** Whole lines that come next, one behind the other: what can be checked faster in one go. */
  range(bytes: Uint8Array): void {
    this.#suspect = !this.#tools.isUtf8(bytes) || hasControlBytes(bytes);
  }

  /** A whole line without its newline; `start` is its offset in the file. The bytes are kept until {@link pause}. */
  line(bytes: Uint8Array, start: number): void {
    if (this.odd !== null) return;
    const line = this.#line++;
    const at = { start, end: start + bytes.length, line };
    if (this.#take === null) this.#takeHeader(bytes);
    else if (!this.#takeHead(bytes, at)) this.#takeWhole(bytes, at);
    if (this.odd !== null || this.#group.length > 0) return;
    this.known = at.end + 1;
    this.nextLine = line + 1;
  }

  /** Called before bytes that were given are used for others, and at the end. False = no more is wanted. */
  pause(): boolean {
    this.#verifyPrevious();
    return this.odd === null;
  }

  #takeHeader(bytes: Uint8Array): void {
    const record = this.#record(bytes);
    if (record === null) return;
    if (!isHeader(record.value)) {
      this.odd = "the first line is no header";
      return;
    }
    const { header, newer, findings } = checkHeader(record.value);
    const isPlain = !newer && findings.length === 0 && record.value.version === PI_VERSION;
    if (!isPlain) {
      this.odd = "the header is unusual";
      return;
    }
    this.header = header;
    this.#take = this.#onHeader(header);
  }

  #takeHead(bytes: Uint8Array, at: LineAt): boolean {
    const head = this.#suspect ? null : readHead(bytes, this.#tools.slice);
    if (head === null) return false;
    const { crc, key, commit, toolName } = head;
    const { role } = head.entry.message;
    if (this.#wantsWhole(role)) return false;
    if (crc !== null && !this.#fits(bytes, crc)) {
      this.odd = "a line was changed";
      return true;
    }
    this.#counters.headsRead++;
    const entry = this.#flat(bytes, head.entry);
    this.#link(entry);
    this.#previous = { id: entry.id, bytes };
    const flatKey = key === null ? null : flatText(key);
    const { start, end, line } = at;
    // Member by member: spreading several objects into one takes as long as all the rest.
    const scanned: ScannedLine = {
      entry,
      role,
      customType: null,
      targetId: null,
      toolName,
      start,
      end,
      line,
      key: flatKey,
    };
    this.#collect({ scanned, whole: null }, commit);
    return true;
  }

  /**
   * A text that was cut out of a longer one keeps that one in memory. What is kept for long is taken from
   * the bytes again; the parent is most often the line before.
   */
  #flat<E extends Entry>(bytes: Uint8Array, entry: E): E {
    if (entry.id.length <= COPIED_LENGTH) return entry;
    const from = MESSAGE_HEAD.length;
    const id = this.#tools.slice(bytes, from, from + entry.id.length);
    const isBelow = this.#previous !== null && this.#previous.id === entry.parentId;
    return { ...entry, id, ...(isBelow ? { parentId: this.#previous?.id } : {}) };
  }

  #fits(bytes: Uint8Array, crc: string): boolean {
    const covered = bytes.subarray(0, bytes.length - CRC_BYTES);
    return this.#tools.crc32(covered) === Number.parseInt(crc, 16);
  }

  #takeWhole(bytes: Uint8Array, at: LineAt): void {
    const record = this.#record(bytes);
    if (record === null) return;
    this.odd = oddityOf(record);
    if (this.odd !== null) return;
    const entry = record.value as Entry;
    this.#link(entry);
    this.#previous = { id: entry.id, bytes: null };
    const key = typeof record.key === "string" ? record.key : null;
    const scanned = { ...traitsOf(entry), entry: slimEntry(entry), ...at, key };
    this.#collect({ scanned, whole: entry }, commitOf(record.commit));
  }

  /** The one record of a line; null where the line is blank or odd. */
  #record(bytes: Uint8Array): DecodedRecord | null {
    this.#counters.linesParsed++;
    const { parts, findings, blank } = decodeLine(bytes);
    if (blank && findings.length === 0) return null;
    const [part] = parts;
    const isOne = parts.length === 1 && part?.kind === "record" && findings.length === 0;
    if (isOne && part.crc !== "wrong") return part;
    this.odd = findings[0]?.message ?? "a line was changed";
    return null;
  }

  /** A line that nothing hangs under at once may be two lines glued together. */
  #link(entry: Entry): void {
    if (entry.parentId !== this.#previous?.id) this.#verifyPrevious();
  }

  #verifyPrevious(): void {
    const previous = this.#previous;
    this.#previous = null;
    if (previous === null || previous.bytes === null || this.odd !== null) return;
    const record = this.#record(previous.bytes);
    if (record?.value.id !== previous.id) this.odd ??= "a line is not what its ends say";
  }

  /** Holds the lines of a commit back until all are there (P2). */
  #collect(taken: Taken, commit: CommitMark | null): void {
    const open = this.#mark;
    if (commit === null && open === null) {
      this.#give(taken);
      return;
    }
    const isNext =
      commit !== null &&
      commit.i === this.#group.length + 1 &&
      (open === null || (commit.id === open.id && commit.n === open.n));
    if (!isNext) {
      this.odd = "a commit is incomplete";
      return;
    }
    this.#mark = commit;
    this.#group.push(taken);
    if (commit.i < commit.n) return;
    for (const one of this.#group) this.#give(one);
    this.#group = [];
    this.#mark = null;
  }

  #give({ scanned, whole }: Taken): void {
    if (this.#take?.(scanned, whole) === false)
      this.odd = "an id is taken or a parent is not there";
  }
}

/** What is cut out of a text and no longer than this is a text of its own at once. */
const COPIED_LENGTH = 12;

/** Where the id begins in the lines that `readHead` reads. */
const MESSAGE_HEAD = '{"type":"message","id":"';

function flatText(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** Why the one record of a line is no entry of a sound file, or null. */
export function oddityOf({
  value,
  commit,
}: Pick<DecodedRecord, "value" | "commit">): string | null {
  if (isHeader(value)) return "a second header";
  const fault = entryFault(value);
  if (fault !== null) return fault;
  const { parentId, timestamp } = value as Members;
  const isLinked = parentId === null || typeof parentId === "string";
  if (!isLinked || typeof timestamp !== "string") return "an entry without parent or time";
  if (isMalformed(value as Entry)) return "an entry without the members of its type";
  return commit !== undefined && commitOf(commit) === null ? "a commit that is none" : null;
}

/** What is told of an entry besides its base members. */
export function traitsOf(
  entry: Entry,
): Pick<ScannedLine, "role" | "customType" | "targetId" | "toolName"> {
  const isCustom = isEntry(entry, "custom") || isEntry(entry, "custom_message");
  const hasTarget =
    isEntry(entry, "label") || isEntry(entry, "context_edit") || isEntry(entry, "leaf");
  const message = isEntry(entry, "message") ? (entry.message as unknown as Members) : null;
  const tool = message?.role === "toolResult" ? message.toolName : null;
  return {
    role: message === null ? null : (message.role as string),
    customType: isCustom ? entry.customType : null,
    targetId: hasTarget ? entry.targetId : null,
    toolName: typeof tool === "string" ? tool : null,
  };
}
