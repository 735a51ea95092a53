import { spawn } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { aborted } from "../io/clock.ts";
import type { Outcome, ScenarioInput } from "./scenario.ts";
import { median, percentile } from "./statistics.ts";

/** One measurement in a process of its own. */
export interface Job {
  /** URL of a module that exports SCENARIOS. */
  readonly module: string;
  readonly scenario: string;
  readonly input: ScenarioInput;
}

/** What came of a job. */
export type JobResult =
  | { readonly outcome: Outcome; readonly error?: undefined }
  | { readonly outcome?: undefined; readonly error: string };

/** How jobs are run. */
export interface RunOptions {
  /** After this time the process is killed and the job has failed. Default 120,000 ms. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Path of the file that runs a job in a process of its own. Default: the one beside this file. */
  readonly processFile?: string;
}

/** `.ts` in a clone, `.js` in the built package. */
const PROCESS_FILE = join(
  import.meta.dirname,
  `scenario-process${import.meta.filename.slice(import.meta.filename.lastIndexOf("."))}`,
);

/** Runs one job in a fresh process. Throws ABORTED; everything else that goes wrong is the answer. */
export async function runJob(job: Job, options: RunOptions = {}): Promise<JobResult> {
  const { timeoutMs = 120_000, signal, processFile = PROCESS_FILE } = options;
  if (signal?.aborted) throw aborted(signal);
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", processFile, JSON.stringify(job)],
    { stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs, killSignal: "SIGKILL" },
  );
  const kill = (): boolean => child.kill("SIGKILL");
  signal?.addEventListener("abort", kill, { once: true });
  let out = "";
  let talk = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    talk = (talk + text).slice(-2000);
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  child.on("close", (code, cause) => resolve(cause ?? `exit ${code}`));
  const ending = await promise;
  signal?.removeEventListener("abort", kill);
  if (signal?.aborted) throw aborted(signal);
  const last = out.trimEnd().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) return { error: `${ending} ${talk}`.trim() };
  return JSON.parse(last);
}

/** What is measured, and how often. */
export interface Measurement {
  readonly module: string;
  readonly scenario: string;
  readonly input: Omit<ScenarioInput, "scratch">;
  /** Below it each run gets an empty folder of its own. */
  readonly scratch: string;
  readonly runs: number;
}

/** Medians over the runs; `name.p99` and `name.max` where one run gave many samples. */
export interface Measured {
  /** Ms, by name. */
  readonly times: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly skipped?: string;
  readonly error?: string;
}

/** Measures a scenario in as many fresh processes as there are runs, its files warm. Throws ABORTED. */
export async function measure(wanted: Measurement, options: RunOptions = {}): Promise<Measured> {
  const outcomes: Outcome[] = [];
  for (let run = 0; run < wanted.runs; run++) {
    const scratch = join(wanted.scratch, `run-${run}`);
    await mkdir(scratch, { recursive: true });
    if (wanted.input.session !== undefined) warm(wanted.input.session.path);
    const input = { ...wanted.input, scratch };
    try {
      const result = await runJob({ ...wanted, input }, options);
      if (result.error !== undefined) return { times: {}, counts: {}, error: result.error };
      if (result.outcome.skipped !== undefined) {
        return { times: {}, counts: {}, skipped: result.outcome.skipped };
      }
      outcomes.push(result.outcome);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  return summarized(outcomes);
}

/** Folds the outcomes of several runs. */
export function summarized(outcomes: readonly Outcome[]): Measured {
  const times: Record<string, number> = {};
  const counts: Record<string, number> = {};
  for (const name of Object.keys(outcomes[0]?.samples ?? {})) {
    const runs = outcomes
      .map(({ samples }) => samples[name] ?? [])
      .filter(({ length }) => length > 0);
    if (runs.length === 0) continue;
    times[name] = median(runs.map(median));
    if (runs.some((samples) => samples.length >= 20)) {
      times[`${name}.p99`] = median(runs.map((samples) => percentile(samples, 0.99)));
      times[`${name}.max`] = median(runs.map((samples) => percentile(samples, 1)));
    }
  }
  for (const name of Object.keys(outcomes[0]?.counts ?? {})) {
    counts[name] = median(outcomes.map((outcome) => outcome.counts[name] ?? Number.NaN));
  }
  return { times, counts };
}

/** Reads a file once, so that it lies in the page cache. */
export function warm(path: string): void {
  const buffer = Buffer.allocUnsafe(4 * 1024 * 1024);
  const file = openSync(path, "r");
  while (readSync(file, buffer, 0, buffer.length, null) > 0);
  closeSync(file);
}
