import assert from "node:assert/strict";
import type { EntryDraft } from "../../../entry/entry.ts";
import type { ContractCase } from "../contract.ts";
import { custom, user } from "../drafts.ts";
import { add, addMany, ids, refused, stateOf } from "../expect.ts";

const group = "idempotency key";

/** Idempotency keys. */
export const keyCases: readonly ContractCase[] = [
  {
    group,
    name: "a second commit gives the first one's entries and writes nothing",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const request = { entries: [user("a"), custom({ b: 1, a: [2] })], key: "k" };
      const first = await session.commit(request);
      assert.equal(first.replayed, false);
      await addMany(session, 2);
      const before = await stateOf(session);
      const second = await session.commit(request);
      assert.equal(second.replayed, true);
      assert.equal(JSON.stringify(second.entries), JSON.stringify(first.entries));
      assert.deepEqual(await stateOf(session), before);
    },
  },
  {
    group,
    name: "a replay does not ask for the expected leaf again",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const request = { entries: [user("a")], key: "k", expectedLeaf: null };
      const first = await session.commit(request);
      await addMany(session, 1);
      assert.deepEqual(await session.commit(request), { entries: first.entries, replayed: true });
    },
  },
  {
    group,
    name: "the order of members does not count, their values do",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await add(session, custom({ a: 1, b: { c: 2, d: 3 } }), { key: "k" });
      const again = await session.commit({
        entries: [custom({ b: { d: 3, c: 2 }, a: 1 })],
        key: "k",
      });
      assert.equal(again.replayed, true);
      const others: EntryDraft[] = [
        custom({ a: 1, b: { c: 2, d: 4 } }),
        custom({ a: 1 }),
        custom([]),
        user("x"),
      ];
      for (const other of others) {
        const error = await refused("KEY_REUSED", () =>
          session.commit({ entries: [other], key: "k" }),
        );
        assert.equal(error.fields.key, "k");
      }
      assert.equal(session.tree.size, 1);
    },
  },
  {
    group,
    name: "another number of entries, another id or parent is KEY_REUSED",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await add(session, [user("a", { id: "one" }), user("b")], { key: "k" });
      const reused = (entries: readonly EntryDraft[]): Promise<unknown> =>
        refused("KEY_REUSED", () => session.commit({ entries, key: "k" }));
      await reused([user("a", { id: "one" })]);
      await reused([user("a", { id: "one" }), user("b"), user("c")]);
      await reused([user("a", { id: "two" }), user("b")]);
      await reused([user("a", { id: "one" }), user("b", { parentId: null })]);
      const same = [user("a"), user("b", { parentId: "one" })];
      assert.equal((await session.commit({ entries: same, key: "k" })).replayed, true);
      assert.equal(session.tree.size, 2);
    },
  },
  {
    group,
    name: "the same entries under another key or without one are new",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const entries = [user("a")];
      for (const key of [
        "k",
        "l",
        "K",
        "__proto__",
        "constructor",
        "钥匙",
        "x".repeat(256),
        "\ud800",
      ]) {
        assert.equal((await session.commit({ entries, key })).replayed, false);
        assert.equal((await session.commit({ entries, key })).replayed, true);
      }
      await session.commit({ entries });
      assert.equal(session.tree.size, 9);
    },
  },
  {
    group,
    name: "of 20 commits at the same time with one key one writes and all get its entries",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const results = await Promise.all(
        Array.from({ length: 20 }, () =>
          session.commit({ entries: [user("a"), user("b")], key: "k" }),
        ),
      );
      assert.equal(results.filter(({ replayed }) => !replayed).length, 1);
      for (const { entries } of results) assert.deepEqual(entries, results[0]?.entries);
      assert.equal(session.tree.size, 2);
    },
  },
  {
    group,
    name: "a key whose commit was refused is still free",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await addMany(session, 1);
      await refused("STORE_CONFLICT", () =>
        session.commit({ entries: [user("a")], key: "k", expectedLeaf: null }),
      );
      const { replayed } = await session.commit({ entries: [user("b")], key: "k" });
      assert.equal(replayed, false);
    },
  },
  {
    group,
    name: "another handle knows the key",
    async run({ store }) {
      await using one = await store.create({ id: "k", cwd: "/p" });
      await using two = await store.open("k");
      const first = await add(one, user("a"), { key: "k" });
      const second = await two.commit({ entries: [user("a")], key: "k" });
      assert.equal(second.replayed, true);
      assert.deepEqual(ids(second.entries), ids(first));
      await refused("KEY_REUSED", () => two.commit({ entries: [user("b")], key: "k" }));
    },
  },
  {
    group,
    name: "keys of one session mean nothing in another",
    async run({ store }) {
      await using one = await store.create({ cwd: "/p" });
      await using two = await store.create({ cwd: "/p" });
      await add(one, user("a"), { key: "k" });
      assert.equal((await two.commit({ entries: [user("b")], key: "k" })).replayed, false);
    },
  },
  {
    group,
    name: "1,000 keys are remembered",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const commits = Array.from({ length: 1000 }, (_, n) =>
        session.commit({ entries: [custom(n)], key: `key-${n}` }),
      );
      const results = await Promise.all(commits);
      for (const n of [0, 1, 499, 998, 999]) {
        const again = await session.commit({ entries: [custom(n)], key: `key-${n}` });
        assert.equal(again.replayed, true);
        assert.deepEqual(again.entries, results[n]?.entries);
      }
      assert.equal(session.tree.size, 1000);
    },
  },
  {
    group,
    name: "keys are remembered after a reopen (P5)",
    needs: ["durable"],
    async run({ store, reopen }) {
      const session = await store.create({ id: "k", cwd: "/p" });
      const one = await add(session, user("a"), { key: "one" });
      const group = await add(session, [user("b"), custom([1]), user("c")], { key: "group" });
      await store.close();
      await using again = await (await reopen()).open("k");
      const single = await again.commit({ entries: [user("a")], key: "one" });
      const several = await again.commit({
        entries: [user("b"), custom([1]), user("c")],
        key: "group",
      });
      assert.ok(single.replayed && several.replayed);
      assert.equal(JSON.stringify(single.entries), JSON.stringify(one));
      assert.equal(JSON.stringify(several.entries), JSON.stringify(group));
      await refused("KEY_REUSED", () => again.commit({ entries: [user("d")], key: "one" }));
      assert.equal(again.tree.size, 4);
    },
  },
];
