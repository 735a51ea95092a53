import assert from "node:assert/strict";
import { test } from "node:test";
import { heatCells } from "./heat-cells.ts";

test("half a year of days that ends today, weeks begin on Monday", () => {
  const use = (key: string, input: number) => ({ key, input, output: 0, cacheRead: 0 });
  const rows = [use("2026-11-30", 5), use("2026-11-29", 400), use("2020-01-01", 9)];
  const cells = heatCells(rows, new Date("2026-11-30T23:59:00Z"));
  assert.deepEqual(cells.at(-1), { day: "2026-11-30", week: 25, weekday: 0, tokens: 5, level: 1 });
  assert.equal(cells.at(-2)?.level, 4);
  assert.equal(cells.at(-2)?.weekday, 6);
  assert.equal(cells[0]?.weekday, 0);
  assert.equal(cells.length, 25 * 7 + 1);
  assert.equal(cells.filter(({ level }) => level > 0).length, 2);
});
