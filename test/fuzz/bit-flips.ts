import assert from "node:assert/strict";
import { decodeBytes } from "./decoded-bytes.ts";

/** What a run over flips or cuts saw. */
export interface DamageReport {
  readonly states: number;
}

/**
 * Every `stride`-th bit of a file that we wrote is flipped: each flip is reported, and every entry whose
 * line was not touched is read as before (P7, reliability.md §10). `from` chooses where counting starts.
 */
export function flipBits(file: Uint8Array, stride: number, from = 0): DamageReport {
  const before = decodeBytes(file);
  assert.deepEqual(before.problems, []);
  const lines = lineEnds(file);
  const whole = before.entries.map((entry) => JSON.stringify(entry));
  let states = 0;
  for (let bit = from; bit < file.byteLength * 8; bit += stride) {
    const byte = bit >> 3;
    const damaged = file.slice();
    damaged[byte] = (damaged[byte] as number) ^ (1 << (bit & 7));
    checkFlip({ damaged, byte, bit, whole, line: lines.findIndex((end) => byte <= end) });
    states++;
  }
  return { states };
}

interface Flip {
  readonly damaged: Uint8Array;
  readonly byte: number;
  readonly bit: number;
  readonly whole: readonly string[];
  /** Line of the flip from 0; the header is line 0, entry i stands on line i + 1. */
  readonly line: number;
}

function checkFlip({ damaged, byte, bit, whole, line }: Flip): void {
  const place = `bit ${bit} (byte ${byte}, line ${line + 1})`;
  const after = decodeBytes(damaged);
  assert.ok(after.problems.length > 0, `${place}: the damage is not reported`);
  const read = new Set(after.entries.map((entry) => JSON.stringify(entry)));
  for (const [index, entry] of whole.entries()) {
    if (index + 1 === line) continue;
    assert.ok(read.has(entry), `${place}: an entry of line ${index + 2} is hidden: ${entry}`);
  }
}

function lineEnds(file: Uint8Array): readonly number[] {
  const ends: number[] = [];
  for (let at = file.indexOf(10); at >= 0; at = file.indexOf(10, at + 1)) ends.push(at);
  return ends;
}
