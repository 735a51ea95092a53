import assert from "node:assert/strict";
import { closeSync, fdatasyncSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { ScenarioInput } from "./scenario.ts";

/** 1 KB, what every append of the limits and of the baselines writes. */
export const RAW_LINE: Buffer = Buffer.from(
  `${JSON.stringify({ type: "message", pad: "x".repeat(990) })}\n`,
);

const ROUNDS = 200;
/** Rounds that do not count. */
const UNCOUNTED = 20;

/** What a baseline reads of a measurement's input. */
type BaselineInput = Pick<ScenarioInput, "scratch" | "durability">;

/**
 * What the machine does for an append without any engine, in ms: one write of 1 KB to an open file and,
 * where the input asks for full durability, fdatasync. Measured in the process whose appends are held
 * against it, since another moment of a busy machine gives another ratio.
 */
export function rawAppends(input: BaselineInput): number[] {
  return baseline(input, UNCOUNTED, (_path, write) => write(RAW_LINE));
}

/** Rounds after which V8 has compiled what {@link leastAppends} does. */
const COMPILED = 500;

/**
 * The least that any engine has to do for these drafts to keep what docs/promises.md says, in ms: each goes
 * through JSON, so that the caller's object may change (row 39), gets bytes and a check sum; one write, one
 * sync where it is asked for, a look at the path before and after. No tree, no lock, no queue.
 */
export function leastAppends(input: BaselineInput, drafts: readonly object[]): number[] {
  const copies: unknown[] = [];
  return baseline(input, COMPILED, (path, write) => {
    const before = statSync(path, { bigint: true });
    const lines = drafts.map((draft) => {
      const text = JSON.stringify(draft);
      copies[0] = JSON.parse(text);
      const body = Buffer.from(`${text.slice(0, -1)},`);
      const sum = crc32(body).toString(16).padStart(8, "0");
      return Buffer.concat([body, Buffer.from(`"crc":"${sum}"}\n`)]);
    });
    write(lines.length === 1 ? (lines[0] as Buffer) : Buffer.concat(lines));
    assert.equal(statSync(path, { bigint: true }).ino, before.ino);
  });
}

type Write = (bytes: Uint8Array) => void;

function baseline(
  { scratch, durability }: BaselineInput,
  uncounted: number,
  work: (path: string, write: Write) => void,
): number[] {
  const path = join(scratch, "raw.bin");
  const file = openSync(path, "a");
  const samples: number[] = [];
  const write: Write = (bytes) => {
    writeSync(file, bytes);
    if (durability === "full") fdatasyncSync(file);
  };
  try {
    for (let round = 0; round < ROUNDS + uncounted; round++) {
      const since = performance.now();
      work(path, write);
      samples.push(performance.now() - since);
    }
  } finally {
    closeSync(file);
  }
  return samples.slice(uncounted);
}
