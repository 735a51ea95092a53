/** Runs of an agent that are killed at every awaited step, in the test that `npm test` runs a part of. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { VerifyCheck } from "./check.ts";

const TEST = join(import.meta.dirname, "..", "..", "test", "e2e", "harness-kill.test.ts");

/** Every step, and kills in the middle of resuming. */
export const HARNESS_CHECKS: readonly VerifyCheck[] = [
  {
    name: "harness kills",
    about: "P3: a run with tools is killed at every awaited step and resumed",
    run: async ({ seed, scale }) => {
      const env = {
        ...process.env,
        KILL_STRIDE: "1",
        KILL_TWICE: `${80 * scale}`,
        SEED: `${seed}`,
      };
      const args = ["--test", "--test-reporter=tap", TEST];
      const done = spawnSync(process.execPath, args, { env, encoding: "utf8" });
      assert.equal(done.status, 0, done.stdout);
      const told = done.stdout.match(/^# (?!Subtest).*kill.*$/gim) ?? [];
      return { steps: told.map((line) => line.slice(2).trim()).join("; "), lost: 0 };
    },
  },
];
