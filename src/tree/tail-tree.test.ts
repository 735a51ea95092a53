import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { LEAF_TYPE, UNCOMPACT_TYPE } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { activeCompaction, isUncompacted } from "./fold.ts";
import { SessionTree } from "./session-tree.ts";
import { type SettingsAbove, TailTree } from "./tail-tree.ts";

const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cost: { total: 0.5 } };
const answer = { role: "assistant", content: [], provider: "p", model: "m", usage };
const own = (customType: string, data: object): object => {
  return { type: "custom", customType, data: { session: "s", ...data } };
};

/** A path, root first. */
const PATH: readonly Entry[] = [
  { type: "active_tools_change", activeToolNames: ["read"] },
  { type: "message", message: { role: "system", content: "x" } },
  { type: "message", message: { role: "user", content: "a" } },
  { type: "compaction", summary: "s", firstKeptEntryId: "e2", tokensBefore: 1 },
  own(LEAF_TYPE, { start: true }),
  { type: "thinking_level_change", thinkingLevel: "high" },
  { type: "message", message: { role: "system", content: "y" } },
  { type: "message", message: { role: "user", content: "b" } },
  { type: "compaction", summary: "s", firstKeptEntryId: "e7", tokensBefore: 1 },
  { type: "message", message: answer },
  own(UNCOMPACT_TYPE, { compaction: "e3" }),
].map((members, at) => {
  const parentId = at === 0 ? null : `e${at - 1}`;
  return { id: `e${at}`, parentId, timestamp: "t", ...members } as unknown as Entry;
});

/** A tail of the last entries, from index `from` on. */
function tailFrom(from: number, above: SettingsAbove | null): TailTree {
  return new TailTree({ session: "s", entries: PATH.slice(from).reverse(), above });
}

function wholeTree(): SessionTree {
  const tree = new SessionTree("s");
  for (const entry of PATH) tree.add(entry);
  return tree;
}

function throwsUnverified(ask: () => unknown): void {
  assert.throws(ask, (error) => BranchlineError.is(error, "SESSION_UNVERIFIED"));
}

const NOTHING: SettingsAbove = { found: {}, unproven: [] };

describe("TailTree", () => {
  it("answers as the whole tree where all of the path is there", () => {
    const [tail, tree] = [tailFrom(0, null), wholeTree()];
    assert.equal(tail.leaf(), tree.leaf());
    for (const { id } of PATH) {
      const { fold, parent, ...at } = tail.get(id);
      const {
        fold: expected,
        parent: above,
        ...rest
      } = tree.get(id) as typeof at & {
        readonly fold: typeof fold;
        readonly parent: typeof parent;
      };
      assert.deepEqual(fold, expected);
      assert.equal(parent?.id, above?.id);
      for (const [name, value] of Object.entries(at))
        assert.deepEqual(value, (rest as Record<string, unknown>)[name], name);
      assert.equal(tail.branchOf(id), tree.branchOf(id));
      assert.deepEqual(tail.unproven(id), []);
    }
    assert.deepEqual(
      tail.path("e10").map(({ id }) => id),
      PATH.map(({ id }) => id),
    );
    assert.deepEqual(tail.rawPath("e3").length, 4);
    assert.equal(tail.position("e10"), "e9");
    assert.equal(tail.head("e4"), "e10");
    throwsUnverified(() => tail.head("main"));
  });

  it("answers from its part of the path what follows from it", () => {
    const [tail, tree] = [tailFrom(4, NOTHING), wholeTree()];
    const [fold, expected] = [tail.get("e10").fold, tree.get("e10")?.fold];
    assert.deepEqual(fold.model, { provider: "p", modelId: "m" });
    assert.deepEqual([fold.thinkingLevel, fold.branch, fold.system], ["high", "e4", "e6"]);
    assert.equal(activeCompaction(fold)?.id, expected && activeCompaction(expected)?.id);
    assert.equal(isUncompacted(fold, "e3"), true);
    assert.deepEqual([tail.has("e4"), tail.relinks, tail.position("e10")], [true, 0, "e9"]);
    assert.deepEqual([tail.branchOf("e10"), tail.branchOf(null)], ["e4", "main"]);
    assert.equal(tail.head("e4"), "e10");
    assert.equal(tail.commonAncestor("e5", "e9")?.id, "e5");
    assert.equal(tail.commonAncestor("e9", "e5")?.id, "e5");
    assert.equal(tail.commonAncestor(null, "e5"), null);
    assert.equal(tail.commonAncestor("e5", null), null);
    assert.equal(tail.get("e5").parent?.id, "e4");
    assert.deepEqual([...tail.ancestors(null)], []);
    assert.deepEqual(tail.unproven(null), []);
  });

  it("refuses what does not follow from it (M19: never a wrong answer)", () => {
    const tail = tailFrom(5, NOTHING);
    const fold = tail.get("e5").fold;
    const asks: Readonly<Record<string, () => unknown>> = {
      size: () => tail.size,
      add: () => tail.add(),
      addNew: () => tail.addNew(),
      addLost: () => tail.addLost(),
      rollback: () => tail.rollback(),
      "an unknown entry": () => tail.get("e4"),
      has: () => tail.has("nobody"),
      at: () => tail.at(),
      entries: () => tail.entries(),
      customOrdinals: () => tail.customOrdinals(),
      children: () => tail.children(),
      "the path above": () => tail.path("e10"),
      "the ancestors of another": () => [...tail.ancestors("e1")],
      "the parent above": () => tail.get("e5").parent,
      withPrefix: () => tail.withPrefix(),
      branches: () => tail.branches(),
      branch: () => tail.branch(),
      "the branch": () => tail.branchOf("e10"),
      labels: () => tail.labels(),
      name: () => tail.name(),
      "the head of another branch": () => tailFrom(4, NOTHING).head("main"),
      depth: () => fold.depth,
      messages: () => fold.messages,
      usage: () => fold.usage,
      system: () => fold.system,
      model: () => fold.model,
      tools: () => fold.activeTools,
      "older compactions": () => activeCompaction(fold),
      "what they keep": () => fold.compactions?.firstKeptEntryId,
      "compactions above them": () => fold.compactions?.previous,
    };
    for (const ask of Object.values(asks)) throwsUnverified(ask);
  });

  it("tells settings that were found above it, and which are only likely", () => {
    const found = { activeTools: ["read"], model: null };
    const tail = tailFrom(5, { found, unproven: ["model"] });
    assert.deepEqual(tail.get("e5").fold.activeTools, ["read"]);
    assert.equal(tail.get("e5").fold.model, null);
    assert.deepEqual(tail.unproven("e5"), ["model"]);
    assert.deepEqual(tail.get("e9").fold.model, { provider: "p", modelId: "m" });
    assert.deepEqual(tail.unproven("e9"), []);
  });

  it("of a whole tree every setting is proven", () => {
    assert.deepEqual(wholeTree().unproven("e5"), []);
    assert.equal(wholeTree().relinks, 0);
  });
});
