import { abortCases } from "./abort-cases.ts";
import { compactionCases } from "./compaction-cases.ts";
import { eventCases } from "./event-cases.ts";
import { failureCases } from "./failure-cases.ts";
import type { HarnessCase } from "./harness-case.ts";
import type { HarnessStore } from "./harness-rig.ts";
import { hostileCases } from "./hostile-cases.ts";
import { navigationCases } from "./navigation-cases.ts";
import { queueCases } from "./queue-cases.ts";
import { resumeCases } from "./resume-cases.ts";
import { toolCases } from "./tool-cases.ts";

/** All cases. */
export const harnessCases: readonly HarnessCase[] = [
  ...eventCases,
  ...toolCases,
  ...queueCases,
  ...navigationCases,
  ...compactionCases,
  ...failureCases,
  ...abortCases,
  ...hostileCases,
  ...resumeCases,
];

/**
 * Binds the suite to a test runner for one store and gives the number of cases.
 *
 * @example
 * import { test } from "node:test";
 * runHarnessSuite({ name: "memory", make }, test);
 */
export function runHarnessSuite(
  target: { readonly name: string; readonly make: () => Promise<HarnessStore> },
  bind: (name: string, run: () => Promise<void>) => void,
): number {
  for (const { name, run } of harnessCases) {
    bind(`${target.name}: ${name}`, async () => {
      await using made = await target.make();
      await run(made);
    });
  }
  return harnessCases.length;
}
