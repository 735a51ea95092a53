/** Checks on simulated disks: fast, and the same on every machine. */
import fc from "fast-check";
import { runCrashes } from "../../test/crash/crash-run.ts";
import { runNthFailures } from "../../test/crash/nth-failure.ts";
import { flipBits } from "../../test/fuzz/bit-flips.ts";
import { fuzzCorpus } from "../../test/fuzz/corpus.ts";
import { cutEverywhere } from "../../test/fuzz/cuts.ts";
import { runMutations } from "../../test/fuzz/mutations.ts";
import { ownFile } from "../../test/fuzz/own-file.ts";
import { playModel } from "../../test/model/play-model.ts";
import type { VerifyCheck } from "./check.ts";

const CRASH_STATES = 100_000;
/** Every third failure of all: some 5,700. */
const FAILURE_STRIDE = 3;
const FLIPPED_BYTES = 10_000;
const CUT_BYTES = 10_000;
const MUTATED_INPUTS = 30_000;
const MODEL_SEEDS = 2_000;

/** Crash states, failing operations, flipped bits, cut and mutated files, random commands. */
export const SIMULATED: readonly VerifyCheck[] = [
  {
    name: "crash states",
    about: "P1 P2 P4 P5: each operation × what survives",
    run: async ({ seed, scale, progress }) => {
      const states = CRASH_STATES * scale;
      const onProgress = (done: number): void => progress(done, states);
      const report = await runCrashes({ firstSeed: seed, states, onProgress });
      return { ...report, lost: 0 };
    },
  },
  {
    name: "failing operations",
    about: "P5: each operation × 12 errnos × partial writes",
    run: async ({ scale, progress }) => {
      const stride = Math.max(1, Math.round(FAILURE_STRIDE / scale));
      return { ...(await runNthFailures(stride, (runs) => progress(runs, 0))), lost: 0 };
    },
  },
  {
    name: "flipped bits",
    about: "P7: every bit of lines that we wrote",
    run: async ({ seed }) => {
      const single = flipBits(await ownFile(seed, FLIPPED_BYTES, "single"), 1);
      const group = flipBits(await ownFile(seed + 1, FLIPPED_BYTES, "group"), 1);
      return { flips: single.states + group.states, unreported: 0, hidden: 0 };
    },
  },
  {
    name: "cut files",
    about: "P4 P7: cut at every byte",
    run: async ({ seed }) => {
      const single = await cutEverywhere(await ownFile(seed, CUT_BYTES, "single"), 1);
      const group = await cutEverywhere(await ownFile(seed + 1, CUT_BYTES, "group"), 1);
      return { cuts: single.states + group.states, lost: 0 };
    },
  },
  {
    name: "mutated files",
    about: "P7 P9: 12 mutators on the golden corpus",
    run: async ({ seed, scale, progress }) => {
      const corpus = await fuzzCorpus();
      const total = MUTATED_INPUTS * scale;
      const sums = { inputs: 0, refused: 0, damaged: 0, slowestMs: 0 };
      while (sums.inputs < total) {
        const part = { firstSeed: seed + sums.inputs, inputs: 1_000, corpus };
        const report = await runMutations(part);
        sums.inputs += report.inputs;
        sums.refused += report.refused;
        sums.damaged += report.damaged;
        sums.slowestMs = Math.max(sums.slowestMs, Math.round(report.slowestMs));
        progress(sums.inputs, total);
      }
      return { ...sums, hangs: 0, untyped: 0 };
    },
  },
  {
    name: "model",
    about: "I1–I11: random commands, kills, power cuts, other programs",
    run: async ({ seed, scale, progress }) => {
      const runs = MODEL_SEEDS * scale;
      let played = 0;
      await fc.assert(
        playModel((commands) => {
          played += commands;
          progress(played, 0);
        }),
        { seed, numRuns: runs },
      );
      return { seeds: runs, commands: played, differences: 0 };
    },
  },
];
