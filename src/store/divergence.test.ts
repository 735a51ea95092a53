import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { SessionTree } from "../tree/session-tree.ts";
import { divergences, isDiverged } from "./divergence.ts";

interface Row {
  readonly id: string;
  readonly parentId: string | null;
  readonly more?: object;
}

const start = {
  type: "custom",
  customType: "branchline.leaf",
  data: { session: "s", start: true },
};

/** What the whole tree says, which is what the events said one by one. */
function diverged(rows: readonly Row[]): boolean {
  const tree = new SessionTree("s");
  const told = rows.flatMap(({ more = { type: "custom", customType: "x" }, ...ids }) => {
    const entry = { timestamp: "", ...more, ...ids } as Entry;
    tree.add(entry);
    return divergences(tree, [entry]);
  });
  assert.equal(isDiverged(tree), told.length > 0);
  return told.length > 0;
}

test("a straight line, a marked branch and an old move are no divergence", () => {
  assert.equal(diverged([]), false);
  const line = [
    { id: "a", parentId: null },
    { id: "b", parentId: "a" },
  ];
  assert.equal(diverged(line), false);
  const marked = [...line, { id: "m", parentId: "a", more: start }, { id: "c", parentId: "m" }];
  assert.equal(diverged(marked), false);
  const moved = { id: "l", parentId: "a", more: { type: "leaf", targetId: "a" } };
  assert.equal(diverged([...line, moved]), false);
});

test("an entry beside an older one of the same branch is one, at a root too, wherever its branch began", () => {
  const line = [
    { id: "a", parentId: null },
    { id: "b", parentId: "a" },
  ];
  assert.equal(diverged([...line, { id: "c", parentId: "a" }]), true);
  assert.equal(diverged([...line, { id: "c", parentId: null }]), true);
  const marked = [...line, { id: "m", parentId: "a", more: start }, { id: "c", parentId: "m" }];
  assert.equal(diverged([...marked, { id: "d", parentId: "b" }]), false);
  assert.equal(diverged([...marked, { id: "d", parentId: "m" }]), true);
});
