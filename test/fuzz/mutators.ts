import type { Random } from "../../src/io/random.ts";

/** Changes the bytes of a session file; gives new ones. */
export type Mutator = (bytes: Uint8Array, tools: MutationTools) => Uint8Array;

/** What mutators work with. */
export interface MutationTools {
  readonly random: Random;
  /** Another session, to splice from. */
  readonly other: Uint8Array;
}

const TOKENS = [
  ...["null", "true", "[]", "{}", '""', "-0", "1e400", "9007199254740993", '"\\ud800"', "\\u0000"],
  ...['"__proto__":{"x":1},', '"id":"__proto__",', '"parentId":"nobody",', '"type":"message",'],
  ...['"type":"session","version":3,', '"type":"leaf","targetId":"x",', "\uFEFF", "\u2028"],
];

function at(limit: number, random: Random): number {
  return Math.floor(random.float() * Math.max(1, limit));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

function inserted(bytes: Uint8Array, place: number, what: Uint8Array): Uint8Array {
  return joined(bytes.subarray(0, place), what, bytes.subarray(place));
}

/** A random line with its newline, as a byte range. */
function lineRange(bytes: Uint8Array, random: Random): readonly [number, number] {
  const place = at(bytes.byteLength, random);
  const start = bytes.lastIndexOf(10, Math.max(0, place - 1)) + 1;
  const end = bytes.indexOf(10, place);
  return [Math.min(start, place), end < 0 ? bytes.byteLength : end + 1];
}

function flipBit(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const place = at(bytes.byteLength, random);
  changed[place] = (changed[place] ?? 0) ^ (1 << at(8, random));
  return changed;
}

function insertBytes(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  return inserted(bytes, at(bytes.byteLength, random), random.bytes(1 + at(8, random)));
}

function deleteBytes(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const start = at(bytes.byteLength, random);
  return joined(bytes.subarray(0, start), bytes.subarray(start + 1 + at(40, random)));
}

function nulRun(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const start = at(bytes.byteLength, random);
  return changed.fill(0, start, Math.min(changed.byteLength, start + 1 + at(600, random)));
}

function swapLines(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const [a, b] = [lineRange(bytes, random), lineRange(bytes, random)].sort((x, y) => x[0] - y[0]);
  if (a === undefined || b === undefined || a[1] > b[0]) return bytes;
  const part = (range: readonly [number, number]): Uint8Array => bytes.subarray(range[0], range[1]);
  const middle = bytes.subarray(a[1], b[0]);
  return joined(bytes.subarray(0, a[0]), part(b), middle, part(a), bytes.subarray(b[1]));
}

function repeatLine(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const [start, end] = lineRange(bytes, random);
  return inserted(bytes, at(bytes.byteLength, random), bytes.subarray(start, end));
}

function deleteLine(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const [start, end] = lineRange(bytes, random);
  return joined(bytes.subarray(0, start), bytes.subarray(end));
}

function splice(bytes: Uint8Array, { random, other }: MutationTools): Uint8Array {
  return joined(
    bytes.subarray(0, at(bytes.byteLength, random)),
    other.subarray(at(other.byteLength, random)),
  );
}

function truncate(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  return bytes.subarray(0, at(bytes.byteLength, random));
}

function insertToken(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const token = TOKENS[at(TOKENS.length, random)] as string;
  const commas = bytes.indexOf(0x2c, at(bytes.byteLength, random));
  return inserted(bytes, commas < 0 ? 0 : commas + 1, Buffer.from(token));
}

function deepNest(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const depth = 10 ** (1 + at(4, random));
  const value = "[".repeat(depth) + "]".repeat(depth);
  const line = `{"type":"custom","id":"deep","parentId":null,"customType":"x","data":${value}}\n`;
  return inserted(bytes, lineRange(bytes, random)[0], Buffer.from(line));
}

/** Exchanges two ids everywhere behind a place, so that cycles and repeated ids come up. */
function confuseIds(bytes: Uint8Array, { random }: MutationTools): Uint8Array {
  const text = Buffer.from(bytes).toString("utf8");
  const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map((match) => match[1] as string);
  const [from, to] = [ids[at(ids.length, random)], ids[at(ids.length, random)]];
  if (from === undefined || to === undefined) return bytes;
  const place = at(text.length, random);
  return Buffer.from(text.slice(0, place) + text.slice(place).replaceAll(from, to));
}

/** All mutators by name (reliability.md §8). */
export const MUTATORS: readonly Mutator[] = [
  ...[flipBit, insertBytes, deleteBytes, nulRun, swapLines, repeatLine, deleteLine],
  ...[splice, truncate, insertToken, deepNest, confuseIds],
];

/** One to four mutations in a row. */
export function mutate(bytes: Uint8Array, tools: MutationTools): Uint8Array {
  let changed = bytes;
  for (let left = 1 + at(4, tools.random); left > 0; left--) {
    const mutator = MUTATORS[at(MUTATORS.length, tools.random)] as Mutator;
    changed = mutator(changed, tools);
  }
  return changed;
}
