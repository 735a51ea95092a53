import type { LinePlace } from "../../entry/problem.ts";
import type { SessionFile } from "./session-file.ts";

const NEWLINE_BYTE = 0x0a;
const NEWLINE: Uint8Array = Uint8Array.of(NEWLINE_BYTE);
const NOTHING: Uint8Array = new Uint8Array(0);
/** How every line of ours begins: a type and an id of 20 hex digits. */
const OUR_START = /^\{"type":"[a-z_]+","id":"[0-9a-f]{20}"/;
/** What may stand before a cut inside {@link OUR_START}. */
const OUR_START_CUT = /^\{"type":"[a-z_]*("(,("(i(d("(:("[0-9a-f]{0,20})?)?)?)?)?)?)?)?$/;
const FRAME = '{"type":"';
/** Enough of a line to see {@link OUR_START}. */
const START_BYTES = 120;
const CHUNK_BYTES = 64 * 1024;

/**
 * Makes the end of the file fit for an append, under the lock (design.md §2): what we wrote and never
 * finished is cut back, a foreign unfinished line is sealed with a newline and never cut, nor is what
 * else others wrote behind it. Gives the
 * bytes that the append has to start with. Nothing here was ever acknowledged: an acknowledged entry
 * has its newline (F001, P03).
 */
export async function repairTail(session: SessionFile): Promise<Uint8Array> {
  const { torn, incompleteGroup, unterminated } = session.tail;
  // With the next append behind it such a group counts, as behind any line of others.
  if (incompleteGroup?.parted === true) return await sealAt(session, session.end);
  const isCuttable = torn === null || (await isOurs(session, torn));
  const unfinished = isCuttable ? (incompleteGroup ?? torn) : torn;
  if (unfinished === null) return unterminated ? NEWLINE : NOTHING;
  // What another program adds at this very moment must not be cut with ours.
  const isUnchanged = (await session.file.check()) === session.end;
  if (!isCuttable || !isUnchanged) return NEWLINE;
  const { byteStart } = unfinished;
  await session.file.truncateTo(byteStart);
  session.cut();
  // A torn line may follow a record without its newline.
  return await sealAt(session, byteStart);
}

/** The newline that is missing at the end of what stays. */
async function sealAt(session: SessionFile, end: number): Promise<Uint8Array> {
  const [before] = await session.file.read(end - 1, 1);
  return before === NEWLINE_BYTE ? NOTHING : NEWLINE;
}

/**
 * Whether we wrote the torn bytes. Where they are too few to show it, the line before decides: after
 * an unchanged line of ours in a session of ours nobody else is likely to have begun one.
 */
async function isOurs(session: SessionFile, torn: LinePlace): Promise<boolean> {
  const text = await startOf(session, torn);
  if (OUR_START.test(text)) return true;
  const ours = session.header.branchline !== undefined && session.lastIsOurs;
  return ours && (FRAME.startsWith(text) || OUR_START_CUT.test(text));
}

/** The first bytes of a line as text; NULs, which a power cut leaves, are passed over. */
async function startOf(session: SessionFile, line: LinePlace): Promise<string> {
  let text = "";
  for (let at = line.byteStart; at < line.byteEnd && text.length < START_BYTES; ) {
    const bytes = await session.file.read(at, Math.min(line.byteEnd - at, CHUNK_BYTES));
    text += Buffer.from(bytes).toString("latin1").replaceAll("\u0000", "").slice(0, START_BYTES);
    at += CHUNK_BYTES;
  }
  return text;
}
