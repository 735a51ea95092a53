/**
 * What `npm test` runs: format and lint, types, layers and cycles, house rules, all tests, and the
 * coverage that they reached. Everything runs to the end; the last line counts each check and each
 * test as one.
 *
 * Options: `--only TEXT` (test files whose path contains it; no coverage), `--no-coverage`, `--skip-checks`.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect, parseArgs } from "node:util";
import { readCoverage } from "./coverage.ts";
import { checkLayers } from "./layers.ts";
import { closingLine, printReport, runTests, type TestReport } from "./run-tests.ts";
import { checkSources } from "./source-rules.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
/** These must reach 100 % of lines and branches. */
const COVERED = ["entry", "io", "tree", "projection", "store/jsonl"].map((f) => `src/${f}`);
const counts = { passed: 0, failed: 0, skipped: 0 };

interface StepResult {
  readonly ok: boolean;
  /** Short, behind the name. */
  readonly note?: string;
  /** Printed in full when the step failed. */
  readonly output?: string;
}

function line(result: StepResult, name: string, since: number): void {
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  const note = result.note === undefined ? "" : `  ${result.note}`;
  console.log(`${result.ok ? "ok  " : "FAIL"}  ${name.padEnd(18)} ${seconds.padStart(6)} s${note}`);
}

/** A check that breaks down is a failed check; the others still run. */
async function attempt(work: () => StepResult | Promise<StepResult>): Promise<StepResult> {
  try {
    return await work();
  } catch (error) {
    return { ok: false, output: inspect(error) };
  }
}

async function step(name: string, work: () => StepResult | Promise<StepResult>): Promise<void> {
  const since = performance.now();
  const result = await attempt(work);
  counts[result.ok ? "passed" : "failed"]++;
  line(result, name, since);
  if (!result.ok && result.output) console.log(result.output);
}

function tool(name: string, args: readonly string[]): StepResult {
  const program = path.join(ROOT, "node_modules", ".bin", name);
  const done = spawnSync(program, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 28 });
  const output = `${done.stdout ?? ""}${done.stderr ?? ""}${done.error ?? ""}`;
  return { ok: done.status === 0, output };
}

async function checks(): Promise<void> {
  await step("format and lint", () =>
    tool("biome", ["check", "--error-on-warnings", "--max-diagnostics=none"]),
  );
  await step("types", () => tool("tsc", ["-p", ".", "--pretty", "false"]));
  await step("types of the page", () => tool("tsc", ["-p", "web", "--pretty", "false"]));
  await step("layers and cycles", async () => {
    const { modules, imports, problems } = await checkLayers(ROOT);
    const note = `${modules} modules, ${imports} imports`;
    return { ok: problems.length === 0, note, output: problems.join("\n") };
  });
  await step("house rules", () => {
    const { files, problems } = checkSources(ROOT);
    return { ok: problems.length === 0, note: `${files} files`, output: problems.join("\n") };
  });
}

/** Tests with a clock or a browser in them: nothing else runs meanwhile. */
function isTimed(file: string): boolean {
  return /test\/(?:browser|e2e)\/|test\/damaged-big/.test(path.relative(ROOT, file));
}

/**
 * One file after the other. One that fails is run once more and counts as it comes out then, as its
 * clocks hear everything that the machine does besides; that it was so is printed, never silent.
 */
async function runAlone(files: readonly string[]): Promise<readonly TestReport[]> {
  const reports: TestReport[] = [];
  for (const file of files) {
    const first = await runTests({ files: [file], concurrency: 1 });
    if (first.failed === 0) {
      reports.push(first);
      continue;
    }
    console.log(`AGAIN ${path.relative(ROOT, file)}: ${first.failed} failed the first time`);
    for (const failure of first.failures) console.log(failure.split("\n").slice(0, 6).join("\n"));
    reports.push(await runTests({ files: [file], concurrency: 1 }));
  }
  return reports;
}

function joined(reports: readonly TestReport[]): TestReport {
  return {
    passed: reports.reduce((sum, { passed }) => sum + passed, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    skips: reports.flatMap(({ skips }) => skips),
    todos: reports.flatMap(({ todos }) => todos),
    failures: reports.flatMap(({ failures }) => failures),
    slowest: reports.flatMap(({ slowest }) => slowest).toSorted((a, b) => b.ms - a.ms),
  };
}

async function tests(only: string | undefined): Promise<() => void> {
  const since = performance.now();
  const files = ["src/**/*.test.ts", "test/**/*.test.ts", "web/src/**/*.test.ts"]
    .flatMap((glob) => globSync(glob, { cwd: ROOT }))
    .filter((file) => only === undefined || file.includes(only))
    .toSorted()
    .map((file) => path.join(ROOT, file));
  const report = joined([
    await runTests({ files: files.filter((file) => !isTimed(file)) }),
    ...(await runAlone(files.filter(isTimed))),
  ]);
  counts.passed += report.passed;
  // Having run nothing is a failure too.
  counts.failed += report.passed + report.failed === 0 ? 1 : report.failed;
  counts.skipped += report.skips.length;
  const slow = report.slowest.filter(({ ms }) => ms > 3000).slice(0, 3);
  const slowest = slow.map(({ file, ms }) => `${file} ${(ms / 1000).toFixed(0)} s`).join(", ");
  const note = `${report.passed} of ${report.passed + report.failed} tests in ${files.length} files${slowest && `; slowest: ${slowest}`}`;
  line({ ok: report.failed === 0 && report.passed > 0, note }, "tests", since);
  return () => printReport(report);
}

function coverage(directory: string): StepResult {
  const { files, lines, coveredLines, torn, misses, ignored } = readCoverage(
    ROOT,
    directory,
    COVERED,
  );
  if (torn > 0) console.log(`${torn} processes were killed while they wrote their coverage`);
  for (const place of ignored) console.log(`NOT COUNTED in coverage: ${place}`);
  const output = misses.map(
    (m) =>
      `  ${m.file}:${m.line}:${m.column}${m.endLine > m.line ? `–${m.endLine}` : ""}  ${m.excerpt}`,
  );
  const percent =
    lines === 0 ? "no lines" : `${((100 * coveredLines) / lines).toFixed(2)} % of ${lines} lines`;
  const note = `${percent} in ${files} files, ${misses.length} places never ran`;
  return { ok: misses.length === 0, note, output: output.join("\n") };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      "no-coverage": { type: "boolean" },
      "skip-checks": { type: "boolean" },
    },
  });
  process.chdir(ROOT);
  if (!values["skip-checks"]) await checks();
  const measured = values.only === undefined && !values["no-coverage"];
  const directory = mkdtempSync(path.join(tmpdir(), "branchline-coverage-"));
  // Read by the processes of the tests, not by this one.
  if (measured) process.env.NODE_V8_COVERAGE = directory;
  try {
    const printTests = await tests(values.only);
    if (measured) await step("coverage", () => coverage(directory));
    printTests();
  } finally {
    rmSync(directory, { recursive: true });
  }
  console.log(closingLine(counts));
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

await main();
