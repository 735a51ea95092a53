import { BranchlineError } from "../errors.ts";
import { crc32 } from "./crc32.ts";
import type { Entry, SessionHeader } from "./entry.ts";
import { isTooDeep, MAX_DEPTH } from "./json-depth.ts";

/** Place of an entry in a commit of several: `i` counts from 1 to `n`. */
export interface CommitMark {
  readonly id: string;
  readonly i: number;
  readonly n: number;
}

/** What our lines carry after the entry's own members (design.md §2). */
export interface LineStamp {
  /** Idempotency key of the commit. */
  readonly key?: string;
  readonly commit?: CommitMark;
}

/** Default limit for one encoded entry, in bytes (R13). */
export const MAX_ENTRY_BYTES: number = 32 * 1024 * 1024;

const encoder = new TextEncoder();

/** Members of a line that belong to the line and not to the entry. */
export const STAMP_MEMBERS = ["key", "commit", "crc"] as const;

/** Room for a text whose length in bytes is not known yet. */
const room = new Uint8Array(64 * 1024);

/** UTF-8; a short text stands in the {@link room} until the next one. */
function utf8(text: string): Uint8Array {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 > room.length) return encoder.encode(text);
  return room.subarray(0, encoder.encodeInto(text, room).written);
}

/** Bytes of the member `crc`, the brace and the newline behind it. */
const CRC_BYTES = 18;

/** The line of the JSON text of an object with members, given without its last brace. */
function withCrc(open: string): Uint8Array {
  const body = utf8(`${open},`);
  const line = new Uint8Array(body.length + CRC_BYTES);
  line.set(body);
  encoder.encodeInto(`"crc":"${crc32(body)}"}\n`, line.subarray(body.length));
  return line;
}

function stringify(data: object): string {
  let json: string | undefined;
  try {
    // Before the walk: a circle ends here, and so does what nests too deep for the stack.
    json = JSON.stringify(data);
  } catch (cause) {
    throw invalid("not representable as JSON", cause);
  }
  // A toJSON of its own may turn an object into anything.
  if (json?.[0] !== "{" || json === "{}") throw invalid("its JSON form is no object with members");
  // A level of nesting takes two characters, so short texts need no walk.
  if (json.length > 2 * MAX_DEPTH && isTooDeep(JSON.parse(json)))
    throw invalid("nested deeper than 1,000 levels");
  return json;
}

function invalid(reason: string, cause?: unknown): BranchlineError<"ENTRY_INVALID"> {
  return new BranchlineError(
    "ENTRY_INVALID",
    { reason },
    { message: `The entry cannot be written: ${reason}.`, cause },
  );
}

/** A copied foreign entry may use these names itself; without a check sum readers leave them alone. */
function hasStampMembers(entry: Entry): boolean {
  return STAMP_MEMBERS.some((name) => Object.hasOwn(entry, name));
}

/** The line of an entry with such members of its own; a `crc` must not come last, like a real one. */
function unstamped(entry: Entry, stamp: LineStamp): Uint8Array {
  if (stamp.key !== undefined || stamp.commit !== undefined)
    throw invalid("its members key, commit and crc are those of a line");
  const { crc, ...members } = entry as Readonly<Record<string, unknown>>;
  return encoder.encode(`${stringify(crc === undefined ? members : { crc, ...members })}\n`);
}

/**
 * One line of a session file: the entry's members, `key` and `commit` where given, and last `crc`,
 * the CRC-32 of all bytes of the line before that member (the comma before it included), then 0x0A.
 * An entry that has members of these names itself goes out without them (and without `crc`).
 * Throws ENTRY_TOO_LARGE above `limit` bytes, ENTRY_INVALID for what JSON cannot hold and for a key
 * or commit beside such members.
 */
export function encodeEntry(
  entry: Entry,
  stamp: LineStamp = {},
  limit: number = MAX_ENTRY_BYTES,
): Uint8Array {
  const line = hasStampMembers(entry)
    ? unstamped(entry, stamp)
    : withCrc(stringify({ ...entry, ...stamp }).slice(0, -1));
  return checked(line, limit);
}

function checked(line: Uint8Array, limit: number): Uint8Array {
  if (line.length <= limit) return line;
  throw new BranchlineError(
    "ENTRY_TOO_LARGE",
    { bytes: line.length, limit },
    {
      message: `The entry has ${line.length} bytes, more than the limit of ${limit}.`,
      hint: "Keep large payloads in a file and store a reference to it.",
    },
  );
}

/** The stamp as the JSON text of members, a comma before each. */
function stampText({ key, commit }: LineStamp): string {
  const start = key === undefined ? "" : `,"key":${JSON.stringify(key)}`;
  return commit === undefined ? start : `${start},"commit":${JSON.stringify(commit)}`;
}

/**
 * The same line as {@link encodeEntry} gives, for an entry whose own members exist as JSON text already:
 * `members` is that text behind the entry's `timestamp`, as `,"name":value` for each of them. The caller
 * answers for what the text holds: depth, and no member that belongs to the line. Throws ENTRY_TOO_LARGE.
 */
export function encodeMembers(entry: Entry, members: string, stamp: LineStamp): Uint8Array {
  const { type, id, parentId, timestamp } = entry;
  const start = JSON.stringify({ type, id, parentId, timestamp });
  const line = withCrc(start.slice(0, -1) + members + stampText(stamp));
  return checked(line, MAX_ENTRY_BYTES);
}

/** The first line of a session file, with `crc` like every line of ours. */
export function encodeHeader(header: SessionHeader): Uint8Array {
  return withCrc(stringify(header).slice(0, -1));
}
