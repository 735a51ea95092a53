import { join } from "node:path";
import { openEngine, prepareIndex } from "./engine-store.ts";
import { writeCorpus, writeSession } from "./generated-files.ts";
import { coldParse, type MachineLimits, measureLimits } from "./machine-limits.ts";
import { type Measured, measure } from "./measure.ts";
import type { ScenarioInput } from "./scenario.ts";
import { SCENARIOS_MODULE } from "./scenarios/table.ts";

/** What a user's measurement covers. */
export interface UserBenchOptions {
  /** Sizes of generated sessions in MB. */
  readonly sizes: readonly number[];
  /** An existing folder; the caller removes it afterwards. */
  readonly scratch: string;
  /** Sessions of the user that are opened, never written. */
  readonly own: readonly { readonly path: string; readonly bytes: number }[];
  /** "quick" = short and rough, "thorough" = as in docs/benchmarks.md. */
  readonly pace: "quick" | "thorough";
  readonly signal?: AbortSignal;
  /** Told what is being done. */
  readonly onProgress?: (text: string) => void;
}

/** One measurement, and how it compares with what the machine can do. */
export interface BenchRow {
  readonly measurement: string;
  /** What it was measured on. */
  readonly data: string;
  /** Ms by name; `name.p99` where there were many samples. */
  readonly times: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  /** Times the machine's own limit; null where there is none to compare with. */
  readonly ratio: number | null;
  /** Why there is nothing to see, or null. */
  readonly note: string | null;
}

interface Wanted {
  readonly measurement: string;
  readonly scenario: string;
  readonly data: string;
  readonly input: Omit<ScenarioInput, "scratch">;
  /** Ms that the machine needs without an engine. */
  readonly limit?: (measured: Measured, limits: MachineLimits) => number;
  /** Name of the time that is compared. */
  readonly compared: string;
}

/**
 * Measures this machine, then the engine on generated sessions and on the user's own. Rows come as
 * they are measured. Throws ABORTED.
 */
export async function* userBench(options: UserBenchOptions): AsyncGenerator<BenchRow, void, void> {
  const { scratch, signal, onProgress = () => undefined, pace } = options;
  onProgress("making data");
  const sample = await writeSession(join(scratch, "sample.jsonl"), {
    seed: 2,
    bytes: pace === "quick" ? 2e6 : 2e7,
    profile: "agent",
  });
  onProgress("limits of this machine");
  const limits = measureLimits({
    scratch,
    sample: sample.path,
    capMs: pace === "quick" ? 100 : 1200,
    ...(signal === undefined ? {} : { signal }),
  });
  yield limitRow(limits);
  for await (const wanted of plan(options)) {
    onProgress(`${wanted.measurement}, ${wanted.data}`);
    const measured = await measure(
      {
        module: SCENARIOS_MODULE,
        scenario: wanted.scenario,
        input: wanted.input,
        scratch: join(scratch, "runs"),
        runs: pace === "quick" ? 1 : 3,
      },
      { signal },
    );
    yield rowOf(wanted, measured, limits);
  }
}

function limitRow(limits: MachineLimits): BenchRow {
  const { decodeRate, parseRate, group10, group100, ...times } = limits;
  const counts = { decodeRate, parseRate, group10, group100 };
  const none = { ratio: null, note: null };
  return { measurement: "limits", data: "this machine", times, counts, ...none };
}

function rowOf(wanted: Wanted, measured: Measured, limits: MachineLimits): BenchRow {
  const { measurement, data, compared, limit } = wanted;
  const { times, counts, error, skipped } = measured;
  const floor = limit?.(measured, limits);
  const time = times[compared];
  const ratio = floor === undefined || time === undefined ? null : time / floor;
  return { measurement, data, times, counts, ratio, note: error ?? skipped ?? null };
}

async function* plan(options: UserBenchOptions): AsyncGenerator<Wanted, void, void> {
  for (const { path, bytes } of options.own) {
    const input = { ...BASE, extra: { path }, count: 1, capMs: 60_000 };
    const data = `your session of ${(bytes / 1e6).toFixed(1)} MB`;
    yield { measurement: "open", scenario: "read", data, input, compared: "total" };
  }
  for (const size of options.sizes) yield* onSession(options, size);
  yield* onCorpus(options);
}

const BASE = { store: "jsonl", index: "on", durability: "full" } as const;

async function* onSession(options: UserBenchOptions, size: number): AsyncGenerator<Wanted> {
  const data = `${size} MB`;
  const path = join(options.scratch, `session-${size}.jsonl`);
  const session = await writeSession(path, { seed: 1, bytes: size * 1e6, profile: "agent" });
  const root = join(options.scratch, "root");
  await using engine = await openEngine(root);
  await prepareIndex(engine, path);
  const base = { ...BASE, session };
  const input = { ...base, count: 1, capMs: 60_000, extra: { data: root } };
  const limit: Wanted["limit"] = ({ counts }, limits) =>
    coldParse(counts.contextBytes ?? Number.NaN, limits);
  const open = { scenario: "open", data, compared: "total", limit };
  yield { ...open, measurement: "open", input };
  yield { ...open, measurement: "open without index", input: { ...input, index: "off" } };
  const capMs = options.pace === "quick" ? 200 : 1500;
  const append = { scenario: "append", data, compared: "append" };
  const many = { ...base, count: 2000, capMs };
  yield { ...append, measurement: "append", input: many, limit: (_, { sync1K }) => sync1K };
  const unsynced = { ...many, durability: "process" as const };
  const measurement = "append without sync";
  yield { ...append, measurement, input: unsynced, limit: (_, { write1K }) => write1K };
  const hot = { scenario: "hot-context", data, compared: "context" };
  yield { ...hot, measurement: "context after an append", input: { ...base, count: 40, capMs } };
}

async function* onCorpus(options: UserBenchOptions): AsyncGenerator<Wanted> {
  const sessions = options.pace === "quick" ? 50 : 500;
  const folder = join(options.scratch, "corpus");
  const root = join(options.scratch, "root");
  const { facts } = await writeCorpus(folder, { seed: 1, sessions, averageBytes: 50_000 });
  await using engine = await openEngine(folder, { data: root });
  await prepareIndex(engine, folder);
  const corpus = { folder, data: root, facts };
  const input = { ...BASE, corpus, count: 1, capMs: 60_000 };
  const data = `${sessions} sessions`;
  const limit: Wanted["limit"] = (_, { stat1000, select1000 }) =>
    ((stat1000 + select1000) * sessions) / 1000;
  yield { measurement: "list", scenario: "list", data, input, compared: "list", limit };
  yield { measurement: "search", scenario: "search", data, input, compared: "english" };
}
