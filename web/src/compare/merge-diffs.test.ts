import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiffRow, DiffSide, DiffView } from "branchline/protocol/operation.ts";
import { mergeDiffs } from "./merge-diffs.ts";

const side = (entry: string, text = entry): DiffSide => ({ entry, role: "user", text, tokens: 1 });
const totals = (leaf: string) => ({
  ...{ leaf, turns: 1, entries: 1, tokens: 1, cost: null, stopReason: null },
  ...{ files: [], labels: [], durationMs: null },
});
const diff = (leaf: string, shared: number, rows: readonly DiffRow[]): DiffView => ({
  ...{ mode: "turns", meeting: `m${shared}`, shared, rows, cacheBreak: 0 },
  ...{ a: totals("a"), b: totals(leaf) },
});
const entries = (rows: readonly { readonly sides: readonly (DiffSide | null)[] }[]) =>
  rows.map(({ sides }) => sides.map((one) => one?.entry ?? "-").join(" "));

test("three columns: aligned to the first, the rest beside each other, the trunk of two filled in", () => {
  const early = diff("b", 1, [
    { kind: "changed", left: side("a1"), right: side("b1") },
    { kind: "left", left: side("a2"), right: null },
    { kind: "right", left: null, right: side("b2") },
  ]);
  const late = diff("c", 2, [
    { kind: "right", left: null, right: side("c1") },
    { kind: "same", left: side("a2", "x"), right: side("c2", "x") },
    { kind: "right", left: null, right: side("c3") },
  ]);
  const view = mergeDiffs([early, late]);
  assert.deepEqual(entries(view.rows), ["a1 b1 a1", "- - c1", "a2 - c2", "- b2 c3"]);
  assert.deepEqual(
    view.rows.map(({ kind }) => kind),
    ["changed", "part", "part", "part"],
  );
  assert.deepEqual([view.shared, view.meeting], [1, "m1"]);
  assert.deepEqual(
    view.columns.map(({ leaf, cacheBreak }) => `${leaf} ${cacheBreak}`),
    ["a -1", "b 0", "c 1"],
  );
});

test("two columns are the diff itself", () => {
  const rows: readonly DiffRow[] = [
    { kind: "same", left: side("a1", "x"), right: side("b1", "x") },
    { kind: "right", left: null, right: side("b2") },
  ];
  const view = mergeDiffs([diff("b", 1, rows)]);
  assert.deepEqual(entries(view.rows), ["a1 b1", "- b2"]);
  assert.equal(view.rows[0]?.kind, "same");
});

test("where a diff was cut, what is not laid out is not said to be the same", () => {
  const long = diff("b", 1, [{ kind: "left", left: side("a1"), right: null }]);
  const cut = { ...diff("c", 3, []), truncated: true } as const;
  const view = mergeDiffs([long, cut]);
  assert.deepEqual([entries(view.rows), view.truncated], [["a1 - -"], true]);
});
