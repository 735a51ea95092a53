import type { MessageEntry } from "./entry.ts";
import { isObject } from "./entry-check.ts";
import type { CommitMark } from "./line-encode.ts";
import type { Usage } from "./message.ts";

/** The bytes of a range as text, one character a byte; `Buffer.latin1Slice` is the fast one. */
export type SliceLatin1 = (bytes: Uint8Array, from: number, to: number) => string;

/** What a line tells about a message without its payload. */
export interface LineHead {
  /** With as much of the message as folds and tables read: role, and of an answer model and usage. */
  readonly entry: MessageEntry;
  /** Name of the tool of a tool result, else null. */
  readonly toolName: string | null;
  /**
   * The check sum that the line states, or null. It has to fit the bytes up to `length - CRC_BYTES`;
   * only then `key` and `commit` are those of the line.
   */
  readonly crc: string | null;
  readonly key: string | null;
  readonly commit: CommitMark | null;
}

/** Bytes of the line that its check sum does not cover: `"crc":"xxxxxxxx"}`, without the comma. */
export const CRC_BYTES = 17;

/** How much of both ends is looked at, in bytes. Ids, tool call ids and a message's own members fit. */
const HEAD_BYTES = 512;
const TAIL_BYTES = 1024;
/** Most heads end before; what is cut out of a text keeps all of it in memory. */
const SHORT_HEAD_BYTES = 256;
/** Characters of what stands at an end: a search for it in more of the text begins at every place of that. */
const CRC_LENGTH = 18;
const END_LENGTH = 80;

/** Text between quotes that stands for itself: no escape, nothing but ASCII. */
const PLAIN = "[ !#-[\\]-~]";
const HEAD: RegExp = new RegExp(
  `^\\{"type":"message","id":"(${PLAIN}{1,256})","parentId":(?:null|"(${PLAIN}+)"),` +
    `"timestamp":"(${PLAIN}*)","message":\\{"role":"(user|assistant|toolResult)",` +
    `(?:"toolCallId":"${PLAIN}*","toolName":"(${PLAIN}*)",)?"content":(?:"|\\[\\]|\\[\\{"type":"(?:text|thinking|toolCall|image)")`,
);
const CRC = /^,"crc":"([0-9a-f]{8})"\}$/;
const COMMIT: RegExp = new RegExp(
  `,"commit":\\{"id":"(${PLAIN}*)","i":([1-9]\\d{0,8}),"n":([1-9]\\d{0,8})\\}$`,
);
const KEY: RegExp = new RegExp(`,"key":"(${PLAIN}*)"$`);
/** End of a message that has nothing behind its content but what says nothing about usage. */
const RESULT_END = /(?:\}|"content":\[)\],"isError":(?:true|false)(?:,"timestamp":\d{1,16})?\}$/;
const SIMPLE_END = /[\]}"](?:,"isError":(?:true|false))?(?:,"timestamp":\d{1,16})?\}$/;
const ANSWER_START = '],"api":"';
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is one byte in UTF-8.
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Reads both ends of a line (without its newline) and leaves the payload between them alone. null =
 * the line is of another kind than the messages that Pi and we write, so it needs the full decoder.
 *
 * Not null, the entry is what `decodeLine` would give, as far as folds and tables read it, PROVIDED the
 * line is one JSON object in valid UTF-8: this looks at the ends only. Whoever scans files checks UTF-8
 * and NULs over whole chunks (both are fast), the check sum where there is one, and decodes lines in
 * full that nothing hangs under: a torn line with another one glued to it has the wrong id at its head,
 * so the next line does not hang under it.
 */
export function readHead(bytes: Uint8Array, slice: SliceLatin1 = sliceLatin1): LineHead | null {
  const head =
    HEAD.exec(slice(bytes, 0, Math.min(bytes.length, SHORT_HEAD_BYTES))) ??
    HEAD.exec(slice(bytes, 0, Math.min(bytes.length, HEAD_BYTES)));
  if (head === null) return null;
  const from = Math.max(0, bytes.length - TAIL_BYTES);
  const stamp = takeStamp(slice(bytes, from, bytes.length));
  if (stamp === null) return null;
  const { tail, ...stamped } = stamp;
  const [, id, parentId, timestamp, role, toolName] = head as unknown as HeadParts;
  const message = role === "assistant" ? answer(tail) : bare(role, tail);
  if (message === null) return null;
  if (role !== "assistant" && hidesUsage(role, tail)) {
    const text = slice(bytes, 0, bytes.length);
    if (text.includes('"usage":') || isDeep(text)) return null;
  }
  const entry: MessageEntry = {
    type: "message",
    id,
    parentId: parentId ?? null,
    timestamp,
    message,
  };
  return { entry, toolName: role === "toolResult" ? (toolName ?? null) : null, ...stamped };
}

/** Where a line hangs, as its first bytes say. */
export interface LineLink {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
}

/** Type, ids and the names between them fit. */
const LINK_BYTES = 256;
const LINK: RegExp = new RegExp(
  `^\\{"type":"(?!session")(${PLAIN}+)","id":"(${PLAIN}+)","parentId":(?:null|"(${PLAIN}+)"),"timestamp":"`,
);

/**
 * Type, id and parent of a line of any entry type from its first bytes, for whoever looks for an id
 * among many lines. null = the line begins in another way than Pi's and our lines do, or its ids are
 * long: it needs the full decoder. PROVIDED the line is sound, that decoder gives the same three; a
 * header gives null.
 */
export function readLink(bytes: Uint8Array, slice: SliceLatin1 = sliceLatin1): LineLink | null {
  const link = LINK.exec(slice(bytes, 0, Math.min(bytes.length, LINK_BYTES)));
  if (link === null) return null;
  const [, type, id, parentId] = link as unknown as LinkParts;
  return { type, id, parentId: parentId ?? null };
}

type LinkParts = readonly [string, string, string, string | undefined];
type HeadParts = readonly [string, string, string | undefined, string, string, string | undefined];

/** The tail without what belongs to the line, ending with the `}` of the message; null where it does not. */
function takeStamp(
  text: string,
): (Pick<LineHead, "crc" | "key" | "commit"> & { readonly tail: string }) | null {
  const crc = CRC.exec(text.slice(-CRC_LENGTH));
  if (crc === null) {
    if (!text.endsWith("}}")) return null;
    return { crc: null, key: null, commit: null, tail: text.slice(0, -1) };
  }
  let tail = text.slice(0, -CRC_LENGTH);
  let commit: CommitMark | null = null;
  const mark = COMMIT.exec(tail);
  if (mark !== null) {
    const [, id, i, n] = mark as unknown as readonly [string, string, string, string];
    commit = { id, i: Number(i), n: Number(n) };
    tail = tail.slice(0, mark.index);
    if (commit.i > commit.n) return null;
  }
  const key = KEY.exec(tail);
  if (key !== null) tail = tail.slice(0, key.index);
  if (!tail.endsWith("}")) return null;
  return { crc: crc[1] as string, key: key === null ? null : (key[1] as string), commit, tail };
}

/** Model and usage of an answer stand behind its content. */
function answer(tail: string): MessageEntry["message"] | null {
  const start = tail.lastIndexOf(ANSWER_START);
  if (start < 1 || !"[}".includes(tail[start - 1] as string) || isDeep(tail)) return null;
  const rest = tail.slice(start + 2);
  if (!ASCII.test(rest)) return null;
  const members = parseMembers(rest);
  if (members === null) return null;
  const { provider, model, usage } = members;
  if (typeof provider !== "string" || typeof model !== "string" || !isObject(usage)) return null;
  if (Object.hasOwn(members, "role")) return null;
  return { role: "assistant", content: [], provider, model, usage: usage as unknown as Usage };
}

function parseMembers(rest: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(`{${rest}`);
  } catch {
    // What looked like the end of the content was not: the full decoder finds out.
    return null;
  }
}

/** Many brackets closed at once: the decoder refuses what nests too deep (reliability.md §3 row 31). */
function isDeep(text: string): boolean {
  return text.includes("]]]]]]]]]]]]") || text.includes("}}}}}}}}}}}}");
}

function bare(role: string, tail: string): MessageEntry["message"] | null {
  return SIMPLE_END.test(tail.slice(-END_LENGTH)) && !tail.includes('"usage":') ? { role } : null;
}

/** False where nothing but the content stands before the end, so that there is no room for a usage. */
function hidesUsage(role: string, tail: string): boolean {
  return role === "user" || !RESULT_END.test(tail.slice(-END_LENGTH));
}

const latin1 = new TextDecoder("utf-8", { ignoreBOM: true });

/** For machines without Buffer: what is not ASCII becomes U+FFFD, which matches nothing that is read. */
function sliceLatin1(bytes: Uint8Array, from: number, to: number): string {
  return latin1.decode(bytes.subarray(from, to));
}
