import assert from "node:assert/strict";
import type { SessionStore } from "../../store.ts";
import type { ContractCase } from "../contract.ts";
import { user } from "../drafts.ts";
import { add, addMany, collect, ids, refused } from "../expect.ts";

const group = "trash";
const needs = ["trash"] as const;

/** Makes a session with entries and closes it. */
async function made(store: SessionStore, id: string, count: number): Promise<string[]> {
  await using session = await store.create({ id, cwd: "/p" });
  return await addMany(session, count);
}

async function trashed(store: SessionStore): Promise<string[]> {
  return (await store.listTrash()).map(({ id }) => id);
}

/** Trash, restore and purge. */
export const trashCases: readonly ContractCase[] = [
  {
    group,
    needs,
    name: "a session in the trash is out of sight",
    async run({ store }) {
      await made(store, "t", 2);
      await made(store, "stays", 1);
      await store.trash("t");
      await refused("SESSION_UNKNOWN", () => store.open("t"));
      await refused("SESSION_UNKNOWN", () => store.trash("t"));
      assert.deepEqual(
        (await collect(store.list())).map(({ id }) => id),
        ["stays"],
      );
      const [row] = await store.listTrash();
      assert.equal(row?.id, "t");
      assert.ok(!Number.isNaN(Date.parse(row?.trashed ?? "")));
    },
  },
  {
    group,
    needs,
    name: "a restored session is as it was",
    async run({ store }) {
      const added = await made(store, "t", 3);
      const [before] = await collect(store.list());
      await store.trash("t");
      await store.restore("t");
      assert.deepEqual(await trashed(store), []);
      assert.deepEqual(await collect(store.list()), [before]);
      await using session = await store.open("t");
      assert.deepEqual(ids(await collect(session.scan())), added);
      await addMany(session, 1);
    },
  },
  {
    group,
    needs,
    name: "what is not there cannot be trashed, restored or purged",
    async run({ store }) {
      await made(store, "t", 1);
      await refused("SESSION_UNKNOWN", () => store.trash("nowhere"));
      await refused("SESSION_UNKNOWN", () => store.restore("nowhere"));
      await refused("SESSION_UNKNOWN", () => store.restore("t"));
      await refused("SESSION_UNKNOWN", () => store.purge("nowhere"));
      assert.deepEqual(await store.listTrash(), []);
      assert.equal((await collect(store.list())).length, 1);
    },
  },
  {
    group,
    needs,
    name: "an id in the trash is free; restoring over a new session is refused",
    async run({ store }) {
      const old = await made(store, "t", 3);
      await store.trash("t");
      const fresh = await made(store, "t", 1);
      await refused("SESSION_EXISTS", () => store.restore("t"));
      await using session = await store.open("t");
      assert.deepEqual(ids(await collect(session.scan())), fresh);
      await session.close();
      await store.trash("t");
      assert.equal((await store.listTrash()).length, 2);
      await store.restore("t");
      await using newest = await store.open("t");
      assert.deepEqual(ids(await collect(newest.scan())), fresh);
      assert.notDeepEqual(fresh, old);
    },
  },
  {
    group,
    needs,
    name: "the trash lists the newest first",
    async run({ store }) {
      for (const id of ["a", "b", "c"]) await made(store, id, 1);
      for (const id of ["b", "a", "c"]) await store.trash(id);
      const rows = await store.listTrash();
      assert.deepEqual(rows.map(({ id }) => id).sort(), ["a", "b", "c"]);
      const times = rows.map((row) => row.trashed);
      assert.deepEqual(times, times.toSorted().toReversed());
    },
  },
  {
    group,
    needs,
    name: "purge removes a session from sight and from the trash",
    async run({ store }) {
      await made(store, "live", 1);
      await made(store, "trashed", 1);
      await store.trash("trashed");
      await store.purge("live");
      await store.purge("trashed");
      for (const id of ["live", "trashed"]) {
        await refused("SESSION_UNKNOWN", () => store.open(id));
        await refused("SESSION_UNKNOWN", () => store.restore(id));
        await refused("SESSION_UNKNOWN", () => store.purge(id));
      }
      assert.deepEqual(await store.listTrash(), []);
      assert.deepEqual(await collect(store.list()), []);
      await using again = await store.create({ id: "live", cwd: "/p" });
      assert.equal(again.tree.size, 0);
      assert.equal((await again.commit({ entries: [user("x")], key: "k" })).replayed, false);
    },
  },
  {
    group,
    needs,
    name: "purge removes the session's values and no others; trash removes none",
    async run({ store }) {
      await made(store, "a", 1);
      await made(store, "b", 1);
      for (const session of ["a", "b"]) await store.values.set({ session }, "k", session);
      await store.values.set({ resource: "a" }, "k", "resource");
      await store.trash("a");
      assert.equal(await store.values.get({ session: "a" }, "k"), "a");
      await store.purge("a");
      assert.equal(await store.values.get({ session: "a" }, "k"), undefined);
      assert.deepEqual(await store.values.keys({ session: "a" }), []);
      assert.equal(await store.values.get({ session: "b" }, "k"), "b");
      assert.equal(await store.values.get({ resource: "a" }, "k"), "resource");
    },
  },
  {
    group,
    needs,
    name: "a handle whose session was trashed or purged cannot write any more",
    async run({ store }) {
      for (const remove of ["trash", "purge"] as const) {
        const session = await store.create({ id: remove, cwd: "/p" });
        await addMany(session, 1);
        await store[remove](remove);
        await refused("FILE_MISSING", () => add(session, user("lost")));
        await session.close();
      }
      await store.restore("trash");
      await using session = await store.open("trash");
      assert.equal(session.tree.size, 1);
    },
  },
  {
    group,
    needs: ["trash", "durable"],
    name: "the trash is there after a reopen",
    async run({ store, reopen }) {
      const added = await made(store, "t", 2);
      await store.trash("t");
      const before = await store.listTrash();
      await store.close();
      const again = await reopen();
      assert.deepEqual(await again.listTrash(), before);
      await again.restore("t");
      await using session = await again.open("t");
      assert.deepEqual(ids(await collect(session.scan())), added);
    },
  },
];
