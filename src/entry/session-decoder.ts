import type { Entry, SessionHeader } from "./entry.ts";
import { entryFault, isKnownType, isMalformed, isObject } from "./entry-check.ts";
import { type CheckedHeader, checkHeader, isHeader } from "./header-check.ts";
import { type DecodedLine, decodeLine, lostFrom } from "./line-decode.ts";
import type { CommitMark } from "./line-encode.ts";
import { STAMP_MEMBERS } from "./line-encode.ts";
import type { LinePlace, Problem, ProblemCode } from "./problem.ts";
import { legacyId, legacyParent, upgradeFromV1, upgradeFromV2 } from "./upgrade.ts";

/** One physical line; `bytes` is null where it was longer than the scanner's limit. */
export interface PhysicalLine extends LinePlace {
  readonly bytes: Uint8Array | null;
  /** False for the unfinished last line of a file. */
  readonly terminated: boolean;
}

/** An entry as it was read, with what its line said about it. */
export interface DecodedEntry {
  readonly kind: "entry";
  readonly entry: Entry;
  readonly place: LinePlace;
  readonly key: string | null;
  readonly commit: CommitMark | null;
  /** True for a line with a right check sum: one of ours, unchanged. */
  readonly ours: boolean;
}

/** A line, or a part of one, that held an entry which cannot be read. */
export interface DecodedLoss {
  readonly kind: "lost";
  readonly id: string | null;
  readonly parentId: string | null | undefined;
  readonly place: LinePlace;
}

/** What lines turn into, in file order. */
export type Decoded = DecodedEntry | DecodedLoss;

/** What the end of the file looks like; decides what the first append has to repair. */
export interface DecodedTail {
  /** First byte of an incomplete group at the end, which readers ignore, or null. */
  readonly incompleteGroup: LinePlace | null;
  /** The unfinished last line that is no complete record, or null. */
  readonly torn: LinePlace | null;
  /** True where the file ends in a complete record without its newline. */
  readonly unterminated: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Turns the lines of a session file (Pi v1 to v3) into entries, in one pass, for any content (P7).
 * Pure: feed it lines with {@link SessionDecoder.push} and call {@link SessionDecoder.finish} at the
 * end of what there is; more lines may follow later, when the file has grown.
 */
export class SessionDecoder {
  readonly problems: Problem[] = [];
  #header: CheckedHeader | null = null;
  #hasKnownEntry = false;
  /** Lines with content so far; v1 entries are numbered by it. */
  #contentLines = 0;
  #group: DecodedEntry[] = [];
  #lastIsOurs = false;

  /** The header, or null as long as none was read. */
  get header(): SessionHeader | null {
    return this.#header?.header ?? null;
  }

  /** Pi's version of the file: 1, 2 or 3. A file without a header is read as 3. */
  get version(): number {
    return this.#header?.version ?? 3;
  }

  /** True for a newer format than ours: read-only. */
  get newer(): boolean {
    return this.#header?.newer ?? false;
  }

  /** True once an entry of a known type was read: tells a session without header from other JSONL. */
  get hasKnownEntry(): boolean {
    return this.#hasKnownEntry;
  }

  /** True where the last complete line was written by us and is unchanged. */
  get lastIsOurs(): boolean {
    return this.#lastIsOurs;
  }

  /** Decodes one complete line. A group of several entries comes out when its last line is there. */
  push(line: PhysicalLine): readonly Decoded[] {
    if (line.bytes === null) {
      this.#report("LINE_TOO_LONG", line, "The line is longer than the reader's limit.");
      return [...this.#flushGroup(), this.#lostLine(line, { id: null, parentId: undefined })];
    }
    const decoded = decodeLine(line.bytes);
    for (const finding of decoded.findings) this.#report(finding.code, line, finding.message);
    if (decoded.blank) return [];
    const out: Decoded[] = [];
    for (const lost of decoded.lost) out.push(...this.#flushGroup(), this.#lostLine(line, lost));
    for (const object of decoded.objects) out.push(...this.#take(object, decoded, line));
    this.#contentLines++;
    return out;
  }

  /**
   * Ends the input for now. `rest` is the unfinished last line, where there is one: a complete record
   * counts as an entry, anything else is a torn tail. An incomplete group is dropped and reported.
   */
  finish(rest: PhysicalLine | null): {
    readonly entries: readonly Decoded[];
    readonly tail: DecodedTail;
  } {
    let entries: readonly Decoded[] = [];
    let torn: LinePlace | null = null;
    let unterminated = false;
    if (rest !== null && isCompleteRecord(rest)) {
      entries = this.push(rest);
      unterminated = true;
    } else if (rest !== null) {
      torn = place(rest);
      this.#report("TAIL_TORN", rest, "The last line is unfinished.");
    }
    const first = this.#group[0];
    if (first === undefined)
      return { entries, tail: { incompleteGroup: null, torn, unterminated } };
    this.#reportGroup(
      "The last lines are a commit of which the end is missing; they do not count.",
    );
    this.#group = [];
    return { entries, tail: { incompleteGroup: first.place, torn, unterminated } };
  }

  #take(object: Members, line: DecodedLine, at: PhysicalLine): readonly Decoded[] {
    if (isHeader(object)) {
      this.#takeHeader(object, line, at);
      return [];
    }
    const upgraded = this.#upgrade(object);
    const fault = entryFault(upgraded);
    if (fault !== null) {
      this.#report("LINE_NOT_ENTRY", at, `The line is no entry: ${fault}.`, idOf(upgraded));
      return [...this.#flushGroup(), this.#lostLine(at, lostFrom(upgraded))];
    }
    return this.#takeEntry(upgraded, line, at);
  }

  #takeHeader(object: Members, line: DecodedLine, at: PhysicalLine): void {
    this.#lastIsOurs = line.crc === "right";
    if (line.crc === "wrong") this.#reportCrc(at, null);
    if (this.#header !== null) {
      this.#report("HEADER_DUPLICATE", at, "A second header; the first one stands.");
      return;
    }
    const { crc: _crc, ...members } = object;
    this.#header = checkHeader(line.crc === "none" ? object : members);
    for (const finding of this.#header.findings) this.#report(finding.code, at, finding.message);
  }

  #upgrade(object: Members): Members {
    let upgraded = object;
    if (this.version < 2) upgraded = upgradeFromV1(upgraded, this.#contentLines);
    if (this.version < 3) upgraded = upgradeFromV2(upgraded);
    return upgraded;
  }

  #takeEntry(object: Members, line: DecodedLine, at: PhysicalLine): readonly Decoded[] {
    const entry = entryOf(object, line.crc !== "none") as Entry;
    if (line.crc === "wrong") this.#reportCrc(at, entry.id);
    if (isMalformed(entry)) {
      const message = `An entry of type ${entry.type} without the members of that type; it is ignored.`;
      this.#report("ENTRY_MALFORMED", at, message, entry.id);
    }
    if (isKnownType(entry.type)) this.#hasKnownEntry = true;
    this.#lastIsOurs = line.crc === "right";
    // A wrong check sum may mean that another program copied the line: then key and commit are those
    // of another file and say nothing here.
    const ours = line.crc === "right";
    const decoded: DecodedEntry = {
      kind: "entry",
      entry,
      place: place(at),
      key: ours && typeof object.key === "string" ? object.key : null,
      commit: ours ? commitOf(object.commit) : null,
      ours,
    };
    return this.#collect(decoded);
  }

  /** Holds the lines of a group back until it is complete, so that all or none are seen (P2). */
  #collect(decoded: DecodedEntry): readonly Decoded[] {
    const { commit } = decoded;
    const open = this.#group[0]?.commit;
    if (commit === null) return [...this.#flushGroup(), decoded];
    const fits =
      open === undefined || open === null
        ? commit.i === 1
        : commit.id === open.id && commit.n === open.n && commit.i === this.#group.length + 1;
    const before = fits ? [] : this.#flushGroup();
    if (!fits && commit.i !== 1) {
      this.#report("COMMIT_INCOMPLETE", decoded.place, INCOMPLETE, decoded.entry.id);
      return [...before, decoded];
    }
    this.#group.push(decoded);
    if (this.#group.length < commit.n) return before;
    const whole = this.#group;
    this.#group = [];
    return [...before, ...whole];
  }

  /**
   * An incomplete group with other lines behind it counts: those lines may hang under it (another
   * program read it and went on).
   */
  #flushGroup(): readonly DecodedEntry[] {
    if (this.#group.length === 0) return [];
    this.#reportGroup(INCOMPLETE);
    const group = this.#group;
    this.#group = [];
    return group;
  }

  #reportGroup(message: string): void {
    const first = this.#group[0] as DecodedEntry;
    const last = this.#group.at(-1) as DecodedEntry;
    const range = { ...first.place, byteEnd: last.place.byteEnd };
    this.#report("COMMIT_INCOMPLETE", range, message, first.entry.id);
  }

  #lostLine(
    at: LinePlace,
    lost: { id: string | null; parentId: string | null | undefined },
  ): Decoded {
    const isLegacy = this.version < 2 && this.#header !== null;
    const index = this.#contentLines;
    return {
      kind: "lost",
      id: lost.id ?? (isLegacy ? legacyId(index) : null),
      parentId: lost.parentId ?? (isLegacy ? legacyParent(index) : lost.parentId),
      place: place(at),
    };
  }

  #reportCrc(at: LinePlace, entryId: string | null): void {
    this.#report("CRC_MISMATCH", at, "The line was changed after it was written.", entryId);
  }

  #report(code: ProblemCode, at: LinePlace, message: string, entryId: string | null = null): void {
    this.problems.push({ code, ...place(at), entryId, message });
  }
}

const INCOMPLETE = "A commit of which lines are missing; its other entries are shown.";

function place(at: LinePlace): LinePlace {
  return { line: at.line, byteStart: at.byteStart, byteEnd: at.byteEnd };
}

function idOf(value: Members): string | null {
  return typeof value.id === "string" ? value.id : null;
}

/** The entry without the members of its line; foreign lines keep every member they have. */
function entryOf(object: Members, hasCrc: boolean): Members {
  const entry: Record<string, unknown> = { ...object };
  // A parent that is no text cannot be found: it is bridged like one that is missing.
  if (typeof entry.parentId !== "string" && entry.parentId !== null)
    entry.parentId = UNREADABLE_PARENT;
  if (typeof entry.timestamp !== "string") entry.timestamp = "";
  if (hasCrc) for (const member of STAMP_MEMBERS) delete entry[member];
  return entry;
}

/** Stands for a parent that is neither text nor null. No entry can have this id: it is too long. */
export const UNREADABLE_PARENT: string = "?".repeat(300);

function commitOf(value: unknown): CommitMark | null {
  if (!isObject(value)) return null;
  const { id, i, n } = value;
  const fits = typeof id === "string" && Number.isInteger(i) && Number.isInteger(n);
  if (!fits) return null;
  const mark = { id, i: i as number, n: n as number };
  return mark.i >= 1 && mark.i <= mark.n ? mark : null;
}

function isCompleteRecord(line: PhysicalLine): boolean {
  if (line.bytes === null) return false;
  const decoded = decodeLine(line.bytes);
  return decoded.objects.length > 0 && decoded.lost.length === 0;
}
