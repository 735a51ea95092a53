import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { prepareCommit, prepareEntries } from "./commit-request.ts";
import { user } from "./testing/drafts.ts";
import { assertFrozen } from "./testing/expect.ts";

const invalid = { code: "ENTRY_INVALID" };

test("a prepared commit is apart from what the caller holds", () => {
  const draft = { type: "custom", customType: "c", data: { a: 1 } };
  const entries = [draft];
  const prepared = prepareCommit({ entries, branch: "b", key: "k", expectedLeaf: null });
  draft.data.a = 2;
  entries.pop();
  const expected = { type: "custom", customType: "c", data: { a: 1 } };
  assert.deepEqual(prepared, { entries: [expected], branch: "b", key: "k", expectedLeaf: null });
  assertFrozen(prepared);
});

test("a commit needs entries that are objects, and a key of 1 to 256 characters", () => {
  for (const key of ["", "k".repeat(257), 7, null]) {
    assert.throws(() => prepareCommit({ entries: [user("x")], key: key as string }), invalid);
  }
  prepareCommit({ entries: [user("x")], key: "k".repeat(256) });
  for (const entries of [[], undefined, "x", [1], [null], [[]], ["x"]]) {
    assert.throws(() => prepareCommit({ entries: entries as never }), invalid);
  }
});

test("first entries need all members of an entry, each id once; parents are free", () => {
  const good = { type: "x", id: "1", parentId: "gone", timestamp: "" };
  assert.deepEqual(prepareEntries([good, { ...good, id: "2", parentId: null }]).length, 2);
  for (const wrong of [
    { ...good, type: "session" },
    { ...good, id: 7 },
    { ...good, parentId: undefined },
    { ...good, timestamp: 7 },
    { ...good, type: "message" },
    [],
  ]) {
    assert.throws(() => prepareEntries([wrong as unknown as Entry]), invalid);
  }
  assert.throws(() => prepareEntries([good, good]), invalid);
});
