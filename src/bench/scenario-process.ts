/**
 * One measurement in a process of its own. Argument: a {@link Job} as JSON; the last line of standard
 * output is a {@link JobResult} as JSON.
 */
import process from "node:process";
import type { Job, JobResult } from "./measure.ts";
import type { Scenario } from "./scenario.ts";

async function run(job: Job): Promise<JobResult> {
  const module: { SCENARIOS: readonly Scenario[] } = await import(job.module);
  const scenario = module.SCENARIOS.find(({ id }) => id === job.scenario);
  if (scenario === undefined) return { error: `no scenario is called ${job.scenario}` };
  try {
    return { outcome: await scenario.run(job.input) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// Without an await at the top: in the built package modules are functions.
void run(JSON.parse(process.argv[2] ?? "{}")).then((result) => {
  process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0));
});
