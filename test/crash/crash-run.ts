import { createHash } from "node:crypto";
import { DiskImage, type Image, type Survival, survivals } from "./disk-image.ts";
import { checkRecovery, claimsAt } from "./recovery.ts";
import { runWorkload, type Workload } from "./workload.ts";

/** What a run over many crashes saw. */
export interface CrashReport {
  readonly workloads: number;
  readonly operations: number;
  /** Crash states that were looked at: a moment and a way in which the crash came out. */
  readonly states: number;
  /** How many of them differ from all others in what is on the disk or in what was promised. */
  readonly distinct: number;
}

/** How much is run. */
export interface CrashOptions {
  readonly firstSeed: number;
  /** Workloads are added until this many states were looked at. */
  readonly states: number;
  readonly onProgress?: (states: number) => void;
}

/**
 * Random workloads, a crash after each operation of each, every way in which it may come out, a recovery
 * for each. Equal images with equal promises are recovered once. A failure names the seed, the operation
 * and the way.
 */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const report = { workloads: 0, operations: 0, states: 0, distinct: 0 };
  for (let seed = options.firstSeed; report.states < options.states; seed++) {
    const workload = await runWorkload(seed, 12);
    const counts = await crashEverywhere(workload);
    report.workloads++;
    report.operations += workload.machine.fs.ops.length;
    report.states += counts.states;
    report.distinct += counts.distinct;
    options.onProgress?.(report.states);
  }
  return report;
}

async function crashEverywhere(workload: Workload): Promise<{ states: number; distinct: number }> {
  const disk = new DiskImage();
  const seen = new Set<string>();
  let states = 0;
  const { ops } = workload.machine.fs;
  for (let done = 0; done <= ops.length; done++) {
    const op = ops[done - 1];
    if (op !== undefined) disk.apply(op);
    const claims = claimsAt(workload, done);
    const promised = JSON.stringify(
      claims.map(({ acked, possible, mustExist }) => [acked.length, possible.length, mustExist]),
    );
    for (const way of survivals(disk)) {
      states++;
      const image = disk.after(way);
      const print = `${promised} ${fingerprint(image)}`;
      if (seen.has(print)) continue;
      seen.add(print);
      await recover({ image, way, done, workload });
    }
  }
  return { states, distinct: seen.size };
}

async function recover(crash: {
  readonly image: Image;
  readonly way: Survival;
  readonly done: number;
  readonly workload: Workload;
}): Promise<void> {
  const { image, way, done, workload } = crash;
  try {
    await checkRecovery(image, claimsAt(workload, done));
  } catch (error) {
    const op = workload.machine.fs.ops[done - 1];
    const place = `seed ${workload.seed}, after operation ${done} (${op?.operation} ${op?.path}), ${JSON.stringify(way)}`;
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function fingerprint(image: Image): string {
  const hash = createHash("sha1");
  for (const path of [...image.keys()].sort()) {
    const bytes = image.get(path) ?? null;
    hash.update(`${path}\0${bytes?.byteLength ?? "d"}\0`);
    if (bytes !== null) hash.update(bytes);
  }
  return hash.digest("base64");
}
