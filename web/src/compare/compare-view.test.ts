import assert from "node:assert/strict";
import { test } from "node:test";
import type { DiffSide } from "branchline/protocol/operation.ts";
import { baseOf, sameAs, sideWord } from "./compare-view.ts";

const side = (text: string, group?: number): DiffSide => ({
  ...{ entry: text, role: "user", text, tokens: 1 },
  ...(group === undefined ? {} : { group }),
});

test("a word about a side: equal to an earlier one, different, only there, in some", () => {
  const words = (sides: readonly (DiffSide | null)[]) =>
    sides.map((_, at) => sideWord(sides, at).kind);
  assert.deepEqual(words([side("a"), side("a"), side("a")]), ["none", "none", "none"]);
  assert.deepEqual(words([side("a"), side("b"), side("a")]), ["changed", "changed", "equal"]);
  assert.deepEqual(words([null, side("b"), null]).slice(1, 2), ["only"]);
  assert.deepEqual(words([null, side("b"), side("b")]).slice(1), ["some", "equal"]);
  assert.deepEqual(sideWord([side("x", 1), side("y", 2), side("y", 2)], 2), {
    kind: "equal",
    column: 1,
  });
});

test("groups of the server count more than the texts, which may be cut", () => {
  assert.equal(sameAs([side("a", 1), side("a", 2)], 1), undefined);
  assert.equal(sameAs([side("a", 1), side("b", 1)], 1), 0);
  assert.equal(sameAs([side("a"), null], 1), undefined);
});

test("the first side that is there is the base", () => {
  assert.equal(baseOf([null, side("b"), side("c")]), 1);
  assert.equal(baseOf([null, null]), -1);
});
