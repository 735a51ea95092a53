import type { CorpusFacts } from "./generated-files.ts";
import type { SessionFacts } from "./session-generator.ts";

/** What one measurement gets: plain JSON, because it runs in a process of its own. */
export interface ScenarioInput {
  /** Name of the store in BENCH_STORES. */
  readonly store: string;
  /** An empty folder that is removed afterwards. */
  readonly scratch: string;
  /** A generated session file. Never written: what writes loads a copy. */
  readonly session?: { readonly path: string; readonly facts: SessionFacts };
  /** A folder of generated sessions, and the data root that holds its index. */
  readonly corpus?: {
    readonly folder: string;
    readonly data: string;
    readonly facts: CorpusFacts;
  };
  readonly index: "on" | "off";
  readonly durability: "full" | "process";
  /** How often the work is repeated, at most, and for how many ms. */
  readonly count: number;
  readonly capMs: number;
  /** What a scenario needs besides, by name. */
  readonly extra?: Readonly<Record<string, string | number>>;
}

/** What a measurement found. */
export interface Outcome {
  /** Times in ms, by the name of what was done. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
  /** Counted work and sizes: messages, rows, bytes, MB of memory. */
  readonly counts: Readonly<Record<string, number>>;
  /** Why nothing was measured: this build or store cannot do it. */
  readonly skipped?: string;
}

/** One measurement, as data. A wrong answer is an assertion error, not a fast result. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** The target in docs/benchmarks.md that it speaks of, T1 to T16. */
  readonly target: string;
  run(input: ScenarioInput): Promise<Outcome>;
}

/** An answer and the ms that it took. */
export interface Timed<T> {
  readonly value: T;
  readonly ms: number;
}

/** Runs some work once and gives its answer and its time. */
export async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const since = performance.now();
  const value = await work();
  return { value, ms: performance.now() - since };
}

/** Repeats some work until the count or the time of the input is used up. Times in ms. */
export async function repeat(
  input: ScenarioInput,
  work: (round: number) => Promise<unknown>,
): Promise<number[]> {
  const samples: number[] = [];
  const end = performance.now() + input.capMs;
  for (let round = 0; round < input.count && (round === 0 || performance.now() < end); round++) {
    samples.push((await timed(() => work(round))).ms);
  }
  return samples;
}

/**
 * Does some work without measuring, so often or for a third of the input's time: what it is held against
 * has no code that V8 compiles while it runs. Gives the number of rounds.
 */
export async function warmUp(
  input: ScenarioInput,
  most: number,
  work: (round: number) => Promise<unknown>,
): Promise<number> {
  const limited = { ...input, count: most, capMs: input.capMs / 3 };
  return (await repeat(limited, work)).length;
}

/** Starts a measurement of memory; the result gives the MB that came on top since then. */
export function memoryMeter(): () => number {
  const before = { peak: peakMemory(), now: residentMemory() };
  // The peak of loading the library may hide what came later, so what is in use counts too.
  return () => Math.max(peakMemory() - before.peak, residentMemory() - before.now);
}

function peakMemory(): number {
  return process.resourceUsage().maxRSS / 1024;
}

function residentMemory(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

/** A draft of a message whose line has about this many bytes. */
export function messageOf(bytes: number, number: number): MessageDraft {
  const text = `第 ${number} 条 `.padEnd(
    Math.max(20, bytes - 260),
    'lorem ipsum "dolor" sit amet\n',
  );
  const usage = { input: 10, output: 200, cacheRead: 1000, cacheWrite: 0 };
  const rest = { provider: "anthropic", model: "claude-sonnet-4-5", usage } as const;
  const content = [{ type: "text", text }] as const;
  return { type: "message", message: { role: "assistant", content, ...rest, stopReason: "stop" } };
}

/** A message to be appended. */
export interface MessageDraft {
  readonly type: "message";
  readonly message: {
    readonly role: "assistant";
    readonly content: readonly [{ readonly type: "text"; readonly text: string }];
    readonly provider: string;
    readonly model: string;
    readonly usage: Readonly<Record<"input" | "output" | "cacheRead" | "cacheWrite", number>>;
    readonly stopReason: string;
  };
}
