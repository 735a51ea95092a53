/**
 * `npm run soak -- --hours N`: the checks of `npm run verify` again and again with other seeds, until the
 * time is over or one fails. Options besides: `--only TEXT`, `--seed N` (the first one), `--scale N`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** Far enough apart that no two rounds share a seed of their random inputs. */
const SEEDS_OF_A_ROUND = 1_000_000;

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    scale: { type: "string", default: "1" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 1000)) },
  },
});

const end = Date.now() + Number(values.hours) * 3_600_000;
let rounds = 0;
let failed = 0;
while (Date.now() < end && failed === 0) {
  const seed = Number(values.seed) + rounds * SEEDS_OF_A_ROUND;
  const script = join(import.meta.dirname, "verify.ts");
  const args = [script, "--seed", `${seed}`, "--scale", values.scale, "--only", values.only];
  const done = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (done.status !== 0) failed++;
  rounds++;
}
console.log(`${rounds - failed} rounds passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
