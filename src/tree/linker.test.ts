import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draw, drawn, entry, pathOf, treeOf } from "../../test/builders/draft-tree.ts";
import type { Entry } from "../entry/entry.ts";
import type { SessionTree } from "./session-tree.ts";

const ids = (tree: SessionTree, id: string | null): string =>
  tree
    .children(id)
    .map((at) => at.id)
    .join(" ");

function chain(length: number): Entry[] {
  return Array.from({ length }, (_, index) =>
    entry(`e${index}`, index === 0 ? null : `e${index - 1}`, { type: "note" }),
  );
}

describe("missing parents (F040, F042, M2, row 6)", () => {
  it("bridges to the last entry before the first child", () => {
    const tree = draw("a b<a d<c e<d");
    assert.equal(pathOf(tree, "e"), "a/b/~d/e");
    assert.deepEqual(tree.get("d")?.gap, { reason: "missing-parent", missingId: "c" });
  });

  it("gives all children of one missing parent the same bridge", () => {
    const tree = draw("a b<a d<c e<d f<c");
    assert.equal(pathOf(tree, "f"), "a/b/~f");
    assert.equal(ids(tree, "b"), "d f");
  });

  it("bridges two missing parents each before its own first child", () => {
    const tree = draw("a c<b d<c f<e");
    assert.equal(pathOf(tree, "f"), "a/~c/d/~f");
  });

  it("makes a root of a first entry whose parent is missing, with a gap above", () => {
    const tree = draw("b<a c<b");
    assert.equal(pathOf(tree, "c"), "~b/c");
    assert.equal(ids(tree, null), "b");
  });

  it("bridges exactly where the lost line told its parent", () => {
    const tree = draw("a b<a c<a e<d");
    tree.addLost({ id: "d", parentId: "b" });
    assert.equal(pathOf(tree, "e"), "a/b/~e");
  });

  it("follows several lost lines up to a readable entry or the root", () => {
    const tree = draw("a b<a c<a f<e y<x");
    tree.addLost({ id: "e", parentId: "d" });
    tree.addLost({ id: "d", parentId: "b" });
    tree.addLost({ id: "x", parentId: null });
    assert.equal(pathOf(tree, "f"), "a/b/~f");
    assert.equal(pathOf(tree, "y"), "~y");
  });

  it("takes the nearest entry where lost lines tell a circle, nothing, or end nowhere", () => {
    const tree = draw("a b<a d<x e<p f<u");
    tree.addLost({ id: "x", parentId: "y" });
    tree.addLost({ id: "y", parentId: "x" });
    tree.addLost({ id: "p", parentId: "q" });
    tree.addLost({ id: "u", parentId: undefined });
    tree.addLost({ id: null, parentId: "a" });
    assert.equal(pathOf(tree, "d"), "a/b/~d");
    assert.equal(pathOf(tree, "e"), "a/b/~d/~e");
    assert.equal(pathOf(tree, "f"), "a/b/~d/~e/~f");
  });

  it("believes the first of two lost lines with one id", () => {
    const tree = draw("a b<a c<b e<d");
    tree.addLost({ id: "d", parentId: "a" });
    tree.addLost({ id: "d", parentId: "c" });
    assert.equal(pathOf(tree, "e"), "a/~e");
  });

  it("cuts a circle that runs through a lost line", () => {
    const tree = draw("a c<lost d<c");
    tree.addLost({ id: "lost", parentId: "d" });
    assert.equal(pathOf(tree, "d"), "a/~c/d");
    assert.equal(tree.get("c")?.gap?.reason, "cycle");
  });

  it("does not let entries share a bridge over what cannot be an id", () => {
    const none = "?".repeat(300);
    const tree = treeOf([entry("a", null), entry("b", none), entry("c", ""), entry("d", none)]);
    assert.equal(pathOf(tree, "d"), "a/~b/~c/~d");
  });
});

describe("circles (M3, row 5)", () => {
  it("cuts an entry that is its own parent", () => {
    const tree = draw("a b<b c<b");
    assert.equal(pathOf(tree, "c"), "a/~b/c");
    assert.deepEqual(tree.get("b")?.gap, { reason: "cycle", missingId: "b" });
  });

  it("cuts two entries that are each other's parent at the earlier one", () => {
    const tree = draw("a b<c c<b");
    assert.equal(pathOf(tree, "c"), "a/~b/c");
    assert.equal(tree.get("c")?.gap, null);
  });

  it("keeps a file that is nothing but a circle reachable", () => {
    const tree = draw("a<c b<a c<b");
    assert.equal(pathOf(tree, "c"), "~a/b/c");
  });

  it("cuts at the earliest entry also when the circle is entered elsewhere", () => {
    const tree = draw("r s<c b<c c<b");
    assert.equal(pathOf(tree, "s"), "r/~b/c/s");
  });

  it("cuts a circle of 1,000 entries once, in either direction", () => {
    const forward = Array.from({ length: 1000 }, (_, i) => entry(`e${i}`, `e${(i + 999) % 1000}`));
    const tree = treeOf([entry("root", null), ...forward]);
    assert.equal(tree.path("e999").length, 1001);
    const backward = Array.from({ length: 1000 }, (_, i) => entry(`e${i}`, `e${(i + 1) % 1000}`));
    const other = treeOf([entry("root", null), ...backward]);
    assert.equal(pathOf(other, "e1").split("/").length, 1001);
    for (const each of [tree, other]) {
      assert.deepEqual(
        [...each.entries()].filter((at) => at.gap !== null).map((at) => at.id),
        ["e0"],
      );
    }
  });
});

describe("order in the file", () => {
  it("refuses a second entry with the same id (M4, row 4)", () => {
    const tree = draw("a b<a c<b");
    assert.equal(tree.add(entry("b", "c")), false);
    assert.equal(tree.size, 3);
    assert.equal(pathOf(tree, "c"), "a/b/c");
  });

  it("links a child that stands before its parent (M12)", () => {
    const tree = draw("a c<b b<a d<b");
    assert.equal(pathOf(tree, "c"), "a/b/c");
    assert.equal(ids(tree, "b"), "c d");
    assert.equal(tree.get("c")?.gap, null);
  });

  it("lists children in file order also where a later one was linked first", () => {
    const tree = draw("g x<p q<g p<g");
    assert.equal(ids(tree, "g"), "q p");
    assert.equal(ids(tree, "nobody"), "");
    assert.equal(ids(tree, "x"), "");
  });

  it("takes a parent that came after a question", () => {
    const tree = draw("a c<b");
    assert.equal(pathOf(tree, "c"), "a/~c");
    tree.add(entry("b", null));
    assert.equal(pathOf(tree, "c"), "b/c");
    assert.equal(tree.get("c")?.gap, null);
    assert.equal(tree.get("c")?.fold.depth, 2);
  });

  it("takes a lost line, and a parent told by one, that came after a question", () => {
    const tree = draw("a b<a d<lost");
    assert.equal(pathOf(tree, "d"), "a/b/~d");
    tree.addLost({ id: "lost", parentId: "late" });
    assert.equal(pathOf(tree, "d"), "a/b/~d");
    tree.add(entry("late", "a"));
    assert.equal(pathOf(tree, "d"), "a/late/~d");
  });

  it("takes entries away again, asked about or not (P5)", () => {
    const tree = draw("a b<a");
    tree.add(entry("c", "b"));
    tree.rollback(1);
    assert.equal(tree.leaf(), "b");
    for (const next of drawn("c<b d<c")) tree.add(next);
    assert.equal(tree.leaf(), "d");
    tree.rollback(2);
    assert.equal(tree.leaf(), "b");
    assert.equal(tree.size, 2);
    assert.equal(ids(tree, "b"), "");
    assert.equal(tree.has("c"), false);
    tree.add(entry("c", "a"));
    assert.equal(pathOf(tree, "c"), "a/c");
  });
});

describe("any size", () => {
  it("walks a chain of 1,000,000 entries without recursion (row 30)", () => {
    const tree = treeOf(chain(1_000_000));
    assert.equal(tree.get("e999999")?.fold.depth, 1_000_000);
    assert.equal(tree.path("e999999").length, 1_000_000);
    assert.equal(tree.commonAncestor("e999999", "e500000")?.id, "e500000");
    assert.equal(tree.branches().length, 1);
  });

  it("links a reversed chain of 100,000 entries in linear time (M12)", { timeout: 5000 }, () => {
    const tree = treeOf(chain(100_000).reverse());
    assert.equal(tree.path("e99999").length, 100_000);
  });

  it("holds 100,000 children of one entry", { timeout: 5000 }, () => {
    const children = Array.from({ length: 100_000 }, (_, i) => entry(`c${i}`, "a"));
    const tree = treeOf([entry("a", null), ...children]);
    assert.equal(tree.children("a").length, 100_000);
    assert.equal(tree.branches().length, 100_000);
  });

  it("sorts 50,000 siblings that were linked backwards in no quadratic time", {
    timeout: 5000,
  }, () => {
    const size = 50_000;
    const early = Array.from({ length: size }, (_, i) => entry(`c${i}`, `p${size - 1 - i}`));
    const late = Array.from({ length: size }, (_, i) => entry(`p${i}`, "root"));
    const tree = treeOf([entry("root", null), ...early, ...late]);
    assert.deepEqual(
      tree.children("root").map((at) => at.id),
      late.map((each) => each.id),
    );
  });

  it("cuts a circle of 200,000 entries, and bridges 100,000 gaps", { timeout: 10_000 }, () => {
    const size = 200_000;
    const circle = Array.from({ length: size }, (_, i) => entry(`e${i}`, `e${(i + 1) % size}`));
    assert.equal(treeOf(circle).path("e1").length, size);
    const gaps = Array.from({ length: 100_000 }, (_, i) => entry(`g${i}`, `lost${i}`));
    assert.equal(treeOf(gaps).path("g99999").length, 100_000);
  });
});
