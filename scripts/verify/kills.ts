/** Processes that die, stop and compete on this machine's own disk. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { checkAcknowledged } from "../../test/faults/acknowledged.ts";
import { WatchedWriter } from "../../test/faults/watched-writer.ts";
import type { Figures, VerifyCheck } from "./check.ts";

const KILLS = 120;
const KILLS_OF_ONE = 15;
/** Acknowledged entries before a kill, at most. */
const MOST = 120;

/** A folder for one check, removed after it. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "branchline-verify-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills writers of one session at random moments; every third entry is 100 kB, so that writes are cut. */
async function killWriters(
  root: string,
  options: { readonly kills: number; readonly seed: number; progress(done: number): void },
): Promise<Figures> {
  const random = seededRandom(options.seed);
  let acks: string[] = [];
  let acknowledged = 0;
  for (let kill = 0; kill < options.kills; kill++) {
    // A new session now and then, so that reading all of it stays cheap.
    if (kill % KILLS_OF_ONE === 0) acks = [];
    const session = `killed-${Math.floor(kill / KILLS_OF_ONE)}`;
    const bytes = kill % 3 === 0 ? 100_000 : 300;
    const writer = new WatchedWriter({ root, session, bytes });
    await writer.reached(1 + Math.floor(random.float() * (bytes > 1000 ? 8 : MOST)));
    await writer.kill();
    acks.push(...writer.acks);
    acknowledged += writer.acks.length;
    await checkAcknowledged({ root, session, acks });
    options.progress(kill + 1);
  }
  return { kills: options.kills, acknowledged, lost: 0 };
}

/** Real processes. */
export const KILL_CHECKS: readonly VerifyCheck[] = [
  {
    name: "kill -9",
    about: "P1 P4: writers killed at random moments",
    run: ({ seed, scale, progress }) =>
      withFolder((root) => {
        const kills = KILLS * scale;
        return killWriters(root, { kills, seed, progress: (done) => progress(done, kills) });
      }),
  },
];
