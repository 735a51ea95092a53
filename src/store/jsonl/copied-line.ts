import { crc32 } from "node:zlib";
import { decodeLine } from "../../entry/line-decode.ts";

/** How an entry's line begins where its place can be told without reading it as JSON. */
const HEAD = /^\{"type":"[^"\\]*","id":"([^"\\]*)","parentId":(?:null|"([^"\\]*)"),"/;
/** Bytes of the head that are looked at: two ids of 256 characters fit. */
const HEAD_BYTES = 640;
/** What stands behind the entry's members where the line belongs to a commit or is a stub. */
const STAMP = /(?:,"key":"(?:[^"\\]|\\.)*")?(?:,"commit":\{[^{}]*\})?,"crc":"[0-9a-f]{8}"\}$/;
/** Bytes of the end that are looked at: a key of 256 characters, all of them escaped, fits. */
const TAIL_BYTES = 2048;
const SUSPECT = /,"(?:key":"|commit":\{|branchline":\{)/;

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
  const tail = line.latin1Slice(Math.max(0, line.length - TAIL_BYTES));
  const isSuspect = SUSPECT.test(tail);
  if (!isSuspect && standsAtHead(line, expected)) return line;
  const [part, ...others] = decodeLine(line).parts;
  if (part?.kind !== "record" || others.length > 0) return null;
  const { id, parentId } = part.value;
  if (id !== expected.id || parentId !== expected.parentId || "branchline" in part.value) return null;
  const isStamped = part.key !== undefined || part.commit !== undefined;
  return isStamped ? unstamped(line, tail) : line;
}

function standsAtHead(line: Buffer, { id, parentId }: ExpectedLine): boolean {
  const head = HEAD.exec(line.utf8Slice(0, Math.min(line.length, HEAD_BYTES)));
  return head !== null && head[1] === id && (head[2] ?? null) === parentId;
}

function unstamped(line: Buffer, tail: string): Uint8Array | null {
  const stamp = STAMP.exec(tail);
  if (stamp === null) return null;
  const body = Buffer.concat([line.subarray(0, line.length - stamp[0].length), COMMA]);
  const sum = crc32(body).toString(16).padStart(8, "0");
  return Buffer.concat([body, Buffer.from(`"crc":"${sum}"}`)]);
}

const COMMA: Uint8Array = Uint8Array.of(0x2c);
