import { isObject } from "./entry-check.ts";
import { isTooDeep } from "./json-depth.ts";

/** A part of a line that could not be read, and what its first bytes tell about it. */
export interface LostRecord {
  readonly id: string | null;
  /** undefined = not known. */
  readonly parentId: string | null | undefined;
}

/** Outcome of splitting a line that is not one JSON value. */
export interface SplitLine {
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly lost: readonly LostRecord[];
  readonly codes: readonly ("LINE_GLUED" | "LINE_NOT_JSON" | "LINE_CR_ONLY")[];
}

/** Every record of Pi and of ours begins so; blocks inside messages do too, hence the check below. */
const RECORD_START = '{"type":"';
/** A hostile line may hold any number of false starts; past this many the rest is given up. */
const MAX_RESYNCS = 64;

/** Index after the object that starts at `from`, or -1 where it never closes. */
function objectEnd(text: string, from: number): number {
  let depth = 0;
  let inString = false;
  for (let index = from; index < text.length; index++) {
    const char = text.charCodeAt(index);
    if (inString) {
      if (char === 0x5c) index++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b) depth++;
    else if (char === 0x7d && --depth === 0) return index + 1;
  }
  return -1;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !isTooDeep(value) ? value : null;
  } catch {
    return null;
  }
}

/** A block inside a torn message also starts with `{"type":"`; only entries and headers have these. */
function looksLikeRecord(value: Readonly<Record<string, unknown>>): boolean {
  const isLinked = typeof value.parentId === "string" || value.parentId === null;
  return typeof value.id === "string" && (isLinked || value.type === "session");
}

/** What the first characters of a torn record tell (F003, M6). */
function lostFromText(text: string): LostRecord {
  const start = text.slice(0, 1024);
  const head = /^\s*\{"type":"[^"\\]*"/.test(start) ? start.split('"message":')[0] : "";
  const id = /"id":"([^"\\]{1,256})"/.exec(head as string);
  const parent = /"parentId":(?:null|"([^"\\]{1,256})")/.exec(head as string);
  return {
    id: id === null ? null : (id[1] as string),
    parentId: parent === null ? undefined : (parent[1] ?? null),
  };
}

/**
 * Splits a line into the records that stand on it (formats.md §11 rule 3): complete objects one after
 * the other, and complete records behind a torn one. What lies between is reported as lost.
 */
export function splitRecords(text: string): SplitLine {
  const objects: Readonly<Record<string, unknown>>[] = [];
  const lost: LostRecord[] = [];
  let separatedByCr = false;
  let position = 0;
  for (let resyncs = 0; position < text.length; ) {
    const start = skipBlank(text, position);
    if (text.slice(position, start).includes("\r") && objects.length > 0) separatedByCr = true;
    if (start >= text.length) break;
    const found = recordAt(text, start);
    if (found !== null) {
      objects.push(found.value);
      position = found.end;
      continue;
    }
    const next = resyncs < MAX_RESYNCS ? nextRecord(text, start + 1, MAX_RESYNCS - resyncs) : null;
    resyncs += next?.tries ?? MAX_RESYNCS;
    position = next?.start ?? text.length;
    lost.push(lostFromText(text.slice(start, position)));
  }
  const codes: SplitLine["codes"][number][] = [];
  if (lost.length > 0) codes.push("LINE_NOT_JSON");
  if (separatedByCr) codes.push("LINE_CR_ONLY");
  else if (objects.length > 1 || (objects.length > 0 && lost.length > 0)) codes.push("LINE_GLUED");
  return { objects, lost, codes };
}

function skipBlank(text: string, from: number): number {
  let index = from;
  while (index < text.length && " \t\r\uFEFF".includes(text[index] as string)) index++;
  return index;
}

function recordAt(
  text: string,
  start: number,
): { readonly value: Readonly<Record<string, unknown>>; readonly end: number } | null {
  if (text[start] !== "{") return null;
  const end = objectEnd(text, start);
  if (end === -1) return null;
  const value = parseObject(text.slice(start, end));
  return value === null ? null : { value, end };
}

function nextRecord(
  text: string,
  from: number,
  maxTries: number,
): { readonly start: number; readonly tries: number } | null {
  let start = text.indexOf(RECORD_START, from);
  for (let tries = 1; start !== -1 && tries <= maxTries; tries++) {
    const found = recordAt(text, start);
    if (found !== null && looksLikeRecord(found.value)) return { start, tries };
    start = text.indexOf(RECORD_START, start + 1);
  }
  return null;
}
