import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { closingLine } from "../../scripts/run-tests.ts";

const RUNNER = path.join(import.meta.dirname, "../../scripts/run-tests.ts");

/** Runs one test file in a runner of its own: inside a test process `run()` would refuse. */
function runFile(text: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "branchline-run-"));
  try {
    const file = path.join(folder, "sample.test.mjs");
    const head = 'import { test, describe } from "node:test"; import assert from "node:assert";\n';
    writeFileSync(file, head + text);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const done = spawnSync(process.execPath, [RUNNER, file], { encoding: "utf8", env });
    return { status: done.status, lines: done.stdout.trimEnd().split("\n") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("runner counts tests, not suites, and tells why a test was skipped", () => {
  const { status, lines } = runFile(
    `describe("s", () => { test("a", () => {}); test("b", { skip: "no disk" }, () => {}); });
     test("c", { todo: true }, () => {});
     test("d", () => {});`,
  );
  assert.equal(lines.at(-1), "2 passed, 0 failed, 1 skipped");
  assert.match(lines.join("\n"), /SKIPPED b \(.*sample\.test\.mjs\): no disk/);
  assert.equal(status, 0);
});

test("runner shows a failure in full and ends with a failure", () => {
  const { status, lines } = runFile(
    `describe("s", () => { test("bad", () => { console.log("seed 42"); assert.equal(1, 2); }); test("good", () => {}); });`,
  );
  assert.equal(lines.at(-1), "1 passed, 1 failed");
  assert.match(lines.join("\n"), /✖ bad\n.*sample\.test\.mjs:2[\s\S]*1 == 2[\s\S]*seed 42/);
  assert.equal(status, 1);
});

test("runner counts a file that dies, and one that cannot be loaded, as a failure", () => {
  assert.match(
    runFile(`test("a", () => {}); process.exitCode = 3;`).lines.at(-1) ?? "",
    /^1 passed, 1 failed$/,
  );
  assert.match(runFile(`import "./nowhere.mjs";`).lines.at(-1) ?? "", /^0 passed, 1 failed$/);
});

test("runner is not content with no test", () => {
  const { status, lines } = runFile("");
  assert.equal(lines.at(-1), "0 passed, 1 failed");
  assert.equal(status, 1);
});

test("closing line", () => {
  assert.equal(closingLine({ passed: 3, failed: 1, skipped: 0 }), "3 passed, 1 failed");
  assert.equal(closingLine({ passed: 3, failed: 0, skipped: 2 }), "3 passed, 0 failed, 2 skipped");
});
