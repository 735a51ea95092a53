import assert from "node:assert/strict";
import { test } from "node:test";
import { runNthFailures } from "./nth-failure.ts";

/** Leaves out all but every so many-th failure; `npm run verify` leaves out none. */
const STRIDE = 37;

test("any operation of the disk may fail: nothing or all is changed, and a retry works (P5)", async (t) => {
  const report = await runNthFailures(STRIDE);
  t.diagnostic(JSON.stringify(report));
  assert.ok(report.runs > 300 && report.refused > 100);
});
