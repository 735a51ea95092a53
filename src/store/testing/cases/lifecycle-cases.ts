import assert from "node:assert/strict";
import type { ContractCase, StoreFixture } from "../contract.ts";
import { user } from "../drafts.ts";
import { add, addMany, assertFrozen, collect, ids, json, refused } from "../expect.ts";

const group = "lifecycle";

/** Ids that must never reach a path or a database (P10, S11, F114). */
const BAD_IDS: readonly (readonly [string, string])[] = [
  ["empty", ""],
  ["a dot", "."],
  ["two dots", ".."],
  ["a path up", "../../etc/passwd"],
  ["two dots inside", "a..b"],
  ["a slash", "a/b"],
  ["an absolute path", "/etc/passwd"],
  ["a backslash", "a\\b"],
  ["a Windows path", "C:\\x"],
  ["a device name", "CON"],
  ["a device name with an ending", "nul.jsonl"],
  ["a numbered device name", "com1"],
  ["an encoded path", "%2e%2e%2f"],
  ["a doubly encoded path", "%252e%252e"],
  ["a NUL", "a\u0000b"],
  ["a newline", "a\nb"],
  ["a space at the end", "a "],
  ["a dot at the start", ".hidden"],
  ["a tilde", "~"],
  ["a colon", "a:b"],
  ["129 characters", "a".repeat(129)],
  ["300 characters", "a".repeat(300)],
  ["other letters", "sitzungü"],
  ["a bidirectional mark", "a\u202eb"],
];

async function refusesId({ store }: StoreFixture, id: string): Promise<void> {
  await refused("SESSION_ID_INVALID", () => store.create({ id, cwd: "/p" }));
  await refused("SESSION_ID_INVALID", () => store.open(id));
  await refused("SESSION_ID_INVALID", () => store.purge(id));
  await refused("SESSION_ID_INVALID", () => store.values.set({ session: id }, "k", 1));
  if (store.capabilities.trash) {
    await refused("SESSION_ID_INVALID", () => store.trash(id));
    await refused("SESSION_ID_INVALID", () => store.restore(id));
  }
  assert.deepEqual(await collect(store.list()), []);
}

const badIds: readonly ContractCase[] = BAD_IDS.map(([what, id]) => ({
  group,
  name: `a session id with ${what} is refused on every entry point (P10, S11, F114)`,
  run: (fixture) => refusesId(fixture, id),
}));

/** Creating, opening and closing sessions. */
export const lifecycleCases: readonly ContractCase[] = [
  {
    group,
    name: "a new session is empty and has a header of ours",
    async run({ store }) {
      await using session = await store.create({ cwd: "/project" });
      assert.equal(session.header.type, "session");
      assert.equal(session.header.version, 3);
      assert.equal(session.header.id, session.id);
      assert.equal(session.header.cwd, "/project");
      assert.deepEqual(session.header.branchline, { format: 1 });
      assert.ok(!Number.isNaN(Date.parse(session.header.timestamp)));
      assert.equal(session.readOnly, null);
      assert.equal(session.tree.size, 0);
      assert.equal(session.tree.leaf(), null);
      assert.equal(session.tree.head("main"), null);
      assert.deepEqual(session.problems, []);
      assertFrozen(session.header);
    },
  },
  {
    group,
    name: "ids that the store makes are valid and differ",
    async run({ store }) {
      const made = new Set<string>();
      for (let index = 0; index < 20; index++) {
        await using session = await store.create({ cwd: "/p" });
        assert.match(session.id, /^[0-9a-f-]{36}$/);
        made.add(session.id);
      }
      assert.equal(made.size, 20);
    },
  },
  {
    group,
    name: "ids at the edges of the grammar are accepted",
    async run({ store }) {
      for (const id of [
        "a",
        "Z9",
        "a.b",
        "a_b-c",
        "0",
        "a".repeat(128),
        "constructor",
        "hasOwnProperty",
      ]) {
        await using session = await store.create({ id, cwd: "/p" });
        assert.equal(session.id, id);
        await using again = await store.open(id);
        assert.equal(again.header.id, id);
      }
    },
  },
  {
    group,
    name: "header members of the caller are kept exactly, ours stand",
    async run({ store }) {
      const header = { project: { a: [1, null] }, 名: "会话", id: "other", version: 9, type: "x" };
      const parentSession = "/old/session.jsonl";
      await using session = await store.create({ id: "h1", cwd: "/p", parentSession, header });
      await using again = await store.open("h1");
      for (const { header: stored } of [session, again]) {
        assert.equal(stored.id, "h1");
        assert.equal(stored.version, 3);
        assert.equal(stored.type, "session");
        assert.equal(stored.parentSession, parentSession);
        assert.deepEqual(stored.project, { a: [1, null] });
        assert.equal(stored.名, "会话");
      }
      assert.equal(JSON.stringify(session.header), JSON.stringify(again.header));
    },
  },
  {
    group,
    name: "creating a session whose id is taken is refused and harms nothing",
    async run({ store }) {
      await using session = await store.create({ id: "one", cwd: "/p" });
      await addMany(session, 3);
      await refused("SESSION_EXISTS", () => store.create({ id: "one", cwd: "/other" }));
      await using again = await store.open("one");
      assert.equal(again.tree.size, 3);
      assert.equal(again.header.cwd, "/p");
    },
  },
  {
    group,
    name: "of 10 concurrent creates with one id exactly one wins",
    async run({ store }) {
      const tries = Array.from({ length: 10 }, () => store.create({ id: "race", cwd: "/p" }));
      const outcomes = await Promise.allSettled(tries);
      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") await outcome.value.close();
        else await refused("SESSION_EXISTS", () => Promise.reject(outcome.reason));
      }
    },
  },
  {
    group,
    name: "a session that is not there is unknown to every call",
    async run({ store }) {
      await refused("SESSION_UNKNOWN", () => store.open("nowhere"));
      await refused("SESSION_UNKNOWN", () => store.purge("nowhere"));
    },
  },
  {
    group,
    name: "a session starts with the given entries, kept exactly",
    async run({ store }) {
      const entries = [
        {
          type: "message",
          id: "1",
          parentId: null,
          timestamp: "2024-01-01T00:00:00.000Z",
          message: { role: "user", content: "a" },
        },
        {
          type: "future",
          id: "2",
          parentId: "1",
          timestamp: "2024-01-01T00:00:01.000Z",
          x: { y: [null] },
        },
        {
          type: "message",
          id: "3",
          parentId: "1",
          timestamp: "",
          message: { role: "user", content: "b" },
        },
      ];
      const original = json(entries);
      await using session = await store.create({ id: "f", cwd: "/p", entries });
      (entries[1] as { x: unknown }).x = "changed";
      assert.deepEqual(json(await collect(session.scan())), original);
      assertFrozen(await collect(session.scan()));
      assert.equal(session.tree.leaf(), "3");
      await using again = await store.open("f");
      assert.equal(JSON.stringify(await collect(again.scan())), JSON.stringify(original));
      const [next] = await add(again, user("on"));
      assert.equal(next?.parentId, "3");
    },
  },
  {
    group,
    name: "given entries that are none make no session",
    async run({ store }) {
      const at = { timestamp: "", parentId: null, message: { role: "user", content: "" } };
      const good = { type: "message", id: "1", ...at };
      for (const entries of [
        [good, { type: "message", id: "", ...at }],
        [good, good],
        [good, { type: "message", id: "2", parentId: null, timestamp: "" }],
      ]) {
        await refused("ENTRY_INVALID", () => store.create({ id: "bad", cwd: "/p", entries }));
      }
      await refused("SESSION_UNKNOWN", () => store.open("bad"));
      await using session = await store.create({ id: "bad", cwd: "/p" });
      assert.equal(session.tree.size, 0);
    },
  },
  {
    group,
    name: "a closed session opens again with all that it had",
    async run({ store }) {
      const session = await store.create({ id: "again", cwd: "/p" });
      const added = await addMany(session, 5);
      await session.close();
      await using again = await store.open("again");
      assert.deepEqual(ids(await collect(again.scan())), added);
      assert.equal(again.tree.leaf(), added.at(-1));
    },
  },
  {
    group,
    name: "close waits for commits under way",
    async run({ store }) {
      const session = await store.create({ id: "c", cwd: "/p" });
      const commits = Array.from({ length: 10 }, (_, n) =>
        session.commit({ entries: [user(`${n}`)] }),
      );
      const settled = Promise.allSettled(commits);
      await session.close();
      const outcomes = await settled;
      const written = outcomes.filter(({ status }) => status === "fulfilled").length;
      assert.equal(written, 10);
      await using again = await store.open("c");
      assert.equal(again.tree.size, 10);
    },
  },
  {
    group,
    name: "closing twice is fine, for a session and for a store",
    async run({ store }) {
      const session = await store.create({ cwd: "/p" });
      await session.close();
      await session.close();
      await session[Symbol.asyncDispose]();
      await store.close();
      await store.close();
    },
  },
  {
    group,
    name: "closing the store closes its sessions",
    async run({ store }) {
      const session = await store.create({ cwd: "/p" });
      await store.close();
      await refused("STORE_CLOSED", () => session.commit({ entries: [user("x")] }));
      await refused("STORE_CLOSED", () => session.get("x"));
    },
  },
  {
    group,
    name: "all is there after a reopen, byte for byte (P1, P8)",
    needs: ["durable"],
    async run({ store, reopen }) {
      const session = await store.create({ id: "d", cwd: "/p", header: { note: "é" } });
      await add(session, [user("一"), user("二"), user("三")]);
      const before = JSON.stringify([session.header, await collect(session.scan())]);
      await store.close();
      const again = await reopen();
      await using opened = await again.open("d");
      assert.equal(JSON.stringify([opened.header, await collect(opened.scan())]), before);
      assert.deepEqual(opened.problems, []);
    },
  },
  {
    group,
    name: "opening writes nothing",
    async run({ store }) {
      const session = await store.create({ id: "ro", cwd: "/p" });
      await addMany(session, 2);
      const before = await session.summary();
      await session.close();
      for (let round = 0; round < 3; round++) await (await store.open("ro")).close();
      await using again = await store.open("ro", { strict: true });
      assert.deepEqual(await again.summary(), before);
    },
  },
  ...badIds,
];
