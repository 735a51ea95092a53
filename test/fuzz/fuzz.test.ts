import assert from "node:assert/strict";
import { test } from "node:test";
import { flipBits } from "./bit-flips.ts";
import { fuzzCorpus } from "./corpus.ts";
import { cutEverywhere } from "./cuts.ts";
import { runMutations } from "./mutations.ts";
import { ownFile } from "./own-file.ts";

/** Chooses other inputs; `npm run verify` runs ten times as many. */
const SEED = Number(process.env.BRANCHLINE_FUZZ_SEED ?? 1);

for (const ending of ["single", "group"] as const) {
  test(`a flipped bit is reported and hides nothing readable (${ending} at the end, P7)`, async (t) => {
    const { states } = flipBits(await ownFile(SEED, 4_000, ending), 10, SEED % 10);
    t.diagnostic(`${states} flips`);
    assert.ok(states > 3_000);
  });

  test(`a file cut anywhere opens with what stood whole (${ending} at the end, F001, P4)`, async (t) => {
    const { states } = await cutEverywhere(await ownFile(SEED, 2_000, ending), 3);
    t.diagnostic(`${states} cuts`);
    assert.ok(states > 600);
  });
}

test("mutated files: typed errors only, no hang, no write on reading, whole pairs (P7, P9)", async (t) => {
  const corpus = await fuzzCorpus();
  const report = await runMutations({ firstSeed: SEED, inputs: 3_000, corpus });
  t.diagnostic(`first seed ${SEED}: ${JSON.stringify(report)}`);
  assert.equal(report.inputs, 3_000);
  assert.ok(report.damaged > 1_000 && report.refused < 1_000);
});
