import assert from "node:assert/strict";
import type { EntryDraft } from "../../../entry/entry.ts";
import type { ScanOptions } from "../../store.ts";
import type { ContractCase } from "../contract.ts";
import { answer, custom, user } from "../drafts.ts";
import { add, addMany, addOne, collect, ids, refused } from "../expect.ts";

const group = "reads";
const LIMITS = [0, 1, 2, 9, 10, 11, 1000];

const MIXED: readonly EntryDraft[] = [
  user("0", { timestamp: "2024-01-01T00:00:00.000Z" }),
  { ...answer("1", { input: 1, output: 1 }), timestamp: "2024-01-02T00:00:00.000Z" },
  { ...custom(2), timestamp: "2024-01-03T00:00:00.000Z" },
  { type: "custom", customType: "other", timestamp: "2024-01-03T00:00:00.001Z" },
  {
    type: "custom_message",
    customType: "test.state",
    content: "4",
    display: true,
    timestamp: "2024-01-05T00:00:00.000Z",
  },
  { type: "label", targetId: "x", label: "l", timestamp: "2024-01-02T00:00:00.000Z" },
  { type: "future", timestamp: "2024-01-07T00:00:00.000Z" },
  user("7", { timestamp: "2024-01-08T00:00:00.000Z" }),
];

const SCANS: readonly (readonly [string, ScanOptions, readonly number[]])[] = [
  ["nothing", {}, [0, 1, 2, 3, 4, 5, 6, 7]],
  ["a start", { from: 3 }, [3, 4, 5, 6, 7]],
  ["an end", { to: 3 }, [0, 1, 2]],
  ["a range", { from: 2, to: 4 }, [2, 3]],
  ["an empty range", { from: 3, to: 3 }, []],
  ["a range turned around", { from: 5, to: 2 }, []],
  ["a range of all", { from: 0, to: 8 }, [0, 1, 2, 3, 4, 5, 6, 7]],
  ["a range beyond the end", { from: 7, to: 100 }, [7]],
  ["a start beyond the end", { from: 8 }, []],
  ["a type", { types: ["message"] }, [0, 1, 7]],
  ["several types", { types: ["label", "future", "none"] }, [5, 6]],
  ["no types", { types: [] }, []],
  ["a role", { roles: ["user"] }, [0, 7]],
  ["several roles", { roles: ["user", "assistant"] }, [0, 1, 7]],
  ["a role that nobody has", { roles: ["custom"] }, []],
  ["a custom type", { customTypes: ["test.state"] }, [2, 4]],
  ["a custom type and a type", { customTypes: ["test.state"], types: ["custom"] }, [2]],
  ["a time", { since: "2024-01-03T00:00:00.000Z" }, [2, 3, 4, 6, 7]],
  ["a time within", { since: "2024-01-03T00:00:00.001Z" }, [3, 4, 6, 7]],
  ["a time after all", { since: "2025-01-01T00:00:00.000Z" }, []],
  [
    "everything at once",
    {
      from: 1,
      to: 7,
      types: ["custom"],
      customTypes: ["other"],
      since: "2024-01-02T00:00:00.000Z",
    },
    [3],
  ],
];

const scans: readonly ContractCase[] = SCANS.map(([what, options, expected]) => ({
  group,
  name: `scan by ${what}`,
  async run({ store }) {
    await using session = await store.create({ cwd: "/p" });
    const added = ids(await add(session, MIXED));
    const found = ids(await collect(session.scan(options)));
    assert.deepEqual(
      found.map((id) => added.indexOf(id)),
      expected,
    );
  },
}));

/** Reading entries. */
export const readCases: readonly ContractCase[] = [
  {
    group,
    name: "get gives the entry or undefined, mustGet throws ENTRY_UNKNOWN",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [entry] = await add(session, user("x"));
      assert.ok(entry);
      assert.deepEqual(await session.get(entry.id), entry);
      assert.deepEqual(await session.mustGet(entry.id), entry);
      for (const id of ["", "nowhere", "__proto__", "constructor", "toString", "main", "root"]) {
        assert.equal(await session.get(id), undefined);
        const error = await refused("ENTRY_UNKNOWN", () => session.mustGet(id));
        assert.equal(error.fields.revision, id);
      }
    },
  },
  {
    group,
    name: "a session that was opened as usual is verified",
    async run({ store }) {
      const session = await store.create({ id: "v", cwd: "/p" });
      assert.equal(session.verified, true);
      await session.whenVerified();
      await using again = await store.open("v");
      assert.equal(again.verified, true);
      await again.whenVerified(new AbortController().signal);
      await session.close();
      await refused("STORE_CLOSED", () => session.whenVerified());
    },
  },
  {
    group,
    name: "a session that was opened tail first is the same when it is verified",
    async run({ store }) {
      const session = await store.create({ id: "v", cwd: "/p" });
      const added = await addMany(session, 20);
      await session.close();
      await using again = await store.open("v", { tailFirst: true });
      assert.deepEqual(ids(await again.getAll(added)), added);
      await again.whenVerified();
      assert.equal(again.verified, true);
      assert.equal(again.tree.leaf(), added.at(-1));
      assert.equal(again.tree.size, 20);
    },
  },
  {
    group,
    name: "getAll keeps the order and repetitions of the ids",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const added = await addMany(session, 5);
      const wanted = [4, 0, 2, 2, 1].map((index) => added[index] as string);
      assert.deepEqual(ids(await session.getAll(wanted)), wanted);
      assert.deepEqual(await session.getAll([]), []);
      await refused("ENTRY_UNKNOWN", () => session.getAll([...wanted, "nowhere"]));
    },
  },
  {
    group,
    name: "a path goes from the entry to the root, newest first",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const added = await addMany(session, 10);
      const side = await addOne(session, user("side", { parentId: added[4] as string }));
      const from = async (id: string | null): Promise<string[]> =>
        ids(await collect(session.path(id)));
      assert.deepEqual(await from(added[9] as string), added.toReversed());
      assert.deepEqual(await from(added[0] as string), [added[0]]);
      assert.deepEqual(await from(side), [side, ...added.slice(0, 5).toReversed()]);
      assert.deepEqual(await from(null), []);
      await refused("ENTRY_UNKNOWN", () => from("nowhere"));
    },
  },
  {
    group,
    name: "the limit of a path, at all of its edges",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const added = (await addMany(session, 10)).toReversed();
      const leaf = added[0] as string;
      for (const limit of LIMITS) {
        const path = await collect(session.path(leaf, { limit }));
        assert.deepEqual(ids(path), added.slice(0, limit), `limit ${limit}`);
        assert.deepEqual(await collect(session.path(null, { limit })), []);
      }
    },
  },
  {
    group,
    name: "the last n entries, at all edges",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      for (const count of LIMITS) assert.deepEqual(await session.last(count), []);
      const added = await addMany(session, 10);
      for (const count of LIMITS) {
        const expected = count === 0 ? [] : added.slice(-count);
        assert.deepEqual(ids(await session.last(count)), expected, `last ${count}`);
      }
    },
  },
  {
    group,
    name: "the range of a scan, at all edges",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      assert.deepEqual(await collect(session.scan({ from: 0, to: 10 })), []);
      const added = await addMany(session, 10);
      for (const from of LIMITS) {
        for (const to of LIMITS) {
          const found = ids(await collect(session.scan({ from, to })));
          assert.deepEqual(found, added.slice(from, to), `${from} to ${to}`);
        }
      }
    },
  },
  {
    group,
    name: "a reader that stops early harms nothing",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const added = await addMany(session, 5);
      for await (const entry of session.scan()) {
        assert.equal(entry.id, added[0]);
        break;
      }
      for await (const entry of session.path(added[4] as string)) {
        assert.equal(entry.id, added[4]);
        break;
      }
      assert.equal((await collect(session.scan())).length, 5);
    },
  },
  {
    group,
    name: "a scan gives each entry once and in order while commits go on",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const added = await addMany(session, 20);
      const seen: string[] = [];
      for await (const entry of session.scan()) {
        seen.push(entry.id);
        if (seen.length <= 20) added.push(await addOne(session, user("more")));
      }
      assert.ok(seen.length >= 20);
      assert.deepEqual(seen, added.slice(0, seen.length));
    },
  },
  {
    group,
    name: "settings at any entry are those of its path",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [root] = await addMany(session, 1);
      const changed = await addOne(session, { type: "model_change", provider: "p", modelId: "m1" });
      const side = await addOne(session, user("side", { parentId: root as string }));
      assert.deepEqual(session.tree.get(changed)?.fold.model, { provider: "p", modelId: "m1" });
      assert.equal(session.tree.get(side)?.fold.model, null);
    },
  },
  {
    group,
    name: "a place in the file, where the session has a file",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [first, second] = await addMany(session, 2);
      assert.ok(first !== undefined && second !== undefined);
      assert.equal(session.placeOf("nowhere"), null);
      if (session.file === null) {
        assert.equal(session.placeOf(first), null);
        return;
      }
      const one = session.placeOf(first);
      const two = session.placeOf(second);
      assert.ok(one !== null && two !== null);
      assert.equal(one.line, 2);
      assert.equal(two.line, 3);
      assert.ok(one.byteStart > 0 && one.byteEnd > one.byteStart);
      assert.equal(two.byteStart, one.byteEnd + 1);
    },
  },
  ...scans,
];
