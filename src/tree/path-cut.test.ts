import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entry, treeOf, uncompact } from "../../test/builders/draft-tree.ts";
import { pathCut } from "./path-cut.ts";

const compaction = (id: string, parent: string, kept: string | null): ReturnType<typeof entry> =>
  entry(id, parent, { type: "compaction", summary: "", firstKeptEntryId: kept });

describe("where a context begins", () => {
  it("is the root without a compaction, of nothing, and of what is unknown", () => {
    const tree = treeOf([entry("a", null)]);
    for (const leaf of ["a", null, "unknown"]) {
      assert.deepEqual(pathCut(tree, leaf), { compaction: null, from: 0 });
    }
  });

  it("is what the newest of two compactions keeps", () => {
    const tree = treeOf([
      entry("a", null),
      entry("b", "a"),
      compaction("c", "b", "b"),
      entry("d", "c"),
      compaction("e", "d", "e"),
      entry("f", "e"),
    ]);
    assert.deepEqual(pathCut(tree, "d"), { compaction: { id: "c", depth: 3 }, from: 2 });
    assert.deepEqual(pathCut(tree, "f"), { compaction: { id: "e", depth: 5 }, from: 5 });
  });

  it("M8 is the boundary of an older one where what the newest keeps is not on the path", () => {
    for (const kept of ["x", "gone", null]) {
      const tree = treeOf([
        entry("a", null),
        entry("x", "a"),
        entry("b", "a"),
        compaction("c", "b", "b"),
        compaction("d", "c", kept),
      ]);
      assert.deepEqual(pathCut(tree, "d"), { compaction: { id: "d", depth: 4 }, from: 2 });
      // Of the first one alone nothing is dropped.
      const alone = treeOf([entry("a", null), entry("x", "a"), compaction("c", "a", kept)]);
      assert.deepEqual(pathCut(alone, "c"), { compaction: { id: "c", depth: 2 }, from: 0 });
    }
  });

  it("M8 an older boundary does not count where its compaction was undone", () => {
    const tree = treeOf([
      entry("a", null),
      entry("b", "a"),
      compaction("c", "b", "b"),
      uncompact("u", "c", { compaction: "c", off: false }),
      compaction("d", "u", "gone"),
    ]);
    assert.deepEqual(pathCut(tree, "u"), { compaction: null, from: 0 });
    assert.deepEqual(pathCut(tree, "d"), { compaction: { id: "d", depth: 5 }, from: 0 });
  });
});
