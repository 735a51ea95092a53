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
}

/** What a machine does faster than this code: the pure layers have no `node:` modules. */
export interface ByteTools {
  readonly slice: SliceLatin1;
  isUtf8(bytes: Uint8Array): boolean;
  /** CRC-32 of zlib. */
  crc32(bytes: Uint8Array): number;
}

/** Takes the entries in file order; gives false where the session is not sound for it. */
export type TakeLine = (scanned: ScannedLine) => boolean;

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
  #take: TakeLine | null = null;
  readonly #onHeader: (header: SessionHeader) => TakeLine;
  #line = 1;
  #suspect = false;
  #group: ScannedLine[] = [];
  #mark: CommitMark | null = null;
  #previous: { readonly id: string; readonly bytes: Uint8Array | null } | null = null;

  /** `onHeader` hears the header once, before any entry, and gives who takes the entries. */
  constructor(tools: ByteTools, onHeader: (header: SessionHeader) => TakeLine) {
    this.#tools = tools;
    this.#onHeader = onHeader;
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
    const { crc, key, commit } = head;
    if (crc !== null && !this.#fits(bytes, crc)) {
      this.odd = "a line was changed";
      return true;
    }
    const entry = this.#flat(bytes, head.entry);
    const { role } = entry.message;
    this.#link(entry);
    this.#previous = { id: entry.id, bytes };
    const flatKey = key === null ? null : flatText(key);
    const scanned = { entry, role, customType: null, targetId: null, ...at, key: flatKey };
    this.#collect(scanned, commit);
    return true;
  }

  /**
   * A text that was cut out of a longer one keeps that one in memory. What is kept for long is taken from
   * the bytes again; the parent is most often the line before.
   */
  #flat<E extends Entry>(bytes: Uint8Array, entry: E): E {
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
    this.#collect(scanned, commitOf(record.commit));
  }

  /** The one record of a line; null where the line is blank or odd. */
  #record(bytes: Uint8Array): DecodedRecord | null {
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
  #collect(scanned: ScannedLine, commit: CommitMark | null): void {
    const open = this.#mark;
    if (commit === null && open === null) {
      this.#give(scanned);
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
    this.#group.push(scanned);
    if (commit.i < commit.n) return;
    for (const one of this.#group) this.#give(one);
    this.#group = [];
    this.#mark = null;
  }

  #give(scanned: ScannedLine): void {
    if (this.#take?.(scanned) === false) this.odd = "an id is taken or a parent is not there";
  }
}

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

function traitsOf(entry: Entry): Omit<TreeTraits, "entry"> {
  const isCustom = isEntry(entry, "custom") || isEntry(entry, "custom_message");
  const hasTarget =
    isEntry(entry, "label") || isEntry(entry, "context_edit") || isEntry(entry, "leaf");
  return {
    role: isEntry(entry, "message") ? entry.message.role : null,
    customType: isCustom ? entry.customType : null,
    targetId: hasTarget ? entry.targetId : null,
  };
}
