import { MAX_DEPTH } from "./json-depth.ts";

type Members = Readonly<Record<string, unknown>>;

/** A part of a line that could not be read, and what its first bytes tell about it. */
export interface LostRecord {
  readonly id: string | null;
  /** undefined = not known. */
  readonly parentId: string | null | undefined;
}

/** One part of a line: a JSON object with its text, or something that cannot be read. */
export type LinePart =
  | { readonly kind: "object"; readonly value: Members; readonly text: string }
  | { readonly kind: "lost"; readonly lost: LostRecord };

/** Outcome of splitting a line that is not one JSON value. */
export interface SplitLine {
  /** In the order of the line. */
  readonly parts: readonly LinePart[];
  readonly codes: readonly ("LINE_GLUED" | "LINE_NOT_JSON" | "LINE_CR_ONLY")[];
}

/** Every record of Pi and of ours begins so; blocks inside messages do too, hence the checks below. */
const RECORD_START = '{"type":"';
/**
 * A hostile line may hold any number of false starts: after this many characters looked at for each
 * character of the line, what is left of it is given up.
 */
const LOOKS_PER_CHARACTER = 16;

/** Splits one line; counts the characters looked at, so that time is linear in the line's length. */
class LineSplitter {
  readonly #text: string;
  #budget: number;

  constructor(text: string) {
    this.#text = text;
    this.#budget = text.length * LOOKS_PER_CHARACTER;
  }

  /** The object that starts at `start` and the index behind it, or null. */
  objectAt(start: number): { readonly value: Members; readonly end: number } | null {
    if (this.#text[start] !== "{") return null;
    const end = this.#objectEnd(start);
    if (end === -1) return null;
    const value = parseObject(this.#text.slice(start, end));
    return value === null ? null : { value, end };
  }

  /** Where the next complete record starts behind something that cannot be read, or -1. */
  nextRecord(from: number): number {
    let start = this.#text.indexOf(RECORD_START, from);
    for (; start !== -1 && this.#budget > 0; start = this.#text.indexOf(RECORD_START, start + 1)) {
      const found = this.objectAt(start);
      if (found !== null && looksLikeRecord(found.value) && this.#endsRecord(found.end))
        return start;
    }
    return -1;
  }

  skipBlank(from: number): number {
    let index = from;
    while (" \t\r\uFEFF".includes(this.#text[index] ?? "{")) index++;
    return index;
  }

  /** Index after the object that starts at `from`, or -1 where it does not close or nests too deep. */
  #objectEnd(from: number): number {
    const text = this.#text;
    const to = Math.min(text.length, from + this.#budget);
    let depth = 0;
    let inString = false;
    let index = from;
    for (; index < to; index++) {
      const char = text.charCodeAt(index);
      if (inString) {
        if (char === 0x5c) index++;
        else if (char === 0x22) inString = false;
      } else if (char === 0x22) inString = true;
      else if (char === 0x7b || char === 0x5b) {
        if (++depth > MAX_DEPTH) break;
      } else if ((char === 0x7d || char === 0x5d) && --depth === 0) break;
    }
    this.#budget -= index - from;
    return index < to && depth === 0 ? index + 1 : -1;
  }

  /** What is nested in a torn record goes on with a comma or bracket; a record does not. */
  #endsRecord(end: number): boolean {
    const next = this.skipBlank(end);
    return next >= this.#text.length || this.#text[next] === "{";
  }
}

/** `text` starts with a brace, so what it holds is an object. */
function parseObject(text: string): Members | null {
  try {
    return JSON.parse(text) as Members;
  } catch {
    return null;
  }
}

/** A block inside a torn message also starts with `{"type":"`; only entries and headers have these. */
function looksLikeRecord(value: Members): boolean {
  const isLinked = typeof value.parentId === "string" || value.parentId === null;
  return typeof value.id === "string" && (isLinked || value.type === "session");
}

/** The members that stand before the payload of an entry. */
const FRAME_MEMBER = /[{,]"(?:type|timestamp|(id)|(parentId))":(?:null|"([^"\\]{0,256})")(?=[,}])/y;

/** What the first characters of a torn record tell (F003, M6). */
function lostFromText(text: string): LostRecord {
  let id: string | null = null;
  let parentId: string | null | undefined;
  FRAME_MEMBER.lastIndex = 0;
  for (let member = FRAME_MEMBER.exec(text); member !== null; member = FRAME_MEMBER.exec(text)) {
    const [, isId, isParent, value] = member;
    if (isId !== undefined) id = value || null;
    if (isParent !== undefined) parentId = value ?? null;
  }
  return { id, parentId };
}

/**
 * Splits a line into the records that stand on it (formats.md §11 rule 3): complete objects one after
 * the other, and complete records behind a torn one. What lies between is reported as lost.
 */
export function splitRecords(text: string): SplitLine {
  const splitter = new LineSplitter(text);
  const parts: LinePart[] = [];
  let separatedByCr = false;
  let position = 0;
  for (;;) {
    const start = splitter.skipBlank(position);
    if (start >= text.length) break;
    separatedByCr ||= parts.length > 0 && text.slice(position, start).includes("\r");
    const found = splitter.objectAt(start);
    if (found !== null) {
      parts.push({ kind: "object", value: found.value, text: text.slice(start, found.end) });
      position = found.end;
      continue;
    }
    const next = splitter.nextRecord(start + 1);
    position = next === -1 ? text.length : next;
    parts.push({ kind: "lost", lost: lostFromText(text.slice(start, position)) });
  }
  const codes: SplitLine["codes"][number][] = [];
  if (parts.some((part) => part.kind === "lost")) codes.push("LINE_NOT_JSON");
  if (separatedByCr) codes.push("LINE_CR_ONLY");
  else if (parts.length > 1) codes.push("LINE_GLUED");
  return { parts, codes };
}
