import type { Entry, SessionHeader } from "./entry.ts";
import { entryFault, isKnownType, isMalformed, isObject } from "./entry-check.ts";
import { type CheckedHeader, checkHeader, isHeader } from "./header-check.ts";
import { isoTime } from "./iso-time.ts";
import { type DecodedLine, type DecodedRecord, decodeLine, lostFrom } from "./line-decode.ts";
import type { CommitMark } from "./line-encode.ts";
import type { LostRecord } from "./line-split.ts";
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
  /** True where nothing else stands on the line, so that {@link readEntryLine} makes the same of it. */
  readonly alone: boolean;
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

/** The lines of a group of which the end is missing, from the first to the last that is there. */
export interface IncompleteGroup extends LinePlace {
  /** True where lines without a record (blank, NUL) stand in or behind it: somebody else wrote them. */
  readonly parted: boolean;
}

/** What the end of the file looks like; decides what the first append has to repair. */
export interface DecodedTail {
  /** An incomplete group at the end, which readers ignore, or null. */
  readonly incompleteGroup: IncompleteGroup | null;
  /** The unfinished last line where no complete record stands on it, or null. */
  readonly torn: LinePlace | null;
  /** True where a complete record stands on an unfinished last line: it only lacks its newline. */
  readonly unterminated: boolean;
}

/** What reads the lines of one session file, whatever its format. */
export interface LineDecoder {
  /** Everything found so far, in the order of the file. */
  readonly problems: Problem[];
  /** The header, or null as long as none was read. */
  readonly header: SessionHeader | null;
  /** Pi's version of the file. */
  readonly version: number;
  /** True for a newer format than the one we write: read-only. */
  readonly newer: boolean;
  /** True once an entry of a known type was read. */
  readonly hasKnownEntry: boolean;
  /** True where the last complete line was written by us and is unchanged. */
  readonly lastIsOurs: boolean;
  push(line: PhysicalLine): readonly Decoded[];
  finish(rest: PhysicalLine | null): {
    readonly entries: readonly Decoded[];
    readonly tail: DecodedTail;
  };
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Turns the lines of a session file (Pi v1 to v3) into entries, in one pass, for any content (P7).
 * Pure: feed it lines with {@link SessionDecoder.push} and call {@link SessionDecoder.finish} at the
 * end of what there is; more lines may follow later, when the file has grown.
 */
export class SessionDecoder implements LineDecoder {
  readonly problems: Problem[] = [];
  #header: CheckedHeader | null = null;
  #hasKnownEntry = false;
  /** Records so far, readable or not; v1 entries are numbered by it. */
  #records = 0;
  /** Entries without ids came before any header, so the header that was lost was one of v1. */
  #headerlessV1 = false;
  #group: DecodedEntry[] = [];
  #lastIsOurs = false;
  /** True while a line is taken on which one thing stands. */
  #isAlone = false;
  /** End of the last complete line. */
  #pushedTo = 0;

  /**
   * A decoder that goes on in the middle of a sound file of the present version, whose header and
   * lines so far are known from elsewhere (an index).
   */
  static resume(header: SessionHeader): SessionDecoder {
    const decoder = new SessionDecoder();
    decoder.#header = checkHeader(header);
    return decoder;
  }

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
    this.#pushedTo = line.byteEnd;
    if (line.bytes !== null) return this.#takeLine(decodeLine(line.bytes), line);
    this.#report("LINE_TOO_LONG", line, "The line is longer than the reader's limit.");
    this.#lastIsOurs = false;
    return this.#lose({ id: null, parentId: undefined }, line);
  }

  /**
   * Ends the input for now. `rest` is the unfinished last line, where there is one: if a complete
   * record stands on it, it counts like any line, else it is a torn tail. An incomplete group is
   * dropped and reported; whoever reads on starts again at its first line.
   */
  finish(rest: PhysicalLine | null): {
    readonly entries: readonly Decoded[];
    readonly tail: DecodedTail;
  } {
    const pushedTo = this.#pushedTo;
    this.#pushedTo = 0;
    const decoded = rest?.bytes ? decodeLine(rest.bytes) : null;
    const holdsRecord = decoded?.parts.some((part) => part.kind === "record") === true;
    let entries: readonly Decoded[] = [];
    if (rest !== null && holdsRecord) entries = this.#takeLine(decoded, rest);
    else if (rest !== null) this.#reportTorn(rest, decoded);
    const torn = rest === null || holdsRecord ? null : place(rest);
    const first = this.#group[0];
    if (first === undefined)
      return { entries, tail: { incompleteGroup: null, torn, unterminated: holdsRecord } };
    this.#reportGroup(
      "The last lines are a commit of which the end is missing; they do not count.",
    );
    const incompleteGroup = this.#extent(first.place, pushedTo);
    this.#group = [];
    return { entries, tail: { incompleteGroup, torn, unterminated: false } };
  }

  #extent(first: LinePlace, pushedTo: number): IncompleteGroup {
    let { byteEnd } = first;
    let isParted = false;
    for (const { place } of this.#group.slice(1)) {
      isParted ||= place.byteStart !== byteEnd + 1;
      byteEnd = place.byteEnd;
    }
    return { ...first, byteEnd, parted: isParted || pushedTo > byteEnd };
  }

  #takeLine(decoded: DecodedLine, line: PhysicalLine): readonly Decoded[] {
    for (const finding of decoded.findings) this.#report(finding.code, line, finding.message);
    const out: Decoded[] = [];
    this.#isAlone = decoded.parts.length === 1;
    for (const part of decoded.parts) {
      this.#lastIsOurs = part.kind === "record" && part.crc === "right";
      for (const one of part.kind === "lost" ? this.#lose(part, line) : this.#take(part, line))
        out.push(one);
    }
    return out;
  }

  #take(record: DecodedRecord, at: PhysicalLine): readonly Decoded[] {
    if (isHeader(record.value)) return this.#takeHeader(record, at);
    const upgraded = this.#upgrade(record.value);
    const fault = entryFault(upgraded);
    if (record.crc === "wrong") this.#reportCrc(at, idOf(upgraded));
    if (fault === null) return this.#takeEntry(upgraded, record, at);
    this.#report(
      "LINE_NOT_ENTRY",
      { ...at, entryId: idOf(upgraded) },
      `The line is no entry: ${fault}.`,
    );
    return this.#lose(lostFrom(upgraded), at);
  }

  #takeHeader(record: DecodedRecord, at: PhysicalLine): readonly Decoded[] {
    this.#records++;
    if (record.crc === "wrong") this.#reportCrc(at, null);
    if (this.#header !== null) {
      this.#report("HEADER_DUPLICATE", at, "A second header; the first one stands.");
      return this.#flushGroup();
    }
    this.#header = checkHeader(record.value);
    for (const finding of this.#header.findings) this.#report(finding.code, at, finding.message);
    return [];
  }

  #upgrade(object: Members): Members {
    if (this.#header === null && isV1Entry(object)) this.#headerlessV1 = true;
    let upgraded = object;
    if (this.#isV1) upgraded = upgradeFromV1(upgraded, this.#records);
    if (this.#isV1 || this.version < 3) upgraded = upgradeFromV2(upgraded);
    return upgraded;
  }

  get #isV1(): boolean {
    return this.#header === null ? this.#headerlessV1 : this.#header.version < 2;
  }

  #takeEntry(object: Members, record: DecodedRecord, at: PhysicalLine): readonly Decoded[] {
    this.#records++;
    const entry = entryOf(object) as Entry;
    if (isMalformed(entry)) {
      const message = `An entry of type ${entry.type} without the members of that type; it is ignored.`;
      this.#report("ENTRY_MALFORMED", { ...at, entryId: entry.id }, message);
    } else if (isKnownType(entry.type)) this.#hasKnownEntry = true;
    return this.#collect({
      kind: "entry",
      entry,
      place: place(at),
      key: typeof record.key === "string" ? record.key : null,
      commit: commitOf(record.commit),
      ours: record.crc === "right",
      alone: this.#isAlone && object === record.value,
    });
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
      this.#report(
        "COMMIT_INCOMPLETE",
        { ...decoded.place, entryId: decoded.entry.id },
        INCOMPLETE,
      );
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
    const range = { ...first.place, byteEnd: last.place.byteEnd, entryId: first.entry.id };
    this.#report("COMMIT_INCOMPLETE", range, message);
  }

  /** Something that cannot be read; in a v1 file its number still tells its place. */
  #lose(lost: LostRecord, at: PhysicalLine): readonly Decoded[] {
    const index = this.#records++;
    const told = this.#isV1 ? { id: legacyId(index), parentId: legacyParent(index) } : undefined;
    const one: DecodedLoss = {
      kind: "lost",
      id: lost.id ?? told?.id ?? null,
      parentId: lost.parentId === undefined ? told?.parentId : lost.parentId,
      place: place(at),
    };
    return [...this.#flushGroup(), one];
  }

  #reportTorn(rest: PhysicalLine, decoded: DecodedLine | null): void {
    // White space at the end is no damage; a run of NULs is (a power cut, reliability.md §3 row 10).
    if (decoded?.blank === true && decoded.findings.length === 0) return;
    this.#report("TAIL_TORN", rest, "The last line is unfinished.");
  }

  #reportCrc(at: LinePlace, entryId: string | null): void {
    this.#report("CRC_MISMATCH", { ...at, entryId }, "The line was changed after it was written.");
  }

  #report(
    code: ProblemCode,
    at: LinePlace & { readonly entryId?: string | null },
    message: string,
  ): void {
    this.problems.push({ code, ...place(at), entryId: at.entryId ?? null, message });
  }
}

const INCOMPLETE = "A commit of which lines are missing; its other entries are shown.";

function place(at: LinePlace): LinePlace {
  return { line: at.line, byteStart: at.byteStart, byteEnd: at.byteEnd };
}

function idOf(value: Members): string | null {
  return typeof value.id === "string" ? value.id : null;
}

/** The members that every entry has, in shape. */
function entryOf(object: Members): Members {
  const { parentId, timestamp } = object;
  // A parent that is no text cannot be found: it is bridged like one that is missing.
  const isLinked = typeof parentId === "string" || parentId === null;
  if (isLinked && typeof timestamp === "string") return object;
  return {
    ...object,
    parentId: isLinked ? parentId : UNREADABLE_PARENT,
    timestamp: typeof timestamp === "string" ? timestamp : isoTime(timestamp),
  };
}

/** The one entry on a line of a sound v3 file; null where something else stands on it. */
export function readEntryLine(bytes: Uint8Array): Entry | null {
  const [part, ...others] = decodeLine(bytes).parts;
  const isOne = part?.kind === "record" && others.length === 0 && !isHeader(part.value);
  return isOne && entryFault(part.value) === null ? (entryOf(part.value) as Entry) : null;
}

/** An entry as v1 wrote it, which has no ids. */
function isV1Entry(object: Members): boolean {
  const { id, parentId, type } = object;
  return (
    id === undefined && parentId === undefined && typeof type === "string" && isKnownType(type)
  );
}

/** Stands for a parent that is neither text nor null. No entry can have this id: it is too long. */
export const UNREADABLE_PARENT: string = "?".repeat(300);

/** The commit that a line names, or null where it names none in shape. */
export function commitOf(value: unknown): CommitMark | null {
  if (!isObject(value)) return null;
  const { id, i, n } = value;
  const fits = typeof id === "string" && Number.isInteger(i) && Number.isInteger(n);
  if (!fits) return null;
  const mark = { id, i: i as number, n: n as number };
  return mark.i >= 1 && mark.i <= mark.n ? mark : null;
}
