/** A line without the middle of one long text. */
export interface SplicedLine {
  /** JSON, with the text ending where the first part did. */
  readonly line: Uint8Array;
  /** Name of the member whose text was cut; "" in a list. */
  readonly member: string;
  /** Bytes of the text that are there, and that are left out. */
  readonly kept: number;
  readonly left: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** Ends of texts in the last part that are tried. */
const TRIED = 4;

/**
 * Puts a line of `length` bytes together from its first and last bytes, where a text begins in the first and
 * ends in the last part; null where none does, or where what stands between them was more than that text.
 * So a result of megabytes costs what a row shows of it. Blocks that lie wholly in the middle are not seen:
 * whoever shows the row says that it is cut.
 */
export function spliceLine(head: Uint8Array, tail: Uint8Array, length: number): SplicedLine | null {
  const open = openText(head);
  if (open === null) return null;
  const decoder = new TextDecoder();
  const start = decoder.decode(head.subarray(0, open.end));
  let tried = 0;
  for (const at of quotesIn(tail)) {
    if (tried++ === TRIED) return null;
    const text = start + decoder.decode(tail.subarray(at));
    if (!isJson(text)) continue;
    const kept = open.end - open.start;
    const left = length - tail.length + at - open.end;
    return { line: Buffer.from(text), member: open.member, kept, left };
  }
  return null;
}

interface OpenText {
  readonly start: number;
  /** Behind the last whole character. */
  readonly end: number;
  readonly member: string;
}

/** The text that is not over at the end of the bytes, or null. */
function openText(bytes: Uint8Array): OpenText | null {
  let start = -1;
  let whole = 0;
  let last = { from: 0, to: 0 };
  let isMember = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (start < 0) {
      if (byte === QUOTE) start = at + 1;
      else if (byte === COLON) isMember = true;
      else if (byte > 0x20) isMember = false;
      whole = start;
      continue;
    }
    // Not within a character of several bytes.
    if ((byte & 0xc0) !== 0x80) whole = at;
    if (byte === BACKSLASH) at += bytes[at + 1] === 0x75 ? 5 : 1;
    else if (byte === QUOTE) {
      last = { from: start, to: at };
      start = -1;
      isMember = false;
    }
  }
  if (start < 0) return null;
  const name = isMember ? Buffer.from(bytes.subarray(last.from, last.to)).toString("utf8") : "";
  return { start, end: whole, member: name };
}

/** Places of quotes that no backslash takes its meaning; one right at the beginning may be missed. */
function* quotesIn(bytes: Uint8Array): Generator<number, void, void> {
  let at = 0;
  while (bytes[at] === BACKSLASH) at++;
  if (at > 0) at++;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) yield at;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
