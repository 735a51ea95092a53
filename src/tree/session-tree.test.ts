import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draw, entry, marker, pathOf, SESSION, treeOf } from "../../test/builders/draft-tree.ts";
import { isOwn, SessionTree } from "./session-tree.ts";
import type { TreeEntry } from "./tree-entry.ts";

describe("an empty tree", () => {
  it("has no leaf, no roots and no paths", () => {
    const tree = new SessionTree(SESSION);
    assert.equal(tree.session, SESSION);
    assert.equal(tree.size, 0);
    assert.equal(tree.leaf(), null);
    assert.deepEqual(tree.children(null), []);
    assert.deepEqual(tree.path(null), []);
    assert.equal(tree.position(null), null);
    assert.equal(tree.name(), null);
    assert.equal(tree.at(0), undefined);
    assert.deepEqual([...tree.entries()], []);
  });
});

describe("what the tree knows of an entry", () => {
  it("is its place, never its payload", () => {
    const long = "x".repeat(1000);
    const tree = treeOf([
      entry("a", null, { message: { role: "user", content: long } }),
      entry("b", "a", { type: "custom_message", customType: "note", content: long }),
      entry("c", "b", { type: "custom", customType: "state", data: long }),
      entry("d", "c", { type: "context_edit", targetId: "a", replacement: { content: long } }),
      entry("e", "d", { type: "label", targetId: "a", label: "start" }),
      entry("f", "e", { type: "unheard-of", data: long }),
      entry("g", "f", { type: "compaction", summary: long, details: long }),
    ]);
    const seen = [...tree.entries()].map((at) => [at.type, at.role, at.customType, at.targetId]);
    assert.deepEqual(seen, [
      ["message", "user", null, null],
      ["custom_message", null, "note", null],
      ["custom", null, "state", null],
      ["context_edit", null, null, "a"],
      ["label", null, null, "a"],
      ["unheard-of", null, null, null],
      ["compaction", null, null, null],
    ]);
    const held = JSON.stringify([...tree.entries()].map((at) => ({ ...at, parent: null })));
    assert.equal(held.includes(long), false);
    assert.equal(tree.at(3)?.id, "d");
    assert.equal(tree.get("d")?.ordinal, 3);
    assert.equal(tree.get("nobody"), undefined);
    assert.equal(tree.has("d"), true);
    assert.equal(tree.has("nobody"), false);
  });

  it("keeps ids that are names of object members apart (row 16)", () => {
    const tree = draw("__proto__ constructor<__proto__ toString<constructor");
    assert.equal(pathOf(tree, "toString"), "__proto__/constructor/toString");
    assert.equal(tree.get("hasOwnProperty"), undefined);
  });
});

describe("paths", () => {
  it("as Pi sees them end below a gap (M2)", () => {
    const tree = draw("a c<b d<c");
    const raw = tree.rawPath("d").map((at) => at.id);
    assert.deepEqual(raw, ["c", "d"]);
    assert.equal(pathOf(tree, "d"), "a/~c/d");
    assert.deepEqual(
      draw("a b<a")
        .rawPath("b")
        .map((at) => at.id),
      ["a", "b"],
    );
    assert.deepEqual(tree.rawPath(null), []);
    assert.deepEqual(tree.path("nobody"), []);
  });

  it("share a deepest common ancestor, or none", () => {
    const tree = draw("a b<a c<b d<b e<d r");
    const common = (a: string | null, b: string | null) => tree.commonAncestor(a, b)?.id ?? null;
    assert.equal(common("c", "e"), "b");
    assert.equal(common("e", "c"), "b");
    assert.equal(common("e", "b"), "b");
    assert.equal(common("b", "b"), "b");
    assert.equal(common("e", "r"), null);
    assert.equal(common("e", null), null);
    assert.equal(common(null, null), null);
    assert.equal(common("nobody", "a"), null);
    assert.equal(common("nobody", "no one"), null);
  });
});

describe("position", () => {
  it("is the nearest entry that is not our own state", () => {
    const tree = treeOf([
      marker("m0", null),
      entry("a", "m0"),
      marker("m1", "a"),
      marker("m2", "m1", { session: "another" }),
      entry("x", "a", { type: "custom", customType: "branchlines" }),
    ]);
    assert.equal(tree.position("m2"), "a");
    assert.equal(tree.position("a"), "a");
    assert.equal(tree.position("x"), "x");
    assert.equal(tree.position("m0"), null);
    assert.equal(tree.position("nobody"), null);
    assert.equal(isOwn(tree.get("m2") as TreeEntry), true);
    assert.equal(isOwn(tree.get("a") as TreeEntry), false);
  });

  it("takes a custom entry of a wrong shape as a foreign one", () => {
    const tree = treeOf([entry("a", null), entry("b", "a", { type: "custom", customType: 5 })]);
    assert.equal(tree.position("b"), "b");
  });
});

describe("labels and the session's name", () => {
  const label = (id: string, targetId: unknown, text?: unknown) =>
    entry(id, "a", { type: "label", targetId, ...(text === undefined ? {} : { label: text }) });
  const info = (id: string, name?: unknown) =>
    entry(id, "a", { type: "session_info", ...(name === undefined ? {} : { name }) });

  it("are session-wide, the latest row in file order wins", () => {
    const tree = treeOf([
      entry("a", null),
      label("l1", "a", "one"),
      entry("b", null),
      label("l2", "a", "two"),
      label("l3", "gone", "kept"),
    ]);
    assert.deepEqual(
      [...tree.labels()].map(([target, { label, entryId }]) => [target, label, entryId]),
      [
        ["a", "two", "l2"],
        ["gone", "kept", "l3"],
      ],
    );
    for (const cleared of [undefined, "", null, 5]) {
      tree.add(label(`c${cleared}`, "a", cleared));
      assert.equal(tree.labels().has("a"), false);
      tree.add(label(`s${cleared}`, "a", "again"));
      assert.equal(tree.labels().get("a")?.label, "again");
    }
  });

  it("follow what is taken away again", () => {
    const tree = treeOf([entry("a", null), label("l1", "a", "one"), info("i1", "first")]);
    assert.equal(tree.name(), "first");
    tree.add(label("l2", "a", "two"));
    tree.add(info("i2", "second"));
    assert.equal(tree.labels().get("a")?.label, "two");
    tree.rollback(2);
    assert.equal(tree.labels().get("a")?.label, "one");
    assert.equal(tree.name(), "first");
  });

  it("trims names, clears with an empty one and ignores wrong shapes", () => {
    const tree = treeOf([entry("a", null), info("i1", "  plan  ")]);
    assert.equal(tree.name(), "plan");
    tree.add(info("i2", 5));
    tree.add(label("l1", 5, "x"));
    assert.equal(tree.name(), "plan");
    assert.equal(tree.labels().size, 0);
    tree.add(info("i3", "  "));
    assert.equal(tree.name(), null);
    tree.add(info("i4", "again"));
    tree.add(info("i5"));
    assert.equal(tree.name(), null);
  });
});

describe("an entry whose id is known to be free", () => {
  it("stands in the tree as any other", () => {
    const tree = treeOf([entry("a", null)]);
    tree.addNew(entry("b", "a"));
    assert.equal(pathOf(tree, "b"), "a/b");
    assert.equal(tree.add(entry("b", null)), false);
    assert.equal(tree.leaf(), "b");
  });
});
