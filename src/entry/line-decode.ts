import { crc32 } from "./crc32.ts";
import { isObject } from "./entry-check.ts";
import { isTooDeep, MAX_DEPTH } from "./json-depth.ts";
import { type LostRecord, splitRecords } from "./line-split.ts";
import type { ProblemCode } from "./problem.ts";

/** What the check sum of a line says: "none" where the line carries none. */
export type CrcVerdict = "none" | "right" | "wrong";

/** A finding about one line, without its place. */
export interface LineFinding {
  readonly code: ProblemCode;
  readonly message: string;
}

/** A JSON object that stood on a line, without what our line said about it. */
export interface DecodedRecord {
  readonly kind: "record";
  /** Without `key`, `commit` and `crc` where the line carries a check sum; else with every member. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly crc: CrcVerdict;
  /** The members `key` and `commit` as they stand there; undefined without a right check sum. */
  readonly key: unknown;
  readonly commit: unknown;
}

/** A part of a line that cannot be read. */
export interface DecodedPiece extends LostRecord {
  readonly kind: "lost";
}

/** What one physical line holds. */
export interface DecodedLine {
  /** In the order of the line: one part, unless records were glued. */
  readonly parts: readonly (DecodedRecord | DecodedPiece)[];
  readonly findings: readonly LineFinding[];
  /** True where nothing stands on the line but white space, NULs or a BOM: it has no parts. */
  readonly blank: boolean;
}

/** A physical line as text and JSON. */
export interface JsonLine {
  /** Without a BOM before and NULs anywhere. */
  readonly text: string;
  /** The bytes of `text`. */
  readonly bytes: Uint8Array;
  /** undefined where the text is not exactly one JSON value. */
  readonly value: unknown;
  readonly findings: LineFinding[];
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** `"crc":"xxxxxxxx"}` and the comma before it. */
const CRC_TAIL = /,"([^"\\]{1,12})":"([^"\\]{1,24})"\}\s*$/;
const HEX8 = /^[0-9a-f]{8}$/;

/** A verdict and the name of the member that holds the check sum (damaged, it may not be `crc`). */
export interface CrcCheck {
  readonly verdict: CrcVerdict;
  readonly member: string;
}

const NO_CRC: CrcCheck = { verdict: "none", member: "crc" };

/**
 * Verdict on the check sum of a line (design.md §2). A line of ours whose `crc` member itself is
 * damaged is recognised by its value, which still fits the bytes before it.
 */
export function checkCrc(bytes: Uint8Array, text: string): CrcCheck {
  const tail = CRC_TAIL.exec(text.slice(-64));
  if (tail === null) return NO_CRC;
  const [all, member, value] = tail as unknown as [string, string, string];
  const isCrc = member === "crc";
  if (!HEX8.test(value)) return isCrc ? { verdict: "wrong", member } : NO_CRC;
  // The tail was matched in the last 64 characters; in UTF-8 its own length is that of its bytes.
  const bodyLength = bytes.length - encoder.encode(all).length + 1;
  const fits = crc32(bytes.subarray(0, bodyLength)) === value;
  if (isCrc) return { verdict: fits ? "right" : "wrong", member };
  return fits ? { verdict: "wrong", member } : NO_CRC;
}

function decodeText(bytes: Uint8Array, findings: LineFinding[]): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    findings.push({
      code: "LINE_INVALID_UTF8",
      message: "The line holds bytes that are no UTF-8.",
    });
    return lenientUtf8.decode(bytes);
  }
}

/** Removes what may stand around or between records without being part of them: BOMs and NULs. */
function stripForeign(text: string, findings: LineFinding[]): string {
  let clean = text;
  if (clean.includes("\u0000")) {
    findings.push({ code: "LINE_NUL", message: "The line holds NUL bytes; they were skipped." });
    clean = clean.replaceAll("\u0000", "");
  }
  if (/^\s*\uFEFF/.test(clean)) {
    findings.push({ code: "LINE_BOM", message: "A byte order mark stands before the record." });
    clean = clean.replace(/^\s+/, "");
  }
  return clean;
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isBlank(text: string): boolean {
  // String.trim also takes a BOM away, which is a finding and not a blank.
  return /^[ \t\r\n]*$/.test(text);
}

/** Reads a line (without its newline) as JSON; the findings say what had to be taken off. */
export function readJsonLine(bytes: Uint8Array): JsonLine {
  const findings: LineFinding[] = [];
  const text = decodeText(bytes, findings);
  const value = parseWhole(text);
  if (value !== undefined) return { text, bytes, value, findings };
  const clean = stripForeign(text, findings);
  if (clean === text) return { text, bytes, value, findings };
  return { text: clean, bytes: encoder.encode(clean), value: parseWhole(clean), findings };
}

/**
 * Reads one physical line (without its newline) of any content (P7): strips BOM and NUL runs, splits
 * glued records, recovers a complete record behind a torn one, and says exactly what was wrong. Never
 * throws, linear in the length of the line.
 */
export function decodeLine(bytes: Uint8Array): DecodedLine {
  const line = readJsonLine(bytes);
  const { text, findings } = line;
  if (line.value !== undefined) return single(line);
  if (isBlank(text)) return { parts: [], findings, blank: true };
  const split = splitRecords(text);
  for (const code of split.codes) findings.push({ code, message: SPLIT_MESSAGES[code] });
  const parts = split.parts.map((part) =>
    part.kind === "lost"
      ? piece(part.lost)
      : record(part.value, checkCrc(encoder.encode(part.text), part.text)),
  );
  return { parts, findings, blank: false };
}

const SPLIT_MESSAGES: { readonly [C in "LINE_GLUED" | "LINE_NOT_JSON" | "LINE_CR_ONLY"]: string } =
  {
    LINE_GLUED: "Several records stand on one line; they were split.",
    LINE_NOT_JSON: "A part of the line is no JSON.",
    LINE_CR_ONLY: "Records are separated by carriage returns instead of newlines.",
  };

function single(line: JsonLine): DecodedLine {
  const { value, text, bytes, findings } = line;
  if (!isObject(value)) {
    findings.push({ code: "LINE_NOT_ENTRY", message: "The line is JSON, but no object." });
    return { parts: [piece({ id: null, parentId: undefined })], findings, blank: false };
  }
  // A level of nesting takes two characters, so short lines need no walk.
  if (text.length > 2 * MAX_DEPTH && isTooDeep(value)) {
    findings.push({
      code: "LINE_TOO_DEEP",
      message: "The line is nested deeper than 1,000 levels.",
    });
    return { parts: [piece(lostFrom(value))], findings, blank: false };
  }
  return { parts: [record(value, checkCrc(bytes, text))], findings, blank: false };
}

function piece(lost: LostRecord): DecodedPiece {
  return { kind: "lost", ...lost };
}

function record(value: Readonly<Record<string, unknown>>, check: CrcCheck): DecodedRecord {
  const { verdict: crc, member } = check;
  if (crc === "none") return { kind: "record", value, crc, key: undefined, commit: undefined };
  const { key, commit, [member]: _crc, ...rest } = value;
  // A wrong check sum may mean that another program copied the line: then key and commit are those
  // of another file and say nothing here.
  if (crc === "wrong")
    return { kind: "record", value: rest, crc, key: undefined, commit: undefined };
  return { kind: "record", value: rest, crc, key, commit };
}

/** What an object that cannot be used still tells about its place in the tree. */
export function lostFrom(value: Readonly<Record<string, unknown>>): LostRecord {
  const id = typeof value.id === "string" && value.id !== "" ? value.id : null;
  const parent = value.parentId;
  return { id, parentId: typeof parent === "string" || parent === null ? parent : undefined };
}
