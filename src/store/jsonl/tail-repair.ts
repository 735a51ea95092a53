import type { LinePlace } from "../../entry/problem.ts";
import type { SessionFile } from "./session-file.ts";

const NEWLINE: Uint8Array = Uint8Array.of(0x0a);
const NOTHING: Uint8Array = new Uint8Array(0);
/** How every line of ours begins: a type and an id of 20 hex digits. */
const OUR_START = /^\{"type":"[a-z_]+","id":"[0-9a-f]{20}"/;
/** Enough of a line to see {@link OUR_START}. */
const START_BYTES = 120;

/**
 * Makes the end of the file fit for an append, under the lock (design.md §2): what we wrote and never
 * finished is cut back, a foreign unfinished line is sealed with a newline and never cut. Gives the
 * bytes that the append has to start with. Nothing here was ever acknowledged: an acknowledged entry
 * has its newline (F001, P03).
 */
export async function repairTail(session: SessionFile): Promise<Uint8Array> {
  const { tail, file } = session;
  if (tail.unterminated) return NEWLINE;
  if (tail.incompleteGroup !== null) {
    await file.truncateTo(tail.incompleteGroup.byteStart);
    return NOTHING;
  }
  if (tail.torn === null) return NOTHING;
  if (!(await isOurs(session, tail.torn))) return NEWLINE;
  await file.truncateTo(tail.torn.byteStart);
  return NOTHING;
}

/**
 * Whether we wrote the torn bytes. Where they are too few to show it, the line before decides: after
 * an unchanged line of ours in a session of ours nobody else is likely to have begun one.
 */
async function isOurs(session: SessionFile, torn: LinePlace): Promise<boolean> {
  const length = Math.min(torn.byteEnd - torn.byteStart, START_BYTES);
  const bytes = await session.file.read(torn.byteStart, length);
  const text = new TextDecoder().decode(bytes).replaceAll("\u0000", "");
  if (OUR_START.test(text)) return true;
  const ours = session.header.branchline !== undefined && session.lastIsOurs;
  return ours && couldBecomeOurs(text);
}

/** True where the text is the beginning of a line of ours, cut before its id was complete. */
function couldBecomeOurs(text: string): boolean {
  const frame = '{"type":"';
  if (text.length <= frame.length) return frame.startsWith(text);
  return /^\{"type":"[a-z_]*(?:"(?:,(?:"(?:i(?:d(?:"(?::(?:"[0-9a-f]{0,20})?)?)?)?)?)?)?)?$/.test(
    text,
  );
}
