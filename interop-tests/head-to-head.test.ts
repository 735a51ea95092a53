/** A handful of the rows of docs/head-to-head.md; the page itself is written by `npm run head-to-head`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Verdict } from "./head-to-head/row.ts";
import { ROWS } from "./head-to-head/rows.ts";
import { runCase } from "./head-to-head/run-case.ts";
import type { SideName } from "./head-to-head/side.ts";
import { gradesOf, linesOf, tableText } from "./head-to-head/table.ts";

const PAGE = join(import.meta.dirname, "../docs/head-to-head.md");

async function measure(row: number, side: SideName): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [index, each] of ROWS.entries()) {
    if (each.row === row) verdicts.push(await runCase(each, index, { side }));
  }
  return verdicts;
}

test("there is a case for each of the rows 1 to 53", () => {
  const rows = new Set(ROWS.map(({ row }) => row));
  assert.deepEqual(
    [...rows],
    Array.from({ length: 53 }, (_, index) => index + 1),
  );
});

for (const row of [1, 2, 14, 19, 22, 31, 32, 37, 44, 47]) {
  test(`row ${row}: ours does what one would ask for, and Pi is judged by the same code`, async () => {
    for (const { grade, text } of await measure(row, "branchline"))
      assert.equal(grade, "good", text);
    for (const { grade, text } of await measure(row, "pi")) assert.notEqual(grade, "none", text);
  });
}

test("what hangs is ended, and said to hang (row 5)", async () => {
  const index = ROWS.findIndex(({ row }) => row === 5);
  const row = ROWS[index];
  assert.ok(row !== undefined);
  const pi = await runCase(row, index, { side: "pi", seconds: 4 });
  assert.deepEqual(pi, { grade: "bad", text: "hangs in context (killed after 4 s)" });
});

test("a row with several cases counts as its worst", () => {
  const verdict = (grade: Verdict["grade"]): Verdict => ({ grade, text: "a | b" });
  const lines = (["good", "bad", "half"] as const).map((grade, at) => ({
    ...{ row: at === 2 ? 2 : 1, title: "t" },
    ...{ pi: verdict(grade), ours: verdict("good") },
  }));
  assert.deepEqual(gradesOf(lines, "pi"), { good: 0, half: 1, bad: 1, none: 0 });
  assert.deepEqual(gradesOf(lines, "ours"), { good: 2, half: 0, bad: 0, none: 0 });
  assert.match(tableText(lines), /\| 1 \| t \| ✘ a \\\| b \|/);
});

test("a page is read as it was written, so that single rows can be measured again", () => {
  const page = readFileSync(PAGE, "utf8");
  assert.equal(tableText(linesOf(page)), /^\| # \| input[\s\S]*?(?=\n\n)/m.exec(page)?.[0]);
});

test("the page has every row", () => {
  const page = readFileSync(PAGE, "utf8");
  for (let row = 1; row <= 53; row++) assert.match(page, new RegExp(`^\\| ${row} \\|`, "m"));
});
