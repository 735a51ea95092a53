import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { hasControlBytes } from "../../entry/control-bytes.ts";
import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { entryFault, isEntry, isMalformed } from "../../entry/entry-check.ts";
import { checkHeader, isHeader } from "../../entry/header-check.ts";
import { type DecodedRecord, decodeLine } from "../../entry/line-decode.ts";
import type { CommitMark } from "../../entry/line-encode.ts";
import { CRC_BYTES, readHead } from "../../entry/line-head.ts";
import type { LineSink } from "../../io/chunk-lines.ts";
import { slimEntry } from "../../tree/slim-entry.ts";
import type { IndexCounters } from "../session-index.ts";
import { promptOf } from "./titles.ts";

/** An entry as the index takes it in: without payload, with its place. */
export interface ScannedEntry {
  /** What folds and tables read. */
  readonly entry: Entry;
  readonly role: string | null;
  readonly customType: string | null;
  readonly targetId: string | null;
  readonly toolName: string | null;
  /** Byte range of its line, the newline excluded, and the line's number. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly key: string | null;
  /** The session's first prompt, as a title, where this entry is it. */
  readonly prompt: string | null;
}

/** Where a scan begins and what is known there. */
export interface ScanStart {
  readonly header: SessionHeader | null;
  readonly known: number;
  readonly line: number;
  /** True while no user message with text was seen. */
  readonly wantsPrompt: boolean;
}

/** Entries of one batch at most, which is one transaction. */
const BATCH_ENTRIES = 20_000;

interface Pending {
  readonly scanned: ScannedEntry;
  readonly bytes: Buffer;
}

type Record = Readonly<{ [member: string]: unknown }>;

const { latin1Slice } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, from: number, to: number): string;
};
const slice = (bytes: Uint8Array, from: number, to: number): string =>
  latin1Slice.call(bytes, from, to);

/**
 * Recognises the lines of a sound v3 file. The first unusual one (any finding of the decoder, a second
 * header, an older version…) ends the scan with `odd`: such a file is read as a whole instead. A line of
 * which only the ends were read is decoded in full where the next one does not hang under it.
 */
export class EntryScanner implements LineSink {
  /** Why the file needs the whole reader, or null. */
  odd: string | null = null;
  header: SessionHeader | null;
  /** Behind the last line that counts. */
  known: number;
  /** Number of the line that begins at `known`. */
  nextLine: number;
  /** Complete entries of this batch. */
  batch: ScannedEntry[] = [];
  readonly #counters: IndexCounters;
  #wantsPrompt: boolean;
  #line: number;
  #suspect = false;
  #group: ScannedEntry[] = [];
  #mark: CommitMark | null = null;
  #previous: Pending | null = null;

  constructor(start: ScanStart, counters: IndexCounters) {
    this.header = start.header;
    this.known = start.known;
    this.nextLine = start.line;
    this.#line = start.line;
    this.#wantsPrompt = start.wantsPrompt;
    this.#counters = counters;
  }

  range(bytes: Buffer): void {
    this.#suspect = !isUtf8(bytes) || hasControlBytes(bytes);
  }

  line(bytes: Buffer, start: number): void {
    if (this.odd !== null) return;
    const line = this.#line++;
    const at = { start, end: start + bytes.length, line };
    if (this.header === null) this.#takeHeader(bytes);
    else if (!this.#takeHead(bytes, at)) this.#takeWhole(bytes, at);
    if (this.odd === null && this.#group.length === 0) {
      this.known = at.end + 1;
      this.nextLine = line + 1;
    }
  }

  chunkEnd(): boolean {
    // The buffer is used again, and what comes next may not hang under this line.
    this.#verifyPrevious();
    return this.odd === null && this.batch.length < BATCH_ENTRIES;
  }

  /** Ends the input. A complete record without a newline counts for readers, so it is no torn tail. */
  finish(rest: Buffer): void {
    this.#verifyPrevious();
    if (this.odd !== null || rest.length === 0) return;
    const { parts } = decodeLine(rest);
    this.#counters.linesParsed++;
    if (parts.some(({ kind }) => kind === "record")) this.odd = "the last line has no newline";
  }

  #takeHeader(bytes: Buffer): void {
    const record = this.#record(bytes);
    if (record === null) return;
    if (!isHeader(record.value)) {
      this.odd = "the first line is no header";
      return;
    }
    const { header, newer, findings } = checkHeader(record.value);
    const isPlain =
      !newer && findings.length === 0 && record.value.version === 3 && isStorable(header);
    if (isPlain) this.header = header;
    else this.odd = "the header is unusual";
  }

  #takeHead(bytes: Buffer, at: LineAt): boolean {
    const head = this.#suspect ? null : readHead(bytes, slice);
    if (head === null) return false;
    const { entry, crc, key, commit, toolName } = head;
    const { role } = entry.message;
    if (role === "user" && this.#wantsPrompt) return false;
    if (crc !== null && !fits(bytes, crc)) {
      this.odd = "a line was changed";
      return true;
    }
    this.#counters.headsRead++;
    const scanned: ScannedEntry = {
      entry,
      role,
      customType: null,
      targetId: null,
      toolName,
      ...at,
      key,
      prompt: null,
    };
    this.#link(entry);
    this.#previous = { scanned, bytes };
    this.#collect(scanned, commit);
    return true;
  }

  #takeWhole(bytes: Buffer, at: LineAt): void {
    const record = this.#record(bytes);
    if (record === null) return;
    const fault = oddityOf(record.value);
    if (fault !== null) {
      this.odd = fault;
      return;
    }
    const entry = record.value as Entry;
    const slim = slimEntry(entry);
    if (!isStorable({ slim, target: traitsOf(entry).targetId, key: record.key })) {
      this.odd = "a text that cannot be stored";
      return;
    }
    this.#link(entry);
    this.#previous = null;
    const prompt = this.#wantsPrompt && isUserMessage(entry) ? promptOf(entry) : null;
    if (prompt !== null) {
      this.#wantsPrompt = false;
      if (!isStorable(prompt)) this.odd = "a text that cannot be stored";
    }
    const scanned: ScannedEntry = {
      entry: slim,
      ...traitsOf(entry),
      ...at,
      key: typeof record.key === "string" ? record.key : null,
      prompt,
    };
    this.#collect(scanned, (record.commit as CommitMark | undefined) ?? null);
  }

  /** The one record of a line; null where the line is blank or odd. */
  #record(bytes: Buffer): DecodedRecord | null {
    this.#counters.linesParsed++;
    const { parts, findings, blank } = decodeLine(bytes);
    if (blank && findings.length === 0) return null;
    const [part] = parts;
    const isOne = parts.length === 1 && part?.kind === "record" && findings.length === 0;
    if (isOne && part.crc !== "wrong" && isMark(part.commit)) return part;
    this.odd = findings[0]?.message ?? "a line was changed";
    return null;
  }

  /** A line that nothing hangs under at once may be two lines glued together. */
  #link(entry: Entry): void {
    if (entry.parentId !== this.#previous?.scanned.entry.id) this.#verifyPrevious();
  }

  #verifyPrevious(): void {
    const previous = this.#previous;
    this.#previous = null;
    if (previous === null || this.odd !== null) return;
    const record = this.#record(previous.bytes);
    const isSame = record?.value.id === previous.scanned.entry.id;
    if (!isSame) this.odd ??= "a line is not what its ends say";
  }

  /** Holds the lines of a commit back until all are there (P2). */
  #collect(scanned: ScannedEntry, commit: CommitMark | null): void {
    const open = this.#mark;
    if (commit === null && open === null) {
      this.batch.push(scanned);
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
    for (const one of this.#group) this.batch.push(one);
    this.#group = [];
    this.#mark = null;
  }
}

interface LineAt {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

function fits(bytes: Buffer, crc: string): boolean {
  const value = crc32(bytes.subarray(0, bytes.length - CRC_BYTES));
  return value === Number.parseInt(crc, 16);
}

/** A line states no group, or a proper one; anything else the decoder has to judge. */
function isMark(value: unknown): boolean {
  if (value === undefined) return true;
  const { id, i, n } = Object(value) as Record;
  const isProper = typeof id === "string" && Number.isInteger(i) && Number.isInteger(n);
  return isProper && Number(i) >= 1 && Number(i) <= Number(n);
}

function oddityOf(value: Record): string | null {
  if (isHeader(value)) return "a second header";
  const fault = entryFault(value);
  if (fault !== null) return fault;
  const { parentId, timestamp } = value;
  const isLinked = parentId === null || typeof parentId === "string";
  if (!isLinked || typeof timestamp !== "string") return "an entry without parent or time";
  if (isMalformed(value as Entry)) return "an entry without the members of its type";
  return null;
}

/** Half a surrogate pair and NUL do not come back from SQLite as they went in. */
function isStorable(value: unknown): boolean {
  return !/\\u(?:0000|d[89a-f])/.test(JSON.stringify(value));
}

function isUserMessage(entry: Entry): boolean {
  return isEntry(entry, "message") && entry.message.role === "user";
}

/** What rows say of an entry besides its base members. */
export function traitsOf(
  entry: Entry,
): Pick<ScannedEntry, "role" | "customType" | "targetId" | "toolName"> {
  const isCustom = isEntry(entry, "custom") || isEntry(entry, "custom_message");
  const hasTarget =
    isEntry(entry, "label") || isEntry(entry, "context_edit") || isEntry(entry, "leaf");
  const message = isEntry(entry, "message") ? (entry.message as Record) : null;
  const tool = message?.role === "toolResult" ? message.toolName : null;
  return {
    role: message === null ? null : (message.role as string),
    customType: isCustom ? entry.customType : null,
    targetId: hasTarget ? entry.targetId : null,
    toolName: typeof tool === "string" ? tool : null,
  };
}
