/** Power cuts on real file systems in a loop mount. */
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { checkAcknowledged } from "../../test/faults/acknowledged.ts";
import { LoopDisk, type LoopKind, noLoopDisk } from "../../test/faults/loop-disk.ts";
import { WatchedWriter } from "../../test/faults/watched-writer.ts";
import type { CheckTools, Figures, Skipped, VerifyCheck } from "./check.ts";

const CUTS: Readonly<Record<LoopKind, number>> = { ext4: 30, xfs: 15 };

/**
 * One disk, one session for each cut and one that lives through all of them. What was acknowledged
 * before the cut began must be there after the restart.
 */
async function cutPower(kind: LoopKind, tools: CheckTools): Promise<Figures | Skipped> {
  const reason = noLoopDisk(kind);
  if (reason !== null) return { skipped: reason };
  const random = seededRandom(tools.seed);
  const cuts = CUTS[kind] * tools.scale;
  const lasting: string[] = [];
  let acknowledged = 0;
  const disk = new LoopDisk(kind);
  try {
    for (let cut = 0; cut < cuts; cut++) {
      const session = cut % 2 === 0 ? `cut-${cut}` : "lasting";
      const writer = new WatchedWriter({ root: disk.root, session });
      await writer.reached(1 + Math.floor(random.float() * 100));
      const acks = [...writer.acks];
      disk.cutPower();
      await writer.kill();
      disk.restart();
      if (session === "lasting") lasting.push(...acks);
      const claimed = session === "lasting" ? lasting : acks;
      await checkAcknowledged({ root: disk.root, session, acks: claimed });
      acknowledged += acks.length;
      tools.progress(cut + 1, cuts);
    }
  } finally {
    disk.remove();
  }
  return { cuts, acknowledged, lost: 0 };
}

/** Both file systems. */
export const POWER_CHECKS: readonly VerifyCheck[] = (["ext4", "xfs"] as const).map((kind) => ({
  name: `power cuts ${kind}`,
  about: "P1 P4: the file system is stopped without a flush",
  run: (tools) => cutPower(kind, tools),
}));
