/**
 * Runs test files with node's runner, one process a file, and counts: each test is one, suites are
 * none, a test marked `todo` is in no count.
 *
 * Run alone: `node scripts/run-tests.ts FILE…`.
 */
import path from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";

/** A skipped test, and why. */
export interface Skip {
  readonly name: string;
  readonly file: string;
  readonly reason: string;
}

/** What a run came to. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skips: readonly Skip[];
  /** Names of tests marked `todo`: in no count. */
  readonly todos: readonly string[];
  /** Everything worth reading about the failures, ready to print. */
  readonly failures: readonly string[];
  /** ms by file, slowest first. */
  readonly slowest: readonly { readonly file: string; readonly ms: number }[];
}

/** How to run. */
export interface RunOptions {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Processes at the same time. Default 2. */
  readonly concurrency?: number;
  /** ms after which a file counts as failed. Default 15 minutes. */
  readonly timeout?: number;
}

interface Outcome {
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
  /** 0 for what stands directly in a file. */
  readonly nesting: number;
  readonly details: { readonly type?: string | undefined; readonly error?: unknown };
}

const relative = (file: string | undefined): string =>
  file === undefined ? "?" : path.relative(process.cwd(), file);

/** The stack and what caused it, without the frames of the runner and without printing values twice. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  const own = stack.split("\n").filter((line) => !/^\s+at .*node:internal/.test(line));
  const code = "code" in error && !(error.name === "AssertionError") ? [`code: ${error.code}`] : [];
  const cause = error.cause === undefined ? [] : [`caused by: ${describeError(error.cause)}`];
  return [...own, ...code, ...cause].join("\n");
}

function describeFailure(test: Outcome): string {
  const error = test.details.error;
  const thrown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const place = `${relative(test.file)}:${test.line ?? 0}`;
  return `✖ ${test.name}\n  ${place}\n${describeError(thrown).replace(/^/gm, "  ")}`;
}

/** A test that failed only because a test inside it did adds no second report, but counts. */
const isOnlyParent = (test: Outcome): boolean =>
  (test.details.error as { failureType?: string } | undefined)?.failureType === "subtestsFailed";

/** Collects the events of one run. */
class Tally {
  passed = 0;
  failed = 0;
  readonly skips: Skip[] = [];
  readonly todos: string[] = [];
  readonly failures: string[] = [];
  readonly slowest: { file: string; ms: number }[] = [];
  readonly #output = new Map<string, string>();
  readonly #failedFiles = new Set<string>();

  pass(test: Outcome): void {
    if (test.details.type === "suite") return;
    // The runner reports a file as a passing test when there is none in it.
    if (test.nesting === 0 && path.resolve(test.name) === test.file) {
      this.failed++;
      this.failures.push(`✖ ${test.name}: no test in this file`);
    } else if (test.skip !== undefined) {
      const reason =
        typeof test.skip === "string" && test.skip !== "" ? test.skip : "no reason given";
      this.skips.push({ name: test.name, file: relative(test.file), reason });
    } else if (test.todo !== undefined) this.todos.push(test.name);
    else this.passed++;
  }

  fail(test: Outcome): void {
    if (test.todo !== undefined) {
      this.todos.push(test.name);
      return;
    }
    if (test.details.type === "suite" && isOnlyParent(test)) return;
    this.failed++;
    this.#failedFiles.add(test.file ?? test.name);
    if (!isOnlyParent(test)) this.failures.push(describeFailure(test));
  }

  output(file: string, text: string): void {
    this.#output.set(file, (this.#output.get(file) ?? "") + text);
  }

  report(): TestReport {
    const printed = [...this.#failedFiles].flatMap((file) => {
      const text = this.#output.get(file)?.trimEnd();
      return text ? [`Output of ${relative(file)}:\n${text}`] : [];
    });
    return {
      passed: this.passed,
      failed: this.failed,
      skips: this.skips,
      todos: this.todos,
      failures: [...this.failures, ...printed],
      slowest: this.slowest.toSorted((a, b) => b.ms - a.ms),
    };
  }
}

/** Runs the files and waits for the end. Never throws because of a failing test. */
export async function runTests(options: RunOptions): Promise<TestReport> {
  const tally = new Tally();
  const stream = run({
    files: [...options.files],
    concurrency: options.concurrency ?? 2,
    timeout: options.timeout ?? 900_000,
  });
  stream.on("test:pass", (test) => tally.pass(test));
  stream.on("test:fail", (test) => tally.fail(test));
  stream.on("test:stdout", ({ file, message }) => tally.output(file, message));
  stream.on("test:stderr", ({ file, message }) => tally.output(file, message));
  stream.on("test:summary", ({ file, duration_ms }) => {
    if (file !== undefined) tally.slowest.push({ file: relative(file), ms: duration_ms });
  });
  stream.resume();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.once("end", resolve);
  stream.once("error", reject);
  await promise;
  return tally.report();
}

/** Prints failures, todos and skips: what nobody should overlook. */
export function printReport(report: TestReport): void {
  for (const failure of report.failures) console.log(`\n${failure}`);
  for (const name of report.todos) console.log(`TODO ${name}`);
  for (const skip of report.skips)
    console.log(`SKIPPED ${skip.name} (${skip.file}): ${skip.reason}`);
}

/** The closing line that CI reads. */
export function closingLine(counts: { passed: number; failed: number; skipped: number }): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

if (import.meta.main) {
  const report = await runTests({ files: process.argv.slice(2).map((file) => path.resolve(file)) });
  printReport(report);
  const { passed, failed, skips } = report;
  console.log(closingLine({ passed, failed, skipped: skips.length }));
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
