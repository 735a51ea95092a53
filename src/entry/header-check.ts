import type { SessionHeader } from "./entry.ts";
import { isObject } from "./entry-check.ts";
import { isSessionId, safeSessionId } from "./ids.ts";
import type { LineFinding } from "./line-decode.ts";
import { baseOf } from "./session-base.ts";

/** The version of Pi's format that we write. */
export const PI_VERSION = 3;
/** The version of our own additions that we write but for linked sessions; a higher one opens read-only. */
export const BRANCHLINE_FORMAT = 1;

/** A header as the engine uses it: members of the right types, an id that is safe in a path. */
export interface CheckedHeader {
  readonly header: SessionHeader;
  /** 1, 2 or 3; what a newer file is read as. */
  readonly version: number;
  /** True for a newer format than ours: the session is read-only (reliability.md §3 row 24). */
  readonly newer: boolean;
  readonly findings: readonly LineFinding[];
}

/** True for an object that is meant as the header of a Pi session. */
export function isHeader(value: Readonly<Record<string, unknown>>): boolean {
  return value.type === "session" && typeof value.id === "string";
}

/** The stated version and whether it is stated as it should be: a whole number from 1 on, or nothing. */
function readVersion(value: unknown): { readonly version: number; readonly proper: boolean } {
  if (value === undefined) return { version: 1, proper: true };
  // Pi compares numbers: what is below 2 is upgraded from v1, text counts as its number.
  const stated = value === null ? 1 : typeof value === "string" ? Number(value) : value;
  if (typeof stated !== "number" || Number.isNaN(stated))
    return { version: PI_VERSION, proper: false };
  const version = Math.max(1, Math.floor(stated));
  return { version, proper: version === value };
}

const TEXT_MEMBERS = ["timestamp", "cwd", "parentSession"] as const;

/** Brings a header into shape; what had to be replaced is a finding, never a refusal. */
export function checkHeader(value: Readonly<Record<string, unknown>>): CheckedHeader {
  const findings: LineFinding[] = [];
  const invalid = (message: string): void => {
    findings.push({ code: "HEADER_INVALID", message });
  };
  const id = value.id as string;
  if (!isSessionId(id))
    invalid("The session id breaks the grammar of ids; a safe one stands for it.");
  const stated = readVersion(value.version);
  if (!stated.proper) invalid(`The version is no whole number; read as ${stated.version}.`);
  for (const member of TEXT_MEMBERS) {
    const has = value[member] !== undefined;
    if (has && typeof value[member] !== "string") invalid(`The ${member} is no text.`);
  }
  const own = isObject(value.branchline) ? value.branchline.format : undefined;
  // Format 2 says one thing only: that the session is linked, and to what.
  const isOwnNewer = typeof own === "number" && own > BRANCHLINE_FORMAT && baseOf(value) === null;
  const newer = stated.version > PI_VERSION || isOwnNewer;
  if (newer) {
    findings.push({ code: "VERSION_NEWER", message: "The file has a newer format: read-only." });
  }
  const version = Math.min(stated.version, PI_VERSION);
  return { header: shape(value, safeSessionId(id)), version, newer, findings };
}

function shape(value: Readonly<Record<string, unknown>>, id: string): SessionHeader {
  const { parentSession, branchline, ...rest } = value;
  const text = (member: unknown): string => (typeof member === "string" ? member : "");
  return {
    ...rest,
    type: "session",
    version: PI_VERSION,
    id,
    timestamp: text(value.timestamp),
    cwd: text(value.cwd),
    ...(typeof parentSession === "string" ? { parentSession } : {}),
    ...(isObject(branchline) && typeof branchline.format === "number"
      ? { branchline: { ...branchline, format: branchline.format } }
      : {}),
  };
}

/** The header that stands for one that cannot be read (reliability.md §3 row 22). */
export function madeUpHeader(id: string): SessionHeader {
  return { type: "session", version: PI_VERSION, id: safeSessionId(id), timestamp: "", cwd: "" };
}
