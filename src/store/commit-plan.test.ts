import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Entry, EntryDraft } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import { SessionTree } from "../tree/session-tree.ts";
import { isSameCommit, leafMatches, planCommit } from "./commit-plan.ts";
import { custom, user } from "./testing/drafts.ts";

let made = 0;
const random = { bytes: (count: number) => new Uint8Array(count).fill(++made) };
const now = Date.UTC(2024, 0, 2);

function entry(id: string, parentId: string | null, draft: EntryDraft): Entry {
  return { ...draft, id, parentId, timestamp: "" } as Entry;
}

/** A straight chain; the ids are "0", "1", … */
function chain(drafts: readonly EntryDraft[]): SessionTree {
  const tree = new SessionTree("s");
  for (const [index, draft] of drafts.entries()) {
    tree.add(entry(`${index}`, index === 0 ? null : `${index - 1}`, draft));
  }
  return tree;
}

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const noEffect: readonly EntryDraft[] = [
  { type: "label", targetId: "0" },
  { type: "session_info", name: "n" },
  { type: "usage", kind: "k", usage },
  custom(1),
  { type: "custom", customType: "branchline.leaf", data: { session: "s" } },
];
const withEffect: readonly EntryDraft[] = [
  user("x"),
  { type: "model_change", provider: "p", modelId: "m" },
  { type: "thinking_level_change", thinkingLevel: "high" },
  { type: "active_tools_change", activeToolNames: [] },
  { type: "compaction", summary: "s", firstKeptEntryId: "0", tokensBefore: 1 },
  { type: "branch_summary", fromId: "0", summary: "s" },
  { type: "context_edit", targetId: "0", replacement: null },
  { type: "custom_message", customType: "c", content: "x", display: false },
  { type: "custom", customType: "branchline.uncompact", data: { session: "s", compaction: "0" } },
  { type: "future" },
];

test("a chain of entries without effect above the expected leaf does not count, however long", () => {
  const tree = chain([user("a"), ...noEffect, ...noEffect, ...noEffect]);
  for (let id = 0; id < tree.size; id++)
    assert.ok(leafMatches(tree, tree.leaf(), `${id}`), `${id}`);
  assert.ok(!leafMatches(tree, tree.leaf(), null));
  const long = chain([user("a"), ...Array.from({ length: 100_000 }, () => custom(1))]);
  assert.ok(leafMatches(long, long.leaf(), "0"));
});

test("one entry with an effect anywhere in between is a conflict", () => {
  for (const draft of withEffect) {
    for (const place of [1, 2, 3]) {
      const drafts: EntryDraft[] = [user("a"), custom(1), custom(2), custom(3)];
      drafts.splice(place, 0, draft);
      const tree = chain(drafts);
      assert.ok(!leafMatches(tree, tree.leaf(), "0"), `${draft.type} at ${place}`);
      assert.ok(leafMatches(tree, tree.leaf(), `${place}`));
    }
  }
});

test("null matches where only entries without effect lie above the root", () => {
  assert.ok(leafMatches(chain([]), null, null));
  assert.ok(!leafMatches(chain([]), null, "x"));
  const tree = chain(noEffect);
  assert.ok(leafMatches(tree, tree.leaf(), null));
  assert.ok(!leafMatches(chain([...noEffect, user("x")]), "5", null));
});

test("an expected leaf matches exactly where the path above it holds no entry with an effect", () => {
  const type = fc.nat({ max: noEffect.length + withEffect.length - 1 });
  fc.assert(
    fc.property(fc.array(type, { maxLength: 30 }), fc.nat({ max: 31 }), (types, at) => {
      const drafts = types.map((index) => [...noEffect, ...withEffect][index] as EntryDraft);
      const tree = chain(drafts);
      const index = Math.min(at, drafts.length) - 1;
      const expected = index < 0 ? null : `${index}`;
      const above = types.slice(index + 1);
      const free = above.every((one) => one < noEffect.length);
      assert.equal(leafMatches(tree, tree.leaf(), expected), free);
    }),
    { seed: 20_240_102, numRuns: 2_000 },
  );
});

test("a plan links drafts to the head of the branch and to each other", () => {
  const tree = chain([user("a")]);
  tree.add(
    entry("b", "0", {
      type: "custom",
      customType: "branchline.leaf",
      data: { session: "s", start: true },
    }),
  );
  tree.add(entry("main", "0", user("b")));
  const context = { tree, now, random };
  const onMain = planCommit({ entries: [user("x"), user("y", { id: "y" }), user("z")] }, context);
  assert.deepEqual(
    onMain.map((one) => one.parentId),
    ["main", onMain[0]?.id, "y"],
  );
  assert.equal(onMain[0]?.timestamp, "2024-01-02T00:00:00.000Z");
  assert.match(onMain[0]?.id ?? "", /^[0-9a-f]{20}$/);
  const [onBranch] = planCommit({ entries: [user("x")], branch: "b" }, context);
  assert.equal(onBranch?.parentId, "b");
  assert.equal(tree.size, 3, "planning changes nothing");
});

test("a conflict names branch, expected leaf and head", () => {
  const tree = chain([user("a"), user("b")]);
  assert.throws(
    () => planCommit({ entries: [user("x")], expectedLeaf: "0" }, { tree, now, random }),
    (error) => {
      assert.ok(BranchlineError.is(error, "STORE_CONFLICT"));
      assert.deepEqual(error.fields, { branch: "main", expected: "0", head: "1" });
      return true;
    },
  );
  const empty = { tree: chain([]), now, random };
  assert.throws(() => planCommit({ entries: [user("x")], expectedLeaf: "0" }, empty), {
    code: "STORE_CONFLICT",
  });
  assert.throws(
    () => planCommit({ entries: [user("x")], expectedLeaf: null }, { ...empty, tree }),
    { code: "STORE_CONFLICT" },
  );
  assert.throws(() => planCommit({ entries: [] }, empty), { code: "ENTRY_INVALID" });
  assert.throws(() => planCommit({ entries: [user("x")], branch: "0" }, { ...empty, tree }), {
    code: "BRANCH_UNKNOWN",
  });
});

test("every plan keeps the tree whole: parents before children, no id twice", () => {
  const parent = fc.oneof(fc.constant(undefined), fc.constant(null), fc.nat({ max: 9 }));
  fc.assert(
    fc.property(
      fc.array(fc.array(parent, { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
      (groups) => {
        const tree = chain([user("a")]);
        const context = {
          tree,
          now,
          random: { bytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)) },
        };
        for (const group of groups) {
          const drafts = group.map((at) => {
            if (at === undefined) return user("x");
            return user("x", {
              parentId: at === null ? null : (tree.at(at % tree.size)?.id ?? null),
            });
          });
          const head = tree.head("main");
          const entries = planCommit({ entries: drafts }, context);
          if (group[0] === undefined) assert.equal(entries[0]?.parentId, head);
          for (const one of entries) {
            assert.ok(one.parentId === null || tree.has(one.parentId));
            assert.ok(tree.add(one));
          }
        }
        assert.equal([...tree.entries()].filter(({ gap }) => gap !== null).length, 0);
      },
    ),
    { seed: 20_240_103, numRuns: 300 },
  );
});

test("the same commit: order of members and what was left open do not count, all else does", () => {
  const stored = [
    entry("1", null, custom({ a: 1, b: [{ c: 2, d: 3 }] })),
    entry("2", "1", user("x")),
  ];
  const drafts = [custom({ b: [{ d: 3, c: 2 }], a: 1 }), user("x")];
  assert.ok(isSameCommit(stored, drafts));
  assert.ok(
    isSameCommit(stored, [
      drafts[0] as EntryDraft,
      user("x", { id: "2", parentId: "1", timestamp: "" }),
    ]),
  );
  const others: EntryDraft[] = [
    user("y"),
    user("x", { id: "3" }),
    user("x", { parentId: null }),
    user("x", { timestamp: "t" }),
    { ...user("x"), more: 1 },
  ];
  for (const other of others) assert.ok(!isSameCommit(stored, [drafts[0] as EntryDraft, other]));
  assert.ok(!isSameCommit(stored, drafts.slice(1)));
  assert.ok(!isSameCommit([entry("1", null, custom([1, 2]))], [custom([2, 1])]));
});
