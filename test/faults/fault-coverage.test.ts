import assert from "node:assert/strict";
import { test } from "node:test";
import { allTitles, coverage, titlesIn } from "../../scripts/fault-coverage.ts";
import { KNOWN_FAULTS } from "./fault-ids.ts";

test("every fault that an engine can have is named by a test", () => {
  const missing = [...coverage(allTitles())].filter(([, titles]) => titles.length === 0);
  assert.deepEqual(
    missing.map(([{ id, right }]) => `${id}: ${right}`),
    [],
  );
});

test("faults stand once and in order", () => {
  const ids = KNOWN_FAULTS.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const areas = Map.groupBy(KNOWN_FAULTS, ({ area }) => area);
  for (const faults of areas.values()) {
    assert.deepEqual(
      faults.map(({ id }) => id),
      faults.map(({ id }) => id).toSorted(),
    );
  }
});

test("titles are read from tests, suites and shared cases, and from nothing else", () => {
  const text = [
    'test("one F001", () => {});',
    "it(`two F002`, run);",
    'describe(\n  "three F003",',
    '{ name: "four F004", run }',
    '// "five F005"',
    'const six = "F006";',
  ].join("\n");
  const titles = titlesIn(text);
  assert.deepEqual(titles, ["one F001", "two F002", "three F003", "four F004"]);
  const [first, second] = KNOWN_FAULTS;
  assert.ok(first !== undefined && second !== undefined);
  const found = coverage(["a F001", "b F0011", "c (F001)"], [first, second]);
  assert.deepEqual([...found.values()], [["a F001", "c (F001)"], []]);
});
