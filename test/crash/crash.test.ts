import assert from "node:assert/strict";
import { test } from "node:test";
import { runCrashes } from "./crash-run.ts";

/** A tenth of what `npm run verify` runs; BRANCHLINE_CRASH_SEED chooses other workloads. */
const STATES = 10_000;

test("after a crash at any operation everything acknowledged is there (P1, P2, P4, P5)", async (t) => {
  const firstSeed = Number(process.env.BRANCHLINE_CRASH_SEED ?? 1);
  const report = await runCrashes({ firstSeed, states: STATES });
  t.diagnostic(`first seed ${firstSeed}: ${JSON.stringify(report)}`);
  assert.ok(report.states >= STATES && report.distinct > STATES / 10);
});
