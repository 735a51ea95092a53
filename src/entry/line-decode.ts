import { crc32 } from "./crc32.ts";
import { isObject } from "./entry-check.ts";
import { isTooDeep } from "./json-depth.ts";
import { type LostRecord, splitRecords } from "./line-split.ts";
import type { ProblemCode } from "./problem.ts";

/** What the check sum of a line says: "none" where the line carries none. */
export type CrcVerdict = "none" | "right" | "wrong";

/** A finding about one line, without its place. */
export interface LineFinding {
  readonly code: ProblemCode;
  readonly message: string;
}

/** What one physical line holds. A blank line holds nothing and has no findings. */
export interface DecodedLine {
  /** The JSON objects of the line, in order: one, unless records were glued. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly lost: readonly LostRecord[];
  readonly findings: readonly LineFinding[];
  readonly crc: CrcVerdict;
  readonly blank: boolean;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** `"crc":"xxxxxxxx"}` and the comma before it. */
const CRC_TAIL = /,"([^"\\]{1,12})":"([^"\\]{1,24})"\}\s*$/;
const HEX8 = /^[0-9a-f]{8}$/;

/**
 * Verdict on the check sum of a line (design.md §2). A line of ours whose `crc` member itself is
 * damaged is recognised by its value, which still fits the bytes before it.
 */
export function checkCrc(bytes: Uint8Array, text: string): CrcVerdict {
  const tail = CRC_TAIL.exec(text.slice(-64));
  if (tail === null) return "none";
  const [all, name, value] = tail as unknown as [string, string, string];
  const isCrc = name === "crc";
  if (!HEX8.test(value)) return isCrc ? "wrong" : "none";
  // The tail was matched in the last 64 characters; in UTF-8 its own length is that of its bytes.
  const bodyLength = bytes.length - encoder.encode(all).length + 1;
  const fits = crc32(bytes.subarray(0, bodyLength)) === value;
  if (isCrc) return fits ? "right" : "wrong";
  return fits ? "wrong" : "none";
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
    clean = clean.replace(/^[\s\uFEFF]+/, "");
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

/**
 * Reads one physical line (without its newline) of any content (P7): strips BOM and NUL runs, splits
 * glued records, recovers a complete record behind a torn one, and says exactly what was wrong. Never
 * throws, linear in the length of the line.
 */
export function decodeLine(bytes: Uint8Array): DecodedLine {
  const findings: LineFinding[] = [];
  const text = decodeText(bytes, findings);
  const whole = parseWhole(text);
  if (whole !== undefined) return single(whole, text, { bytes, findings });
  const clean = stripForeign(text, findings);
  if (isBlank(clean)) {
    return { objects: [], lost: [], findings, crc: "none", blank: true };
  }
  const again = parseWhole(clean);
  if (again !== undefined) return single(again, clean, { bytes: encoder.encode(clean), findings });
  const split = splitRecords(clean);
  for (const code of split.codes) findings.push({ code, message: SPLIT_MESSAGES[code] });
  return { objects: split.objects, lost: split.lost, findings, crc: "none", blank: false };
}

const SPLIT_MESSAGES: { readonly [C in "LINE_GLUED" | "LINE_NOT_JSON" | "LINE_CR_ONLY"]: string } =
  {
    LINE_GLUED: "Several records stand on one line; they were split.",
    LINE_NOT_JSON: "A part of the line is no JSON.",
    LINE_CR_ONLY: "Records are separated by carriage returns instead of newlines.",
  };

function single(
  value: unknown,
  text: string,
  context: { readonly bytes: Uint8Array; readonly findings: LineFinding[] },
): DecodedLine {
  const { bytes, findings } = context;
  const none = { objects: [], findings, crc: "none", blank: false } as const;
  if (!isObject(value)) {
    findings.push({ code: "LINE_NOT_ENTRY", message: "The line is JSON, but no object." });
    return { ...none, lost: [{ id: null, parentId: undefined }] };
  }
  // A level of nesting takes two bytes, so short lines need no walk.
  if (text.length > 2000 && isTooDeep(value)) {
    findings.push({
      code: "LINE_TOO_DEEP",
      message: "The line is nested deeper than 1,000 levels.",
    });
    return { ...none, lost: [lostFrom(value)] };
  }
  return { objects: [value], lost: [], findings, crc: checkCrc(bytes, text), blank: false };
}

/** What an object that cannot be used still tells about its place in the tree. */
export function lostFrom(value: Readonly<Record<string, unknown>>): LostRecord {
  const id = typeof value.id === "string" && value.id !== "" ? value.id : null;
  const parent = value.parentId;
  return { id, parentId: typeof parent === "string" || parent === null ? parent : undefined };
}
