/**
 * Test runner of Stryker for tests written for `node:test`: the test files are imported into Stryker's
 * own worker process, so that a mutant costs the time of the tests that reach it and no start of a
 * process. After a mutant was noticed everything is imported afresh, so that what a broken test left
 * behind is not held against the next one.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { InstrumenterContext, StrykerOptions } from "@stryker-mutator/api/core";
import {
  commonTokens,
  declareFactoryPlugin,
  type Plugin,
  PluginKind,
} from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { type CollectedTest, collect, endSuites, runCollected } from "./test-shim.ts";

/** What the configuration says to this runner, under `nodeTest`. */
export interface NodeTestOptions {
  /** Test files, from the root; those that notice most come first. */
  readonly files: readonly string[];
  /** Tests of which the name contains one of these texts do not run. */
  readonly without: readonly string[];
}

/** In the copy of the project that Stryker made, so that all workers find it. */
const TIMES = "node-test-times.json";
/** What a test may take longer on a busy machine, besides five times as long. */
const SLACK_MS = 3_000;
const SHIM: string = pathToFileURL(path.join(import.meta.dirname, "test-shim.ts")).href;
const state: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: state });

/** Number of the import; part of each address, so that modules are made anew. */
let round = 0;
registerHooks({
  resolve(specifier, context, next) {
    const here = pathToFileURL(`${process.cwd()}/`).href;
    if (!context.parentURL?.startsWith(here)) return next(specifier, context);
    if (specifier === "node:test") return { url: SHIM, shortCircuit: true };
    const found = next(specifier, context);
    const isOwn = found.url.startsWith(here) && !found.url.includes("/node_modules/");
    return isOwn && round > 0 ? { ...found, url: `${found.url}?round=${round}` } : found;
  },
});

interface Asked {
  /** Ids of the tests to run; undefined = all. */
  readonly filter: readonly string[] | undefined;
  /** Whether the first failure ends the run. */
  readonly bail: boolean;
}

class NodeTestRunner implements TestRunner {
  readonly #options: NodeTestOptions;
  /** By file, as far as they were imported in this round. */
  readonly #tests = new Map<string, ReadonlyMap<string, CollectedTest>>();
  /** ms that each test took without a fault. */
  #times: ReadonlyMap<string, number>;
  /** The test that did not end. */
  #late: string | undefined;
  /** What nobody awaited, thrown while a test ran. */
  #stray: unknown;

  constructor(options: StrykerOptions) {
    this.#options = options.nodeTest as NodeTestOptions;
    this.#times = new Map(existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, "utf8")) : []);
    const note = (error: unknown): void => {
      this.#stray ??= error ?? "rejected with nothing";
    };
    process.on("unhandledRejection", note);
    process.on("uncaughtException", note);
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async dryRun(): Promise<DryRunResult> {
    delete state.mutantCoverage;
    this.#forget();
    const tests = await this.#run({ filter: undefined, bail: false });
    this.#times = new Map(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]));
    writeFileSync(TIMES, JSON.stringify([...this.#times]));
    const { mutantCoverage } = state;
    const result: DryRunResult = { status: DryRunStatus.Complete, tests };
    return mutantCoverage === undefined ? result : { ...result, mutantCoverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const isStatic = options.mutantActivation === "static";
    delete state.activeMutant;
    Object.assign(state, { hitCount: 0, hitLimit: options.hitLimit ?? Number.MAX_SAFE_INTEGER });
    if (isStatic) this.#forget();
    state.activeMutant = options.activeMutant.id;
    const tests = await this.#run({ filter: options.testFilter, bail: !options.disableBail });
    delete state.activeMutant;
    const isLate = this.#late !== undefined;
    // What a broken test left behind is no business of the next one.
    if (isStatic || tests.some(({ status }) => status !== TestStatus.Success)) this.#forget();
    const { hitCount = 0, hitLimit = 0 } = state;
    if (isLate) return { status: MutantRunStatus.Timeout, reason: "no end" };
    if (hitCount > hitLimit) return { status: MutantRunStatus.Timeout, reason: "hit limit" };
    return toMutantRunResult({ status: DryRunStatus.Complete, tests });
  }

  /** Ends the wait for a test that will never end; one that does not let go is up to Stryker. */
  async #limit(id: string, signal: AbortSignal): Promise<never> {
    const ms = SLACK_MS + 5 * (this.#times.get(id) ?? SLACK_MS);
    await sleep(ms, undefined, { signal }).catch(() => never());
    this.#late = id;
    throw new Error(`no end after ${ms} ms`);
  }

  #forget(): void {
    round++;
    this.#late = undefined;
    this.#tests.clear();
  }

  /** Imports a file when the first of its tests is wanted in this round. */
  async #testsOf(file: string): Promise<ReadonlyMap<string, CollectedTest>> {
    const known = this.#tests.get(file);
    if (known !== undefined) return known;
    const address = `${pathToFileURL(path.resolve(file)).href}?round=${round}`;
    const tests = await collect(file, async () => await import(address));
    this.#tests.set(file, tests);
    return tests;
  }

  async #run(options: Asked): Promise<TestResult[]> {
    const { bail } = options;
    const filter = options.filter === undefined ? undefined : new Set(options.filter);
    const results: TestResult[] = [];
    for (const file of this.#options.files) {
      const isWanted = options.filter?.some((id) => id.startsWith(`${file} > `)) ?? true;
      if (isWanted) results.push(...(await this.#runFile(file, { bail, filter })));
      if (bail && results.at(-1)?.status === TestStatus.Failed) break;
    }
    return results;
  }

  async #runFile(
    file: string,
    { filter, bail }: { readonly filter: ReadonlySet<string> | undefined; readonly bail: boolean },
  ): Promise<TestResult[]> {
    const results: TestResult[] = [];
    delete state.currentTestId;
    try {
      for (const [id, one] of await this.#testsOf(file)) {
        if (filter?.has(id) === false) continue;
        if (this.#options.without.some((text) => id.includes(text))) continue;
        results.push(await this.#runOne(one));
        if (bail && results.at(-1)?.status === TestStatus.Failed) break;
      }
    } catch (error) {
      results.push(failed(`${file} > import`, error, 0));
    }
    delete state.currentTestId;
    await endSuites().catch(() => undefined);
    return results;
  }

  async #runOne(one: CollectedTest): Promise<TestResult> {
    state.currentTestId = one.id;
    this.#stray = undefined;
    const start = performance.now();
    const ended = new AbortController();
    try {
      await Promise.race([runCollected(one), this.#limit(one.id, ended.signal)]);
      // A rejection that nobody awaits shows one turn later.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#stray !== undefined) throw this.#stray;
    } catch (error) {
      return failed(one.id, error, performance.now() - start);
    } finally {
      ended.abort();
    }
    const timeSpentMs = performance.now() - start;
    return { id: one.id, name: one.id, timeSpentMs, status: TestStatus.Success };
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function failed(id: string, error: unknown, timeSpentMs: number): TestResult {
  const failureMessage = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { id, name: id, timeSpentMs, status: TestStatus.Failed, failureMessage };
}

type Inject = [typeof commonTokens.options];

const makeRunner: { (options: StrykerOptions): TestRunner; inject: Inject } = Object.assign(
  (options: StrykerOptions): TestRunner => new NodeTestRunner(options),
  { inject: [commonTokens.options] satisfies Inject as Inject },
);

/** What Stryker loads. */
export const strykerPlugins: readonly Plugin<PluginKind.TestRunner>[] = [
  declareFactoryPlugin(PluginKind.TestRunner, "node-test", makeRunner),
];
