import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ScenarioInput } from "./scenario.ts";

/** 1 KB, what every append of the limits and of the baselines writes. */
export const RAW_LINE: Buffer = Buffer.from(
  `${JSON.stringify({ type: "message", pad: "x".repeat(990) })}\n`,
);

const ROUNDS = 200;
/** Rounds that do not count. */
const UNCOUNTED = 20;

/**
 * What the machine does for an append without any engine, in ms: one write of 1 KB to an open file and,
 * where the input asks for full durability, fdatasync. Measured in the process whose appends are held
 * against it, since another moment of a busy machine gives another ratio.
 */
export function rawAppends(input: Pick<ScenarioInput, "scratch" | "durability">): number[] {
  const file = openSync(join(input.scratch, "raw.bin"), "a");
  const samples: number[] = [];
  try {
    for (let round = 0; round < ROUNDS + UNCOUNTED; round++) {
      const since = performance.now();
      writeSync(file, RAW_LINE);
      if (input.durability === "full") fdatasyncSync(file);
      samples.push(performance.now() - since);
    }
  } finally {
    closeSync(file);
  }
  return samples.slice(UNCOUNTED);
}
