import { test } from "node:test";
import fc from "fast-check";
import { playModel } from "./play-model.ts";

/** `npm run verify` plays 2,000. BRANCHLINE_MODEL_SEED chooses other commands. */
const RUNS = 60;
const SEED = Number(process.env.BRANCHLINE_MODEL_SEED ?? 1);

test("random commands, crashes and other programs: the engine is what the model says (I1–I11)", async () => {
  await fc.assert(playModel(), { seed: SEED, numRuns: RUNS });
});
