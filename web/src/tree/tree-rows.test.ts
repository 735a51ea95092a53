import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeColumns } from "branchline/protocol/tree.ts";
import { filterMarks, searchMarks } from "./tree-filter.ts";
import { type TreeRow, type TreeRowOptions, treeRows } from "./tree-rows.ts";
import {
  firstWordsOf,
  growShape,
  newestBelow,
  pathPlaces,
  shapeOf,
  type TreeShape,
} from "./tree-shape.ts";

function columns(parents: readonly number[], more: Partial<TreeColumns> = {}): TreeColumns {
  return {
    revision: "r1",
    size: parents.length,
    from: 0,
    parents: parents.map((parent, at) => (parent < 0 ? 0 : at - parent)),
    kinds: parents.map((_, at) => (at % 2 === 0 ? "u" : "a")).join(""),
    tokens: parents.map(() => 10),
    leaf: parents.length - 1,
    position: parents.length - 1,
    knots: [],
    labels: [],
    branches: [],
    ...more,
  };
}

function rowsOf(shape: TreeShape, more: Partial<TreeRowOptions> = {}): TreeRow[] {
  return treeRows(shape, {
    marks: filterMarks(shape, "forks"),
    collapsed: new Set(),
    opened: new Set(),
    kept: new Set(),
    minRun: 3,
    ...more,
  });
}

const drawn = (rows: readonly TreeRow[]): string[] =>
  rows.map(
    (row) => `${"| ".repeat(row.lane)}${row.place}${row.kind === "run" ? `-${row.last}` : ""}`,
  );

test("a straight session folds into its ends and one run with turns and tokens", () => {
  const rows = rowsOf(shapeOf(columns(Array.from({ length: 20 }, (_, at) => at - 1))));
  assert.deepEqual(drawn(rows), ["0", "1-15", "16", "17", "18", "19"]);
  assert.equal(rows[1]?.turns, 7);
  assert.equal(rows[1]?.tokens, 150);
  assert.ok(rows.every((row) => row.lane === 0 && row.active));
});

test("at a fork the left branch stands first, one lane to the right; the active path stays in lane 0", () => {
  // 0-1-2-3 left; 1-4-5 active.
  const shape = shapeOf(columns([-1, 0, 1, 2, 1, 4]));
  const rows = rowsOf(shape, { minRun: Number.POSITIVE_INFINITY });
  assert.deepEqual(drawn(rows), ["0", "1", "| 2", "| 3", "4", "5"]);
  assert.deepEqual(
    rows.map((row) => row.active),
    [true, true, false, false, true, true],
  );
  assert.deepEqual(
    rows.map((row) => row.starts),
    [false, false, true, false, false, false],
  );
  assert.equal(rows[2]?.trunkActive, true);
  assert.deepEqual(
    rows.map((row) => [row.level, row.posInSet, row.setSize]),
    [
      [1, 1, 4],
      [1, 2, 4],
      [2, 1, 2],
      [2, 2, 2],
      [1, 3, 4],
      [1, 4, 4],
    ],
  );
});

test("moving the leaf to the other branch swaps the lanes", () => {
  const shape = shapeOf(columns([-1, 0, 1, 2, 1, 4], { leaf: 3, position: 3 }));
  const rows = rowsOf(shape, { minRun: Number.POSITIVE_INFINITY });
  assert.deepEqual(drawn(rows), ["0", "1", "| 4", "| 5", "2", "3"]);
});

test("a leaf inside the tree: what follows it stays in the lane but is not active", () => {
  const shape = shapeOf(columns([-1, 0, 1, 2], { leaf: 1, position: 1 }));
  const rows = rowsOf(shape);
  assert.deepEqual(
    rows.map((row) => row.active),
    [true, true, false, false],
  );
  assert.equal(rows[1]?.activeBelow, false);
});

test("a fork that is folded away says how many branches it hides; runs open and keep entries", () => {
  const parents = [-1, 0, 1, 2, 1, 1, 5];
  const shape = shapeOf(columns(parents));
  const folded = rowsOf(shape, { collapsed: new Set([1]) });
  assert.deepEqual(drawn(folded), ["0", "1", "5", "6"]);
  assert.equal(folded[1]?.sides, 2);
  assert.equal(folded[1]?.collapsed, true);
  const long = shapeOf(columns(Array.from({ length: 12 }, (_, at) => at - 1)));
  assert.equal(rowsOf(long, { opened: new Set([1]) }).length, 12);
  assert.deepEqual(drawn(rowsOf(long, { kept: new Set([4]) })).slice(0, 4), [
    "0",
    "1-3",
    "4",
    "5-7",
  ]);
});

test("hidden ancestors re-attach their children to the nearest visible entry", () => {
  // 1 is a tool result; the children of 1 hang under 0.
  const shape = shapeOf(columns([-1, 0, 1, 1], { kinds: "utau" }));
  const rows = rowsOf(shape, { marks: filterMarks(shape, "no-tools") });
  assert.deepEqual(drawn(rows), ["0", "| 2", "3"]);
});

test("a search shows matches and the forks where the ways to them part", () => {
  const shape = shapeOf(columns([-1, 0, 1, 2, 1, 4]));
  const marks = searchMarks(shape, [3, 5]);
  assert.deepEqual([...marks], [0, 2, 0, 1, 0, 1]);
  const rows = rowsOf(shape, { marks, minRun: Number.POSITIVE_INFINITY });
  assert.deepEqual(drawn(rows), ["1", "| 3", "5"]);
  assert.equal(rows[0]?.context, true);
});

test("labels, compactions and several roots are never folded", () => {
  const parents = [-1, 0, 1, 2, 3, 4, 5, -1, 7, 8, 9, 10, 11];
  const shape = shapeOf(columns(parents, { kinds: "uacauauuauaua", labels: [[4, "here"]] }));
  assert.deepEqual(drawn(rowsOf(shape)), [
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "10",
    "11",
    "12",
  ]);
  assert.equal(rowsOf(shape).filter((row) => row.root).length, 2);
});

test("columns asked with from grow the shape; paths and the newest entry below are found", () => {
  const shape = shapeOf(columns([-1, 0, 1]));
  const grown = growShape(shape, {
    ...columns([]),
    size: 5,
    from: 3,
    parents: [1, 3],
    kinds: "aa",
    tokens: [1, 2],
    leaf: 3,
    knots: [[4, "x"]],
  });
  assert.equal(grown.kinds, "uauaa");
  assert.deepEqual([...grown.parent], [-1, 0, 1, 2, 1]);
  assert.deepEqual(pathPlaces(grown, 4), [0, 1, 4]);
  assert.equal(newestBelow(grown, 0), 4);
  assert.equal(newestBelow(grown, 2), 3);
  assert.equal(grown.places.get("x"), 4);
});

test("a branch is named by its first words, not by the markers before them", () => {
  const shape = shapeOf(columns([-1, 0, 0, 2, 3], { kinds: "uavua" }));
  assert.equal(firstWordsOf(shape, { start: 2, head: 4 }), 3);
  assert.equal(firstWordsOf(shape, { start: 2, head: 2 }), -1);
});

test("100,000 entries with 5,000 forks are laid out in less than 100 ms", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  const parents = Array.from({ length: 100_000 }, (_, at) =>
    at === 0 ? -1 : at % 20 === 0 ? random(at) : at - 1,
  );
  const shape = shapeOf(columns(parents));
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    // Of this process only: the machine may be busy with others.
    const since = process.cpuUsage();
    const rows = rowsOf(shape);
    const { user, system } = process.cpuUsage(since);
    best = Math.min(best, (user + system) / 1000);
    assert.ok(rows.length > 5000);
  }
  console.log(`seed 7: ${best.toFixed(1)} ms`);
  assert.ok(best < 100, `${best} ms`);
});
