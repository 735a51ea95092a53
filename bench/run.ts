/**
 * Measures this engine against the limits of the machine, in one run. Markdown on standard output,
 * progress on standard error. Every measurement is a fresh process, its files warm; medians.
 *
 *   node bench/run.ts [--sizes 1,10,100] [--gb] [--only open,append] [--runs 3] [--store jsonl]
 *                     [--data DIR] [--json FILE] [--write-docs]
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { BENCH_STORES } from "../src/bench/bench-store.ts";
import { type MachineLimits, measureLimits } from "../src/bench/machine-limits.ts";
import { type Measured, measure, warm } from "../src/bench/measure.ts";
import { type Planned, planRun, prepareData, type RunData, type RunSettings } from "./plan.ts";
import { growthPlot, markdown } from "./report.ts";
import type { RunResults } from "./targets.ts";

const DOCUMENT = path.resolve(import.meta.dirname, "../docs/benchmarks.md");
const PLOT = path.resolve(import.meta.dirname, "../docs/benchmarks-growth.svg");
/** What the built package brings of the benchmark. */
const BUILT = path.resolve(import.meta.dirname, "../dist/bench");
const SOURCES = path.resolve(import.meta.dirname, "../src");
/** A measurement that takes longer has failed. */
const TIMEOUT_MS = 180_000;
const started = performance.now();

function log(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`[${seconds} s] ${text}\n`);
}

/** Bad arguments end the program with one line. */
function fail(message: string): never {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(2);
}

/** True where the built package is not older than the sources: another one says nothing, and has another index. */
function isBuiltNow(): boolean {
  const table = path.join(BUILT, "scenarios/table.js");
  if (!existsSync(table)) return false;
  const since = statSync(table).mtimeMs;
  const files = globSync("**/*.ts", { cwd: SOURCES, exclude: ["**/*.test.ts"] });
  const isNew = files.every((file) => statSync(path.join(SOURCES, file)).mtimeMs <= since);
  if (!isNew) log("dist/ is older than the sources: not measured but for T14");
  return isNew;
}

async function measureAll(
  planned: readonly Planned[],
  scratch: string,
): Promise<Readonly<Record<string, Measured>>> {
  const sources = new URL("./scenarios/table.ts", import.meta.url).href;
  const built = pathToFileURL(path.join(BUILT, "scenarios/table.js")).href;
  const inBuilt = { processFile: path.join(BUILT, "scenario-process.js") };
  const measured: Record<string, Measured> = {};
  for (const [number, { key, scenario, by, input, runs }] of planned.entries()) {
    const wanted = { module: by === "built" ? built : sources, scenario, input, runs, scratch };
    const where = by === "built" ? inBuilt : {};
    const result = await measure(wanted, { timeoutMs: TIMEOUT_MS, ...where });
    measured[key] = result;
    const said = result.error ?? result.skipped ?? JSON.stringify(result.times);
    log(`${number + 1}/${planned.length} ${key}: ${said.slice(0, 160)}`);
  }
  return measured;
}

function limitsOf(data: RunData, scratch: string): MachineLimits {
  const largest = [...data.sessions.values()].findLast(({ facts }) => facts.bytes < 2e8);
  const sample = largest?.path ?? "";
  warm(sample);
  log("limits of the machine");
  return measureLimits({ scratch, sample });
}

function indexShareOf(data: RunData): Pick<RunResults, "indexShare"> {
  const index = path.join(data.indexRoot, "index.db");
  if (!existsSync(index)) return {};
  const sets = [...data.sessions.values(), ...data.chats.values(), ...data.corpora.values()];
  const bytes = sets.reduce((sum, { facts }) => sum + facts.bytes, 0);
  return { indexShare: statSync(index).size / bytes };
}

/** The place of the run, for the document. */
function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg().map((value) => value.toFixed(1));
  return `Node ${process.version}, ${cpus().length} × ${cpu?.model.trim() ?? "?"}, ${memory} GB of memory, ${process.platform}; load ${load.join(" / ")} at the end`;
}

function writeDocument(results: RunResults, made: string): void {
  const text = readFileSync(DOCUMENT, "utf8");
  const start = text.indexOf("<!-- run -->");
  const end = text.indexOf("<!-- end of run -->");
  if (start === -1 || end === -1) fail(`${DOCUMENT} has lost its marks`);
  writeFileSync(DOCUMENT, `${text.slice(0, start)}<!-- run -->\n\n${made}\n${text.slice(end)}`);
  writeFileSync(PLOT, growthPlot(results));
  log("docs written");
}

function settingsOf(): { settings: RunSettings; json: string | undefined; writeDocs: boolean } {
  const { values } = parseArgs({
    options: {
      sizes: { type: "string", default: "1,10,100" },
      gb: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      runs: { type: "string", default: "3" },
      store: { type: "string", default: "jsonl" },
      data: { type: "string", default: path.join(tmpdir(), "branchline-bench-data") },
      json: { type: "string" },
      "write-docs": { type: "boolean", default: false },
    },
  });
  const sizes = values.sizes.split(",").map(Number);
  if (values.gb) sizes.push(1000);
  if (sizes.some((size) => !(size >= 1))) fail("--sizes wants numbers of MB, at least 1");
  if (BENCH_STORES[values.store] === undefined) {
    fail(`--store knows ${Object.keys(BENCH_STORES).join(", ")}`);
  }
  const only = values.only.split(",").filter((word) => word !== "");
  const runs = Math.max(1, Number(values.runs) || 1);
  const { store, data } = values;
  const sorted = sizes.toSorted((a, b) => a - b);
  const isBuilt = isBuiltNow();
  const settings = { sizes: sorted, only, runs, store, data: path.resolve(data), isBuilt, log };
  return { settings, json: values.json, writeDocs: values["write-docs"] };
}

async function main(): Promise<void> {
  const { settings, json, writeDocs } = settingsOf();
  mkdirSync(settings.data, { recursive: true });
  // Beside the data, so that copies and syncs meet the same file system.
  const scratch = mkdtempSync(path.join(settings.data, "scratch-"));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once("SIGINT", () => {
    remove();
    process.exit(130);
  });
  try {
    const data = await prepareData(settings);
    const since = performance.now();
    const limits = limitsOf(data, scratch);
    const measured = await measureAll(planRun(settings, data), scratch);
    const results: RunResults = { limits, measured, ...indexShareOf(data) };
    const seconds = (performance.now() - since) / 1000;
    const made = markdown(results, { machine: machine(), seconds, settings, data });
    console.log(made);
    if (json !== undefined) writeFileSync(json, JSON.stringify(results, null, 1));
    if (writeDocs) writeDocument(results, made);
    const failed = Object.values(measured).some(({ error }) => error !== undefined);
    process.exitCode = failed ? 1 : 0;
  } finally {
    remove();
  }
}

await main();
