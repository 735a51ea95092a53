/**
 * `npm run verify`: the promises of docs/promises.md on the figures that are told there. Prints each
 * figure; the last line counts the checks. Options: `--only TEXT` (checks whose name contains it),
 * `--seed N`, `--scale N` (times the figures), `--json FILE`, `--write-docs` (the table of docs/promises.md).
 */
import { writeFileSync } from "node:fs";
import { inspect, parseArgs, styleText } from "node:util";
import { BIG_CHECKS } from "./verify/big-files.ts";
import { type CheckTools, type Figures, isSkipped, type VerifyCheck } from "./verify/check.ts";
import { type FigureRow, writeFigures } from "./verify/figures-table.ts";
import { HARNESS_CHECKS } from "./verify/harness-kills.ts";
import { KILL_CHECKS } from "./verify/kills.ts";
import { POWER_CHECKS } from "./verify/power-cuts.ts";
import { FAULT_CHECKS } from "./verify/real-faults.ts";
import { SIMULATED } from "./verify/simulated.ts";
import { WRITER_CHECKS } from "./verify/writers.ts";

const CHECKS: readonly VerifyCheck[] = [
  ...SIMULATED,
  ...KILL_CHECKS,
  ...HARNESS_CHECKS,
  ...WRITER_CHECKS,
  ...POWER_CHECKS,
  ...FAULT_CHECKS,
  ...BIG_CHECKS,
];

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    scale: { type: "string", default: "1" },
    json: { type: "string" },
    "write-docs": { type: "boolean", default: false },
  },
});

const counts = { passed: 0, failed: 0, skipped: 0 };
const record: Record<string, unknown> = {};
const rows: FigureRow[] = [];

/** Shown in place on a terminal, nowhere else. */
function showProgress(name: string, done: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const share = total > 0 ? ` of ${total.toLocaleString("en-US")}` : "";
  process.stderr.write(`\r\u001b[2K… ${name}: ${done.toLocaleString("en-US")}${share}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[2K");
}

function figuresText(figures: Figures): string {
  const shown = (value: number | string): string =>
    typeof value === "number" ? value.toLocaleString("en-US") : value;
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(" · ");
}

async function runCheck(check: VerifyCheck): Promise<void> {
  const since = performance.now();
  const tools: CheckTools = {
    seed: Number(values.seed),
    scale: Number(values.scale),
    progress: (done, total) => showProgress(check.name, done, total),
  };
  const outcome = await check.run(tools).catch((error: unknown) => ({ error }));
  clearProgress();
  const seconds = ((performance.now() - since) / 1000).toFixed(1).padStart(6);
  const line = (mark: string, text: string): void =>
    console.log(`${mark}  ${check.name.padEnd(20)} ${seconds} s  ${text}`);
  if ("error" in outcome) {
    counts.failed++;
    line(styleText("red", "FAIL"), check.about);
    console.log(inspect(outcome.error));
  } else if (isSkipped(outcome)) {
    counts.skipped++;
    line(styleText("yellow", "skip"), `skipped: ${outcome.skipped}`);
  } else {
    counts.passed++;
    line("ok  ", figuresText(outcome));
  }
  const shown =
    "error" in outcome
      ? "FAILED"
      : isSkipped(outcome)
        ? `skipped: ${outcome.skipped}`
        : figuresText(outcome);
  rows.push({ name: check.name, about: check.about, seconds: Number(seconds), figures: shown });
  record[check.name] = "error" in outcome ? { failed: String(outcome.error) } : outcome;
}

console.log(
  `seed ${values.seed}, scale ${values.scale}, Node ${process.versions.node}, ${process.platform}`,
);
for (const check of CHECKS) if (check.name.includes(values.only)) await runCheck(check);
if (values["write-docs"]) writeFigures(rows);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed > 0 ? 1 : 0;
