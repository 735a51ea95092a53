import assert from "node:assert/strict";
import type { EntryDraft } from "../../../entry/entry.ts";
import { BranchlineError } from "../../../errors.ts";
import type { StoreSession } from "../../store.ts";
import type { ContractCase } from "../contract.ts";
import { custom, startMarker, user } from "../drafts.ts";
import { add, addMany, addOne, refused } from "../expect.ts";

const group = "expected leaf";

async function conflicts(
  session: StoreSession,
  expectedLeaf: string | null,
  branch = "main",
): Promise<void> {
  const size = session.tree.size;
  const head = session.tree.head(branch);
  const error = await refused("STORE_CONFLICT", () =>
    session.commit({ entries: [user("late")], expectedLeaf, branch }),
  );
  assert.deepEqual(error.fields, { branch, expected: expectedLeaf, head });
  assert.equal(session.tree.size, size);
}

const WITHOUT_EFFECT: readonly (readonly [string, EntryDraft])[] = [
  ["a label", { type: "label", targetId: "x", label: "l" }],
  ["a name", { type: "session_info", name: "n" }],
  [
    "usage",
    { type: "usage", kind: "k", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } },
  ],
  ["a custom entry", custom(1)],
];

const WITH_EFFECT: readonly (readonly [string, EntryDraft])[] = [
  ["a message", user("x")],
  ["a model change", { type: "model_change", provider: "p", modelId: "m" }],
  ["a thinking level", { type: "thinking_level_change", thinkingLevel: "low" }],
  ["a tool change", { type: "active_tools_change", activeToolNames: [] }],
  ["a custom message", { type: "custom_message", customType: "c", content: "x", display: true }],
  ["a compaction", { type: "compaction", summary: "s", firstKeptEntryId: "x", tokensBefore: 1 }],
  ["a context edit", { type: "context_edit", targetId: "x", replacement: null }],
  ["an entry of an unknown type", { type: "future" }],
];

const between: readonly ContractCase[] = [
  ...WITHOUT_EFFECT.map(
    ([what, draft]): ContractCase => ({
      group,
      name: `${what} above the expected leaf has no effect and does not count`,
      async run({ store }) {
        await using session = await store.create({ cwd: "/p" });
        const [, expectedLeaf] = await addMany(session, 2);
        assert.ok(expectedLeaf);
        const head = await addOne(session, draft);
        const [next] = await add(session, user("on"), { expectedLeaf });
        assert.equal(next?.parentId, head);
      },
    }),
  ),
  ...WITH_EFFECT.map(
    ([what, draft]): ContractCase => ({
      group,
      name: `${what} above the expected leaf is a conflict`,
      async run({ store }) {
        await using session = await store.create({ cwd: "/p" });
        const [, expectedLeaf] = await addMany(session, 2);
        assert.ok(expectedLeaf);
        await add(session, [custom(1), draft, custom(2)]);
        await conflicts(session, expectedLeaf);
        assert.equal(session.tree.size, 5);
      },
    }),
  ),
];

/** Conflicts as design.md §2 defines them. */
export const conflictCases: readonly ContractCase[] = [
  {
    group,
    name: "the head matches",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      let expectedLeaf: string | null = null;
      for (let round = 0; round < 5; round++) {
        expectedLeaf = await addOne(session, user("x"), { expectedLeaf });
      }
      assert.equal(session.tree.size, 5);
    },
  },
  {
    group,
    name: "an older entry, an unknown one and the root are conflicts that name the head",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [first] = await addMany(session, 3);
      assert.ok(first);
      await conflicts(session, first);
      await conflicts(session, "unknown");
      await conflicts(session, "__proto__");
      await conflicts(session, null);
    },
  },
  {
    group,
    name: "the root matches before the first entry and below entries without effect only",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await conflicts(session, "something");
      await add(session, custom(1), { expectedLeaf: null });
      await add(session, { type: "session_info", name: "n" }, { expectedLeaf: null });
      await add(session, user("x"), { expectedLeaf: null });
      await conflicts(session, null);
    },
  },
  {
    group,
    name: "the position stands for the leaf under markers of ours",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [a, b] = await addMany(session, 2);
      assert.ok(a !== undefined && b !== undefined);
      const branch = await addOne(session, startMarker(session, a));
      assert.equal(session.tree.position(branch), a);
      await conflicts(session, b, branch);
      const next = await addOne(session, user("on"), { branch, expectedLeaf: a });
      assert.equal(session.tree.get(next)?.parent?.id, branch);
      await conflicts(session, a, branch);
      await add(session, user("main"), { expectedLeaf: b });
    },
  },
  {
    group,
    name: "a leaf of another branch is a conflict",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [a, b] = await addMany(session, 2);
      assert.ok(a !== undefined && b !== undefined);
      const branch = await addOne(session, startMarker(session, a));
      const onBranch = await addOne(session, user("on branch"), { branch });
      await conflicts(session, onBranch, "main");
      await conflicts(session, b, branch);
    },
  },
  {
    group,
    name: "a branch that is not there is unknown, whatever is expected",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [a] = await addMany(session, 2);
      assert.ok(a);
      for (const branch of ["nowhere", "", "__proto__", "constructor", a]) {
        const error = await refused("BRANCH_UNKNOWN", () =>
          session.commit({ entries: [user("x")], branch }),
        );
        assert.equal(error.fields.branch, branch);
      }
      assert.equal(session.tree.size, 2);
    },
  },
  {
    group,
    name: "of 20 commits at the same time with one expected leaf exactly one wins (P6)",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [expectedLeaf] = await addMany(session, 1);
      assert.ok(expectedLeaf);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          session.commit({ entries: [user(`${n}`)], expectedLeaf }),
        ),
      );
      const won = outcomes.filter((outcome) => outcome.status === "fulfilled");
      assert.equal(won.length, 1);
      const head = won[0]?.value.entries[0]?.id;
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        assert.ok(BranchlineError.is(outcome.reason, "STORE_CONFLICT"));
        assert.equal(outcome.reason.fields.head, head);
      }
      assert.equal(session.tree.size, 2);
    },
  },
  {
    group,
    name: "losers who take the head of the conflict all come through in the end",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const write = async (text: string): Promise<void> => {
        let expectedLeaf: string | null = null;
        for (;;) {
          try {
            await session.commit({ entries: [user(text)], expectedLeaf });
            return;
          } catch (error) {
            if (!BranchlineError.is(error, "STORE_CONFLICT")) throw error;
            expectedLeaf = error.fields.head;
          }
        }
      };
      await Promise.all(Array.from({ length: 10 }, (_, n) => write(`${n}`)));
      assert.equal(session.tree.size, 10);
      assert.equal(session.tree.path(session.tree.leaf()).length, 10);
    },
  },
  {
    group,
    name: "a conflict takes a whole group back",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await addMany(session, 2);
      await refused("STORE_CONFLICT", () =>
        session.commit({ entries: [user("1"), user("2"), user("3")], expectedLeaf: null }),
      );
      assert.equal(session.tree.size, 2);
      assert.equal((await session.last(5)).length, 2);
    },
  },
  ...between,
];
