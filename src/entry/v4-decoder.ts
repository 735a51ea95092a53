import type { Entry, SessionHeader } from "./entry.ts";
import { isKnownType, isMalformed, isObject } from "./entry-check.ts";
import { isV4Header } from "./format.ts";
import { safeSessionId } from "./ids.ts";
import { isoTime } from "./iso-time.ts";
import { isTooDeep, MAX_DEPTH } from "./json-depth.ts";
import { readJsonLine } from "./line-decode.ts";
import { splitRecords } from "./line-split.ts";
import type { LinePlace, Problem, ProblemCode } from "./problem.ts";
import type {
  Decoded,
  DecodedEntry,
  DecodedTail,
  LineDecoder,
  PhysicalLine,
} from "./session-decoder.ts";
import { type Translated, V4Translator } from "./v4-translator.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the lines of a v4 file (pi-agent-core 0.87, formats.md §2.2) as entries of v3, in one pass,
 * for any content (P7). Such a session is read-only. Pure; used like the decoder of v1 to v3.
 */
export class V4Decoder implements LineDecoder {
  readonly problems: Problem[] = [];
  readonly version: number = 4;
  /** Always: this program does not write v4. */
  readonly newer: boolean = true;
  readonly lastIsOurs: boolean = false;
  readonly #translator = new V4Translator();
  #header: SessionHeader | null = null;
  #hasKnownEntry = false;
  #sequence = Number.NEGATIVE_INFINITY;
  #last: LinePlace = { line: 0, byteStart: 0, byteEnd: 0 };
  #leafId: string | null = null;

  get header(): SessionHeader | null {
    return this.#header;
  }

  get hasKnownEntry(): boolean {
    return this.#hasKnownEntry;
  }

  /** Decodes one complete line; its writes count together. */
  push(line: PhysicalLine): readonly Decoded[] {
    if (line.bytes === null) {
      this.#report("LINE_TOO_LONG", line, "The line is longer than the reader's limit.");
      return [lost(line)];
    }
    const { value, text, findings } = readJsonLine(line.bytes);
    for (const { code, message } of findings) this.#report(code, line, message);
    if (value === undefined) return this.#notJson(text, line);
    if (text.length > 2 * MAX_DEPTH && isTooDeep(value)) {
      this.#report("LINE_TOO_DEEP", line, "The line is nested deeper than 1,000 levels.");
      return [lost(line)];
    }
    return this.#take(value, line);
  }

  /**
   * Ends the input for now: the last line counts where it is complete, and a `leaf` entry says where
   * the branch stands that was written last.
   */
  finish(rest: PhysicalLine | null): {
    readonly entries: readonly Decoded[];
    readonly tail: DecodedTail;
  } {
    const unterminated = rest?.bytes ? isWrites(readJsonLine(rest.bytes).value) : false;
    const entries = rest !== null && unterminated ? Array.from(this.push(rest)) : [];
    const torn = rest === null || unterminated ? null : place(rest);
    if (torn !== null) this.#report("TAIL_TORN", torn, "The last line is unfinished.");
    const leaf = this.#translator.leaf(String(this.#last.line));
    if (leaf !== null && leaf.id !== this.#leafId) {
      this.#leafId = leaf.id as string;
      entries.push(decoded(leaf, this.#last));
    }
    return { entries, tail: { incompleteGroup: null, torn, unterminated } };
  }

  #notJson(text: string, line: PhysicalLine): readonly Decoded[] {
    const out: Decoded[] = [];
    const { parts, codes } = splitRecords(text);
    for (const code of codes) this.#report(code, line, "The line is not one JSON value.");
    for (const [index, part] of parts.entries()) {
      if (part.kind === "lost") out.push(lost(line));
      else for (const one of this.#take(part.value, line, `${line.line}.${index}`)) out.push(one);
    }
    return out;
  }

  #take(value: unknown, line: PhysicalLine, record = String(line.line)): readonly Decoded[] {
    this.#last = place(line);
    if (isV4Header(value)) {
      this.#takeHeader(value as Members, line);
      return [];
    }
    const out: Decoded[] = [];
    const writes: Members[] = [];
    for (const write of Array.isArray(value) ? value : [value]) {
      if (isObject(write)) writes.push(write);
      else {
        this.#report("LINE_NOT_ENTRY", line, "The line holds a write that is no object.");
        out.push(lost(line));
      }
    }
    for (const write of writes) this.#checkSequence(write, line);
    for (const one of this.#translator.transaction(writes, record))
      out.push(...this.#give(one, line));
    return out;
  }

  #takeHeader(value: Members, line: PhysicalLine): void {
    if (this.#header !== null) {
      this.#report("HEADER_DUPLICATE", line, "A second header; the first one stands.");
      return;
    }
    this.#header = headerOf(value);
    if (this.#header.id !== value.id)
      this.#report("HEADER_INVALID", line, "The session id breaks the grammar of ids.");
    if (value.storageVersion !== 1)
      this.#report("VERSION_NEWER", line, "The storage version is not 1, the one that is known.");
    this.#translator.begin(this.#header);
  }

  #give(one: Translated, line: PhysicalLine): readonly Decoded[] {
    if (one.kind === "missing") {
      const at = { ...line, entryId: one.entryId };
      this.#report("TARGET_MISSING", at, "A branch tip names an entry that is not there.");
      return [];
    }
    if (one.kind === "fault") {
      const at = { ...line, entryId: one.lost.id };
      this.#report("LINE_NOT_ENTRY", at, `A write is no entry: ${one.reason}.`);
      return [{ kind: "lost", ...one.lost, place: place(line) }];
    }
    const result = decoded(one.members, line);
    if (isMalformed(result.entry)) {
      const at = { ...line, entryId: result.entry.id };
      this.#report("ENTRY_MALFORMED", at, "An entry without the members of its type.");
    } else if (isKnownType(result.entry.type)) this.#hasKnownEntry = true;
    return [result];
  }

  #checkSequence(write: Members, line: PhysicalLine): void {
    const { seq } = write;
    if (typeof seq === "number" && seq > this.#sequence) this.#sequence = seq;
    else this.#report("SEQUENCE_BROKEN", line, "The number of a write does not grow.");
  }

  #report(
    code: ProblemCode,
    at: LinePlace & { readonly entryId?: string | null },
    message: string,
  ): void {
    this.problems.push({ code, ...place(at), entryId: at.entryId ?? null, message });
  }
}

function place(at: LinePlace): LinePlace {
  return { line: at.line, byteStart: at.byteStart, byteEnd: at.byteEnd };
}

function lost(at: LinePlace): Decoded {
  return { kind: "lost", id: null, parentId: undefined, place: place(at) };
}

function decoded(members: Members, at: LinePlace): DecodedEntry {
  const entry = members as unknown as Entry;
  const line = { place: place(at), key: null, commit: null, ours: false, alone: false };
  return { kind: "entry", entry, ...line };
}

/** A last line without its newline counts where it is whole: one write, several, or the header. */
function isWrites(value: unknown): boolean {
  return isObject(value) || Array.isArray(value);
}

/** The header as v3 has it; what it has no member for is kept beside. */
function headerOf(value: Members): SessionHeader {
  const { v: _v, kind: _kind, id, createdAt, cwd, ...rest } = value;
  const parent = value.legacyParentSessionPath ?? value.parentSessionId;
  return {
    ...rest,
    type: "session",
    version: 3,
    id: safeSessionId(String(id)),
    timestamp: isoTime(createdAt),
    cwd: typeof cwd === "string" ? cwd : "",
    ...(typeof parent === "string" ? { parentSession: parent } : {}),
  };
}
