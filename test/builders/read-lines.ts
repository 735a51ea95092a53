import type { Entry } from "../../src/entry/entry.ts";
import type {
  Decoded,
  DecodedEntry,
  DecodedLoss,
  DecodedTail,
  LineDecoder,
  PhysicalLine,
} from "../../src/entry/session-decoder.ts";

/** The bytes of a text, or the bytes as they are. */
export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** Cuts a file into lines, as a scanner does. */
export function physicalLines(content: string | Uint8Array): readonly PhysicalLine[] {
  const bytes = bytesOf(content);
  const lines: PhysicalLine[] = [];
  for (let byteStart = 0; byteStart < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, byteStart);
    const byteEnd = newline === -1 ? bytes.length : newline;
    const terminated = newline !== -1;
    const line = { line: lines.length + 1, byteStart, byteEnd, terminated };
    lines.push({ ...line, bytes: bytes.subarray(byteStart, byteEnd) });
    byteStart = byteEnd + 1;
  }
  return lines;
}

/** What came out of a whole file. */
export interface ReadFile {
  readonly all: readonly Decoded[];
  readonly decoded: readonly DecodedEntry[];
  readonly entries: readonly Entry[];
  readonly ids: readonly string[];
  readonly lost: readonly DecodedLoss[];
  readonly tail: DecodedTail;
  /** Codes of the problems, in order. */
  readonly codes: readonly string[];
}

/** Feeds a whole file to a decoder. */
export function readFile(decoder: LineDecoder, content: string | Uint8Array): ReadFile {
  const all: Decoded[] = [];
  let rest: PhysicalLine | null = null;
  for (const line of physicalLines(content)) {
    if (line.terminated) all.push(...decoder.push(line));
    else rest = line;
  }
  const { entries: last, tail } = decoder.finish(rest);
  all.push(...last);
  const decoded = all.filter((one) => one.kind === "entry");
  const entries = decoded.map((one) => one.entry);
  return {
    all,
    decoded,
    entries,
    ids: entries.map((one) => one.id),
    lost: all.filter((one) => one.kind === "lost"),
    tail,
    codes: decoder.problems.map((problem) => problem.code),
  };
}

/** One JSON text a line, each with its newline. */
export function jsonLines(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
