/**
 * Mutation tests of the code that guards the data: `npm run mutation [-- GROUP…] [--file PART]`.
 * Prints the score of each file and every mutant that nobody noticed. Needs `npm ci` in this folder.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { MutantResult, PartialStrykerOptions } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { GROUPS, LEFT_OUT, type MutationGroup } from "./groups.ts";

const ROOT: string = path.join(import.meta.dirname, "..");
const REPORTS: string = path.join(import.meta.dirname, "reports");

function configuration(
  group: MutationGroup,
  sources: readonly string[],
  folder: string,
): PartialStrykerOptions {
  return {
    mutate: [...sources],
    plugins: ["node-test-runner.ts", "ignore-sentences.ts"].map((name) =>
      path.join(import.meta.dirname, name),
    ),
    ignorers: ["sentences"],
    testRunner: "node-test",
    nodeTest: { files: group.tests, without: LEFT_OUT },
    testRunnerNodeArgs: ["--conditions=source", "--disable-warning=ExperimentalWarning"],
    coverageAnalysis: "perTest",
    concurrency: 1,
    maxTestRunnerReuse: 100,
    // Generous, since a mutant that is only slow on a busy machine would count as noticed.
    timeoutMS: 20_000,
    timeoutFactor: 5,
    dryRunTimeoutMinutes: 10,
    // A name that does not exist: Stryker would read the file with a compiler that is not there.
    tsconfigFile: "no-tsconfig.json",
    checkers: [],
    disableTypeChecks: false,
    reporters: ["progress-append-only"],
    warnings: false,
    tempDirName: folder,
    ignorePatterns: ["/*", "!/src", "!/test", "!/examples", "!/package.json", "/test/browser"],
    allowConsoleColors: false,
    fileLogLevel: "off",
    logLevel: "warn",
  } as PartialStrykerOptions;
}

interface Score {
  readonly file: string;
  readonly noticed: number;
  readonly hung: number;
  readonly all: number;
  readonly unnoticed: readonly MutantResult[];
}

function scoreOf(file: string, results: readonly MutantResult[]): Score {
  const own = results.filter(
    (one) => path.relative(ROOT, path.resolve(ROOT, one.fileName)) === file,
  );
  const having = (...states: string[]): MutantResult[] =>
    own.filter(({ status }) => states.includes(status));
  const hung = having("Timeout").length;
  const noticed = having("Killed").length + hung;
  const unnoticed = having("Survived", "NoCoverage", "RuntimeError");
  return { file, noticed, hung, all: noticed + unnoticed.length, unnoticed };
}

function percent(part: number, all: number): string {
  return all === 0 ? "-" : `${((100 * part) / all).toFixed(1)} %`;
}

function print(score: Score): void {
  const { file, noticed, all, hung } = score;
  console.log(`${file}: ${percent(noticed, all)} (${noticed} of ${all}, ${hung} by time)`);
  for (const one of score.unnoticed) {
    const { line, column } = one.location.start;
    const state = one.status === "Survived" ? "" : ` [${one.status}]`;
    const text = one.replacement?.replaceAll(/\s+/g, " ").slice(0, 120);
    console.log(`  ${file}:${line}:${column} ${one.mutatorName}${state}: ${text}`);
  }
}

/** Failures may print whole files. */
function shortened(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.slice(0, 500) : value;
}

async function runGroup(group: MutationGroup, part: string): Promise<readonly Score[]> {
  const sources = group.sources.filter((file) => file.includes(part));
  if (sources.length === 0) return [];
  const start = performance.now();
  const folder = mkdtempSync(path.join(tmpdir(), "mutation-"));
  try {
    const results = await new Stryker(configuration(group, sources, folder)).runMutationTest();
    const scores = sources.map((file) => scoreOf(file, results));
    scores.forEach(print);
    const noticed = scores.reduce((sum, one) => sum + one.noticed, 0);
    const all = scores.reduce((sum, one) => sum + one.all, 0);
    const seconds = ((performance.now() - start) / 1_000).toFixed(0);
    console.log(`${group.name}: ${percent(noticed, all)} (${noticed} of ${all}) in ${seconds} s\n`);
    mkdirSync(REPORTS, { recursive: true });
    writeFileSync(
      path.join(REPORTS, `${path.basename(sources[0] as string)}.json`),
      JSON.stringify(results, shortened, 1),
    );
    return scores;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  options: { file: { type: "string", default: "" } },
  allowPositionals: true,
});
process.chdir(ROOT);
const scores: Score[] = [];
for (const group of GROUPS) {
  const isAsked = positionals.length === 0 || positionals.includes(group.name);
  if (isAsked) scores.push(...(await runGroup(group, values.file)));
}
const noticed = scores.reduce((sum, one) => sum + one.noticed, 0);
const all = scores.reduce((sum, one) => sum + one.all, 0);
console.log(`mutation score ${percent(noticed, all)}: ${noticed} of ${all}`);
process.exitCode = all > 0 && noticed / all >= 0.9 ? 0 : 1;
