import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { gapEntry, UNCOMPACT_TYPE } from "../entry/own-state.ts";
import { PathBase } from "./path-base.ts";
import { SessionTree } from "./session-tree.ts";

const at = { timestamp: "t" };
const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cost: { total: 0.1 } };
const answer = { role: "assistant", content: [], provider: "p", model: "m", usage };

/** A line of entries of one session, own state of it among them. */
function line(session: string): Entry[] {
  const compaction = (id: string): object => {
    return { type: "compaction", id, summary: "s", firstKeptEntryId: "a1", tokensBefore: 1, usage };
  };
  const drafts = [
    { type: "message", id: "a1", message: { role: "system", content: "x" } },
    { type: "model_change", id: "a2", provider: "q", modelId: "n" },
    compaction("a3"),
    { type: "session_info", id: "a4", name: "title" },
    { type: "message", id: "b1", message: answer },
    compaction("b2"),
    { type: "custom", id: "b3", customType: UNCOMPACT_TYPE, data: { session, compaction: "b2" } },
    { ...gapEntry({ id: "b4", parentId: null, ...at, session, reason: "cycle", missingId: "?" }) },
    { type: "custom_message", id: "b5", customType: "c", content: "y", display: true },
  ];
  let parentId: string | null = null;
  return drafts.map((draft) => {
    const entry = { ...draft, ...at, parentId } as unknown as Entry;
    parentId = entry.id;
    return entry;
  });
}

/** The tree of the old session also has what is left out. */
function oldTree(): SessionTree {
  const tree = new SessionTree("old");
  const [first, ...rest] = line("old") as [Entry, ...Entry[]];
  tree.add(first);
  const data = { session: "old", start: true };
  tree.add({ type: "custom", id: "m", parentId: "a1", ...at, customType: "branchline.leaf", data });
  for (const entry of rest) tree.add(entry.id === "a2" ? { ...entry, parentId: "m" } : entry);
  return tree;
}

test("a base that is made from the old tree answers as the new session's own tree", () => {
  const expected = new SessionTree("new");
  const base = new PathBase("new", () => expected.name());
  const old = oldTree();
  for (const entry of line("new")) {
    expected.add(entry);
    const isNew = entry.id === "b3" || entry.id === "b4";
    if (isNew) base.addNew(entry);
    else base.addSame(old.get(entry.id) as NonNullable<ReturnType<SessionTree["get"]>>);
  }
  const tree = new SessionTree("new", base);
  const shown = (shownTree: SessionTree): unknown =>
    [...shownTree.entries()].map((entry) => {
      const { id, storedParentId, gap, type, role, customType, targetId, isMove } = entry;
      const { timestamp, ordinal, fold, parent } = entry;
      return [
        ...[id, storedParentId, gap, type, role, customType, targetId, isMove, timestamp, ordinal],
        ...[fold, parent?.id ?? null, shownTree.children(id).map((child) => child.id)],
      ];
    });
  assert.deepEqual(shown(tree), shown(expected));
  for (const asked of [expected, tree]) {
    assert.equal(asked.commonAncestor("b1", "a2")?.id, "a2");
    assert.deepEqual(asked.withPrefix("b", 2), ["b1", "b2"]);
    assert.deepEqual(asked.withPrefix("a", 9), ["a1", "a2", "a3", "a4"]);
  }
  assert.deepEqual(
    tree.children(null).map(({ id }) => id),
    ["a1"],
  );
  assert.deepEqual(base.children("nobody"), []);
  assert.equal(base.commonAncestor("nobody", "nobody"), null);
  assert.deepEqual(tree.branches(), expected.branches());
  assert.equal(tree.name(), "title");
  assert.equal(tree.get("nobody"), undefined);
  tree.add({ type: "custom", id: "z", parentId: "a2", ...at, customType: "c" });
  expected.add({ type: "custom", id: "z", parentId: "a2", ...at, customType: "c" });
  assert.deepEqual(tree.branches(), expected.branches());
});

test("a base of nothing", () => {
  const base = new PathBase("new", () => null);
  const tree = new SessionTree("new", base);
  assert.equal(tree.leaf(), null);
  assert.deepEqual(tree.branches(), new SessionTree("new").branches());
  assert.deepEqual(base.tips(), []);
});
