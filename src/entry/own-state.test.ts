import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "./entry.ts";
import {
  BRANCH_TYPE,
  branchMark,
  isOwnState,
  LEAF_TYPE,
  leafMark,
  UNCOMPACT_TYPE,
  uncompactMark,
} from "./own-state.ts";

function custom(customType: string, data: unknown): Entry {
  return { type: "custom", id: "a", parentId: null, timestamp: "", customType, data } as Entry;
}

test("own state is every custom entry whose type starts with branchline.", () => {
  assert.equal(isOwnState(custom(LEAF_TYPE, {})), true);
  assert.equal(isOwnState(custom("branchline.future", null)), true);
  assert.equal(isOwnState(custom("branchliner", {})), false);
  assert.equal(isOwnState({ ...custom(LEAF_TYPE, {}), type: "custom_message" }), false);
});

test("marks of another session, of another type or without data say nothing (design.md §2)", () => {
  const readers = [
    [LEAF_TYPE, leafMark, {}],
    [BRANCH_TYPE, branchMark, { branch: "b" }],
    [UNCOMPACT_TYPE, uncompactMark, { compaction: "c" }],
  ] as const;
  for (const [type, read, data] of readers) {
    assert.notEqual(read(custom(type, { session: "s", ...data }), "s"), null);
    assert.equal(read(custom(type, { session: "other", ...data }), "s"), null);
    assert.equal(read(custom("branchline.x", { session: "s", ...data }), "s"), null);
    assert.equal(
      read({ ...custom(type, { session: "s", ...data }), type: "x" } as Entry, "s"),
      null,
    );
    for (const none of [null, undefined, "s", 5]) assert.equal(read(custom(type, none), "s"), null);
  }
  assert.equal(branchMark(custom(BRANCH_TYPE, { session: "s" }), "s"), null);
  assert.equal(uncompactMark(custom(UNCOMPACT_TYPE, { session: "s" }), "s"), null);
});

test("members of the right types come through, others do not", () => {
  const operation = { op: "o", undoes: "u" };
  const leaf = { session: "s", start: true, from: null, ...operation };
  assert.deepEqual(leafMark(custom(LEAF_TYPE, leaf), "s"), leaf);
  assert.deepEqual(leafMark(custom(LEAF_TYPE, { ...leaf, from: "f" }), "s"), {
    ...leaf,
    from: "f",
  });
  const oddLeaf = { session: "s", start: 1, from: 2, op: 3, undoes: 4 };
  assert.deepEqual(leafMark(custom(LEAF_TYPE, oddLeaf), "s"), { session: "s" });

  const branch = { session: "s", branch: "b", name: null, archived: false, ...operation };
  assert.deepEqual(branchMark(custom(BRANCH_TYPE, branch), "s"), branch);
  assert.deepEqual(branchMark(custom(BRANCH_TYPE, { ...branch, name: "n" }), "s"), {
    ...branch,
    name: "n",
  });
  const oddBranch = { session: "s", branch: "b", name: 1, archived: "x" };
  assert.deepEqual(branchMark(custom(BRANCH_TYPE, oddBranch), "s"), { session: "s", branch: "b" });

  const mark = { session: "s", compaction: "c", off: true, ...operation };
  assert.deepEqual(uncompactMark(custom(UNCOMPACT_TYPE, mark), "s"), mark);
  const oddMark = { session: "s", compaction: "c", off: "yes" };
  assert.deepEqual(uncompactMark(custom(UNCOMPACT_TYPE, oddMark), "s"), {
    session: "s",
    compaction: "c",
  });
});
