import { BranchlineError } from "../errors.ts";
import { crc32Of } from "./crc32.ts";
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

/** Bytes of the member `crc`, the brace and the newline behind it. */
const CRC_BYTES = 18;
const CRC_START: Uint8Array = encoder.encode('"crc":"');
const CRC_END: Uint8Array = encoder.encode('"}\n');
const COMMA = 0x2c;
const HEX_DIGITS: Uint8Array = encoder.encode("0123456789abcdef");

/**
 * The line of the JSON text of an object with members, given without its last brace. In memory of its own:
 * who gets it may change it and pass it on.
 */
function ownLine(open: string): Uint8Array {
  const body = encoder.encode(open);
  const line = new Uint8Array(body.length + 1 + CRC_BYTES);
  line.set(body);
  closeLine(line, body.length);
  return line;
}

/**
 * Short lines that are written and forgotten are made one behind the other in blocks of this size, and a block
 * is never used twice: no memory of its own for each of them, no copy, and the lines of a commit are one
 * piece already.
 */
const BLOCK_BYTES = 256 * 1024;
let block: Uint8Array = new Uint8Array(0);
let used = 0;

/** The same line as {@link ownLine} makes, in a block that others share. */
function sharedLine(open: string): Uint8Array {
  // No UTF-16 unit takes more than three bytes.
  const most = open.length * 3 + 1 + CRC_BYTES;
  if (most * 4 > BLOCK_BYTES) return ownLine(open);
  if (used + most > block.length) {
    block = new Uint8Array(BLOCK_BYTES);
    used = 0;
  }
  const room = block.subarray(used, used + most);
  const length = closeLine(room, encoder.encodeInto(open, room).written);
  used += length;
  return room.subarray(0, length);
}

/** Puts the end behind the first `length` bytes; gives the length of the whole line. */
function closeLine(line: Uint8Array, length: number): number {
  line[length] = COMMA;
  let sum = crc32Of(line.subarray(0, length + 1));
  line.set(CRC_START, length + 1);
  const digits = length + 1 + CRC_START.length;
  for (let place = 7; place >= 0; place--) {
    line[digits + place] = HEX_DIGITS[sum & 15] as number;
    sum >>>= 4;
  }
  line.set(CRC_END, digits + 8);
  return length + 1 + CRC_BYTES;
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
    : ownLine(stringify({ ...entry, ...stamp }).slice(0, -1));
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
 * answers for what the text holds: depth, and no member that belongs to the line. The line stands in memory
 * that others share: it is written, not handed out. Throws ENTRY_TOO_LARGE.
 */
export function encodeMembers(entry: Entry, members: string, stamp: LineStamp): Uint8Array {
  const { type, id, parentId, timestamp } = entry;
  const start = JSON.stringify({ type, id, parentId, timestamp });
  const line = sharedLine(start.slice(0, -1) + members + stampText(stamp));
  return checked(line, MAX_ENTRY_BYTES);
}

/** The first line of a session file, with `crc` like every line of ours. */
export function encodeHeader(header: SessionHeader): Uint8Array {
  return ownLine(stringify(header).slice(0, -1));
}
