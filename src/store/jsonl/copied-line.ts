import { crc32 } from "node:zlib";
import { decodeLine } from "../../entry/line-decode.ts";
import { byteTools } from "../../io/byte-tools.ts";

/** How an entry's line begins where its place can be told without reading it as JSON. */
const HEAD = /^\{"type":"[^"\\]*","id":"([^"\\]*)","parentId":(?:null|"([^"\\]*)"),"/;
/** Bytes of the head that are looked at. What needs more is read as JSON. */
const HEAD_BYTES = 256;
/** What stands behind the entry's members where the line belongs to a commit. */
const STAMP = /(,"key":"(?:[^"\\]|\\.)*")?(,"commit":\{[^{}]*\})?,"crc":"[0-9a-f]{8}"\}$/;
/** Bytes of the end that hold a stamp: a key of 256 characters, all of them escaped, fits. */
const STAMP_BYTES = 2048;
/** Bytes of the end in which a stamp or the mark of a stub shows itself. */
const TAIL_BYTES = 512;
/** A string as the last member before the check sum: it may be a key. */
const KEY_END = /","crc":"[0-9a-f]{8}"\}\s*$/;

/** Which entry has to stand on a line, and under which parent. */
export interface ExpectedLine {
  readonly id: string;
  readonly parentId: string | null;
}

/**
 * The line (without its newline) as it may stand in another file; most stay the very bytes. `key` and
 * `commit` say something about the file that they stand in, so they go, and a new check sum fits the
 * rest, of which no byte changes. null where the line cannot be taken over: another entry stands on it,
 * its payload lies in a blob, or it has to be read to know.
 */
export function copiedLine(line: Buffer, expected: ExpectedLine): Uint8Array | null {
  if (!mayBeStamped(line) && standsAtHead(line, expected)) return line;
  const [part, ...others] = decodeLine(line).parts;
  if (part?.kind !== "record" || others.length > 0) return null;
  const { id, parentId } = part.value;
  if (id !== expected.id || parentId !== expected.parentId || "branchline" in part.value)
    return null;
  const { key, commit } = part;
  return key === undefined && commit === undefined ? line : unstamped(line, { key, commit });
}

function endOf(line: Buffer, bytes: number): string {
  return byteTools.slice(line, Math.max(0, line.length - bytes), line.length);
}

/** True where a line may carry a key, a group mark or a stub of a blob: then it has to be read to know. */
export function mayBeStamped(line: Buffer): boolean {
  const tail = endOf(line, TAIL_BYTES);
  if (tail.includes('"branchline":{')) return true;
  // Keys and marks count only before a check sum, which is a text.
  if (!tail.trimEnd().endsWith('"}')) return false;
  return tail.includes('"commit":{') || KEY_END.test(tail.slice(-64));
}

function standsAtHead(line: Buffer, { id, parentId }: ExpectedLine): boolean {
  // Ids that are no ASCII do not fit here and are read as JSON.
  const head = HEAD.exec(byteTools.slice(line, 0, Math.min(line.length, HEAD_BYTES)));
  return head !== null && head[1] === id && (head[2] ?? null) === parentId;
}

function unstamped(
  line: Buffer,
  said: { readonly key: unknown; readonly commit: unknown },
): Uint8Array | null {
  const [stamp = "", key, commit] = STAMP.exec(endOf(line, STAMP_BYTES)) ?? [];
  const isWhole =
    (key === undefined) === (said.key === undefined) &&
    (commit === undefined) === (said.commit === undefined);
  if (!isWhole) return null;
  const body = Buffer.concat([line.subarray(0, line.length - stamp.length), COMMA]);
  const sum = crc32(body).toString(16).padStart(8, "0");
  return Buffer.concat([body, Buffer.from(`"crc":"${sum}"}`)]);
}

const COMMA: Uint8Array = Uint8Array.of(0x2c);
