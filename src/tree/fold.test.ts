import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entry, marker, SESSION, treeOf, uncompact } from "../../test/builders/draft-tree.ts";
import type { Entry } from "../entry/entry.ts";
import {
  activeCompaction,
  addUsage,
  EMPTY_FOLD,
  type Fold,
  foldEntry,
  isUncompacted,
} from "./fold.ts";

const USAGE = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } };
const TOTALS = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 };

/** The fold of a chain of entries of these members; ids are e0, e1… */
function foldOf(...members: readonly Readonly<Record<string, unknown>>[]): Fold {
  const chain = members.map((each, index) =>
    entry(`e${index}`, index === 0 ? null : `e${index - 1}`, each),
  );
  return treeOf(chain).get(`e${members.length - 1}`)?.fold as Fold;
}

const message = (members: object): Readonly<Record<string, unknown>> => ({ message: members });
const compaction = (members: object = {}): Readonly<Record<string, unknown>> => ({
  type: "compaction",
  summary: "so far",
  firstKeptEntryId: "e0",
  ...members,
});

describe("fold", () => {
  it("counts entries and messages of the path", () => {
    const fold = foldOf(message({ role: "user" }), { type: "label", targetId: "e0" }, {});
    assert.equal(fold.depth, 3);
    assert.equal(fold.messages, 2);
    assert.equal(fold.branch, "main");
  });

  it("takes the model from model changes and from answers, the latest wins", () => {
    const change = { type: "model_change", provider: "p", modelId: "m" };
    const answer = message({ role: "assistant", content: [], provider: "q", model: "n" });
    assert.deepEqual(foldOf(change).model, { provider: "p", modelId: "m" });
    assert.deepEqual(foldOf(change, answer).model, { provider: "q", modelId: "n" });
    assert.deepEqual(foldOf(answer, change).model, { provider: "p", modelId: "m" });
    const user = message({ role: "user", provider: "x", model: "y" });
    const half = message({ role: "assistant", provider: "x" });
    const noProvider = message({ role: "assistant", model: "y" });
    assert.deepEqual(
      foldOf(change, user, half, noProvider).model,
      change && { provider: "p", modelId: "m" },
    );
  });

  it("carries thinking level and active tools", () => {
    const fold = foldOf(
      { type: "thinking_level_change", thinkingLevel: "high" },
      { type: "active_tools_change", activeToolNames: ["read"] },
      {},
    );
    assert.equal(fold.thinkingLevel, "high");
    assert.deepEqual(fold.activeTools, ["read"]);
    assert.equal(EMPTY_FOLD.thinkingLevel, "off");
    assert.equal(EMPTY_FOLD.activeTools, null);
  });

  it("names the newest entry with the system prompt", () => {
    const system = message({ role: "system", content: "be brief" });
    assert.equal(foldOf(system, {}).system, "e0");
    assert.equal(foldOf(system, compaction()).system, "e0");
    const checkpoint = compaction({ systemMessage: { role: "system", content: "be brief" } });
    assert.equal(foldOf(system, checkpoint).system, "e1");
    assert.equal(foldOf(system, compaction({ systemMessage: null })).system, "e0");
  });

  it("sums tokens and cost of messages, usage entries, compactions and branch summaries", () => {
    const fold = foldOf(
      message({ role: "assistant", usage: USAGE }),
      message({ role: "toolResult", usage: USAGE }),
      { type: "usage", kind: "title", usage: USAGE },
      compaction({ usage: USAGE }),
      { type: "branch_summary", fromId: "root", summary: "", usage: USAGE },
      { type: "note", usage: USAGE },
    );
    assert.deepEqual(fold.usage, {
      input: 5,
      output: 10,
      cacheRead: 15,
      cacheWrite: 20,
      cost: 2.5,
    });
  });

  it("counts what is no number as 0 (type confusion)", () => {
    const zero = EMPTY_FOLD.usage;
    assert.equal(addUsage(zero, "5"), zero);
    assert.equal(addUsage(zero, null), zero);
    assert.equal(addUsage(zero, [1]), zero);
    const odd = {
      input: "1",
      output: Number.NaN,
      cacheRead: Number.POSITIVE_INFINITY,
      cacheWrite: -4,
      cost: 3,
    };
    assert.deepEqual(addUsage(zero, odd), { ...zero, cacheWrite: -4 });
    assert.deepEqual(addUsage(zero, { ...USAGE, cost: { total: "1" } }), { ...TOTALS, cost: 0 });
  });

  it("ignores entries of a known type with a wrong shape (P7)", () => {
    const wrong: readonly Readonly<Record<string, unknown>>[] = [
      { type: "message", message: null },
      { type: "message", message: { role: 5 } },
      { type: "model_change", provider: 1, modelId: "m" },
      { type: "thinking_level_change", thinkingLevel: null },
      { type: "active_tools_change", activeToolNames: ["a", 1] },
      { type: "compaction", summary: 5, usage: USAGE },
      { type: "custom", customType: 5 },
      { type: "usage", usage: "much" },
      { type: "note", model: "m" },
    ];
    for (const [index, members] of wrong.entries()) {
      const shape = JSON.stringify(members);
      assert.deepEqual(foldOf(members), { ...EMPTY_FOLD, depth: 1 }, shape);
      const raw = entry(`w${index}`, null, members);
      assert.deepEqual(foldEntry(EMPTY_FOLD, raw, SESSION), { ...EMPTY_FOLD, depth: 1 }, shape);
    }
  });

  it("is the same for a whole entry and for the part that the tree keeps", () => {
    const rows: readonly Entry[] = [
      entry("a", null, message({ role: "system", content: "long", usage: USAGE })),
      entry("a", null, compaction({ usage: USAGE, systemMessage: { role: "system" } })),
      entry("a", null, { type: "branch_summary", fromId: "x", summary: "s", usage: USAGE }),
      entry("a", null, { type: "custom_message", customType: "c", content: "x" }),
      entry("a", null, { type: "context_edit", targetId: "x", replacement: null }),
      entry("a", null, {
        type: "custom",
        customType: "branchline.queue",
        data: { session: SESSION },
      }),
      marker("a", null, { start: true }),
      uncompact("a", null, { compaction: "x" }),
    ];
    for (const row of rows) {
      assert.deepEqual(treeOf([row]).get("a")?.fold, foldEntry(EMPTY_FOLD, row, SESSION), row.type);
    }
  });
});

describe("branch", () => {
  it("is that of the nearest starting marker of this session", () => {
    const tree = treeOf([
      entry("a", null),
      marker("s", "a", { start: true }),
      entry("b", "s"),
      marker("c", "b"),
      marker("t", "c", { start: true }),
      marker("u", "a", { start: true, session: "another" }),
      marker("v", "a", { start: "yes" }),
    ]);
    const branches = ["a", "s", "b", "c", "t", "u", "v"].map((id) => tree.branchOf(id));
    assert.deepEqual(branches, ["main", "s", "s", "s", "t", "main", "main"]);
    assert.equal(tree.branchOf(null), "main");
    assert.equal(tree.branchOf("nobody"), "main");
  });
});

describe("compactions and uncompact marks", () => {
  const chain = (...entries: readonly ((parent: string) => Entry)[]): Fold => {
    const made = [entry("root", null)];
    for (const make of entries) made.push(make((made.at(-1) as Entry).id));
    return treeOf(made).get((made.at(-1) as Entry).id)?.fold as Fold;
  };
  const compact = (id: string) => (parent: string) => entry(id, parent, compaction());
  const mark =
    (id: string, target: unknown, data: object = {}) =>
    (parent: string) =>
      uncompact(id, parent, { compaction: target, ...data });

  it("finds the newest compaction", () => {
    assert.equal(activeCompaction(EMPTY_FOLD), null);
    assert.equal(activeCompaction(chain(compact("k"), compact("l")))?.id, "l");
  });

  it("keeps a first kept id that is no text out", () => {
    const made = [entry("a", null), entry("k", "a", compaction({ firstKeptEntryId: 7 }))];
    assert.equal(activeCompaction(treeOf(made).get("k")?.fold as Fold)?.firstKeptEntryId, null);
  });

  it("goes back to the one before where the newest is uncompacted", () => {
    const fold = chain(compact("k"), compact("l"), mark("m", "l"));
    assert.equal(activeCompaction(fold)?.id, "k");
    assert.equal(isUncompacted(fold, "l"), true);
    assert.equal(isUncompacted(fold, "k"), false);
    assert.equal(activeCompaction(chain(compact("k"), mark("m", "k"))), null);
  });

  it("lets the newest mark win: off, on, off", () => {
    const steps = [compact("k"), mark("m", "k"), mark("n", "k", { off: true })];
    assert.equal(activeCompaction(chain(...steps))?.id, "k");
    assert.equal(activeCompaction(chain(...steps, mark("o", "k"))), null);
  });

  it("ignores marks of another session, of a wrong shape, and on another branch", () => {
    const foreign = mark("m", "k", { session: "another" });
    assert.equal(activeCompaction(chain(compact("k"), foreign, mark("n", 5)))?.id, "k");
    const tree = treeOf([
      entry("a", null),
      entry("k", "a", compaction()),
      uncompact("m", "k", { compaction: "k" }),
      entry("b", "k"),
    ]);
    assert.equal(activeCompaction(tree.get("b")?.fold as Fold)?.id, "k");
  });

  it("answers for 20,000 compactions that are all uncompacted in linear time", {
    timeout: 5000,
  }, () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [
      compact(`k${i}`),
      mark(`m${i}`, `k${i}`),
    ]);
    assert.equal(activeCompaction(chain(...many.flat())), null);
  });
});
