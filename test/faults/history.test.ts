import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHistory } from "./history.ts";
import type { AckRow } from "./watched-writer.ts";

const log = [
  { id: "a", parentId: null },
  { id: "b", parentId: "a" },
  { id: "c", parentId: "b" },
];
type Rows = Parameters<typeof checkHistory>[0];

/** One acknowledged entry, under the one before it in the log, from `began` to `ended`. */
function row(id: string, [began, ended]: readonly [number, number], parent?: string): AckRow {
  const under = { a: null, b: "a", c: "b" }[id] ?? null;
  return { id, parent: parent ?? under, began, ended };
}

test("a history that fits the log passes", () => {
  const writers = [[row("a", [0, 1]), row("c", [3, 5])], [row("b", [0, 4])]];
  assert.deepEqual(checkHistory(writers, log), { acknowledged: 3, unknown: 0, longestMs: 4 });
});

const bad: Readonly<Record<string, readonly [Rows, typeof log]>> = {
  "a lost entry": [[[row("z", [0, 1])]], log],
  "a lost update": [[], [...log, { id: "d", parentId: "b" }]],
  "an order that is not kept": [[[row("b", [0, 1]), row("a", [2, 3])]], log],
  "real time that is not kept": [[[row("b", [0, 1])], [row("a", [2, 3])]], log],
  "another parent than was told": [[[row("b", [0, 1], "c")]], log],
};

for (const [name, [writers, written]] of Object.entries(bad)) {
  test(`the checker sees ${name}`, () => {
    assert.throws(() => checkHistory(writers, written), { name: "AssertionError" });
  });
}
