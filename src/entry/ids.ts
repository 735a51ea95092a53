import { BranchlineError } from "../errors.ts";
import { crc32 } from "./crc32.ts";

/** Source of random bytes; `random.bytes` of the io layer fits. */
export interface RandomBytes {
  bytes(count: number): Uint8Array;
}

/** Longest entry id that a reader accepts, in characters. */
export const MAX_ENTRY_ID_LENGTH = 256;

const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** The two digits of every byte. */
const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte] as string;
  return text;
}

/** A new entry id: 20 hex digits, 80 random bits (design.md §2). */
export function newEntryId(random: RandomBytes): string {
  return hex(random.bytes(10));
}

/** A new session id: a UUIDv7, so that ids sort by the time (ms) they were made. */
export function newSessionId(now: number, random: RandomBytes): string {
  const time = Math.max(0, Math.floor(now)).toString(16).padStart(12, "0").slice(-12);
  const bytes = random.bytes(10);
  bytes[0] = ((bytes[0] as number) & 0x0f) | 0x70;
  bytes[2] = ((bytes[2] as number) & 0x3f) | 0x80;
  const rest = hex(bytes);
  return [time.slice(0, 8), time.slice(8), rest.slice(0, 4), rest.slice(4, 8), rest.slice(8)].join(
    "-",
  );
}

/**
 * The grammar of session ids on every entry point (P10, F114, reliability.md S11): 1 to 128 letters,
 * digits, `.`, `_`, `-`, alphanumeric at both ends, no `..`, no Windows device name.
 */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id) && !id.includes("..") && !DEVICE_NAME.test(id);
}

/** Throws SESSION_ID_INVALID where {@link isSessionId} says no. */
export function checkSessionId(id: string): void {
  if (isSessionId(id)) return;
  throw new BranchlineError(
    "SESSION_ID_INVALID",
    { session: id.slice(0, 200) },
    {
      message: "A session id has 1 to 128 letters, digits, '.', '_' or '-', without '..'.",
      hint: "Use the id as `branchline ls` shows it.",
    },
  );
}

/**
 * The id under which a session is known. A header id that breaks the grammar never becomes part of a
 * path; it is replaced by one derived from it, the same in every process.
 */
export function safeSessionId(id: string): string {
  return isSessionId(id) ? id : `invalid-${crc32(new TextEncoder().encode(id))}`;
}
