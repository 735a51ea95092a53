import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { type CoverageReport, readCoverage } from "../../scripts/coverage.ts";

const SAMPLE = `/** Sample. */
export interface Options { readonly big: boolean }
export function h(a: boolean, b: boolean): string {
  let out = "";
  if (a) {
    if (b) return "early";
    out += "first";
  }
  out += b ? "yes" : "no";
  return out;
}
`;

/** Runs each snippet in a process of its own against `src/entry/m.ts`, then measures. */
function measure(source: string, snippets: readonly string[]): CoverageReport {
  const root = mkdtempSync(path.join(tmpdir(), "branchline-measured-"));
  const directory = path.join(root, "raw");
  try {
    mkdirSync(path.join(root, "src/entry"), { recursive: true });
    mkdirSync(directory);
    writeFileSync(path.join(root, "package.json"), '{ "type": "module" }');
    writeFileSync(path.join(root, "src/entry/m.ts"), source);
    for (const [index, snippet] of snippets.entries()) {
      const file = path.join(root, `run-${index}.ts`);
      writeFileSync(file, `import * as m from "./src/entry/m.ts";\n${snippet}\n`);
      const env = { ...process.env, NODE_V8_COVERAGE: directory };
      assert.equal(spawnSync(process.execPath, [file], { env }).status, 0);
    }
    return readCoverage(root, directory, ["src/entry"]);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const places = (report: CoverageReport): string[] =>
  report.misses.map((m) => `${m.line} ${m.excerpt}`);

test("coverage: a line that no process ran is found, where Node's own merge calls it covered", () => {
  const report = measure(SAMPLE, ["m.h(true, true);", "m.h(false, false);"]);
  assert.deepEqual(places(report), ['7 out += "first";', '9 ? "yes" : "no";']);
  assert.equal(report.coveredLines, report.lines - 2);
});

test("coverage: what several processes ran together is covered", () => {
  const report = measure(SAMPLE, [
    "m.h(true, true);",
    "m.h(false, false);",
    "m.h(true, false);",
    "m.h(false, true);",
  ]);
  assert.deepEqual(places(report), []);
  assert.equal(report.coveredLines, report.lines);
});

test("coverage: an arm inside a covered line is a miss", () => {
  const source = 'export const pick = (a?: string): string => a ?? "none";\n';
  assert.deepEqual(places(measure(source, ['m.pick("x");'])), ['1 ?? "none";']);
});

test("coverage: a brace behind a return is not a miss", () => {
  const source = "export function f(): number {\n  for (;;) {\n    return 1;\n  }\n}\n";
  assert.deepEqual(places(measure(source, ["m.f();"])), []);
});

test("coverage: a function that nobody called and a file that nobody loaded are misses", () => {
  assert.deepEqual(places(measure("export function f(): void {}\n", [])), [
    "1 export function f(): void {}",
  ]);
  assert.equal(
    measure("export function f(): number {\n  return 1;\n}\n", ["void m;"]).misses.length,
    1,
  );
});

test("coverage: what a killed process left half written is counted and passed over", () => {
  const tear =
    'import { writeFileSync } from "node:fs";\nwriteFileSync(process.env.NODE_V8_COVERAGE + "/torn.json", "{");\nm.f();';
  const report = measure("export function f(): void {}\n", [tear]);
  assert.deepEqual([report.torn, report.misses.length], [1, 0]);
});

test("coverage: a file of types needs no test", () => {
  const report = measure("/** T. */\nexport type T = string;\n", []);
  assert.deepEqual([report.lines, report.misses.length], [0, 0]);
});

test("coverage: a line is left out only with a reason, and is listed", () => {
  const body = "  if (on) process.abort();\n}\n";
  const head = "export function f(on: boolean): void {\n";
  const withReason = measure(
    `${head}  /* node:coverage ignore next: ends the process */\n${body}`,
    ["m.f(false);"],
  );
  assert.deepEqual(places(withReason), []);
  assert.deepEqual(withReason.ignored, ["src/entry/m.ts:3 ends the process"]);
  const without = measure(`${head}  /* node:coverage ignore next */\n${body}`, ["m.f(false);"]);
  assert.equal(without.misses.length, 1);
});
