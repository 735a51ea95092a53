import assert from "node:assert/strict";
import type { ContractCase } from "../contract.ts";
import { answer, custom, startMarker, user } from "../drafts.ts";
import { add, addMany, collect, refused } from "../expect.ts";

const group = "summary and list";

function hoursAfter(time: string, hours: number): string {
  return new Date(Date.parse(time) + hours * 3_600_000).toISOString();
}

/** Summary rows and lists. */
export const listCases: readonly ContractCase[] = [
  {
    group,
    name: "the row of an empty session",
    async run({ store }) {
      await using session = await store.create({ id: "s", cwd: "/p" });
      const row = await session.summary();
      const { path, bytes, created, modified, ...rest } = row;
      assert.deepEqual(rest, {
        id: "s",
        agent: "branchline",
        cwd: "/p",
        name: null,
        title: null,
        entries: 0,
        messages: 0,
        branches: 1,
        leaf: null,
        labels: [],
        diverged: false,
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
      });
      assert.equal(path, session.file);
      assert.equal(bytes > 0, session.file !== null);
      assert.equal(created, session.header.timestamp);
      assert.equal(modified, created);
    },
  },
  {
    group,
    name: "counts, title, times and usage",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const timestamp = hoursAfter(session.header.timestamp, 1);
      const [root] = await add(session, user("第一行\n  second line"));
      await add(session, { ...answer("a", { input: 10, output: 20 }), timestamp });
      await add(session, custom(1));
      await add(session, {
        type: "usage",
        kind: "k",
        usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
      });
      await add(session, {
        type: "compaction",
        summary: "s",
        firstKeptEntryId: root?.id ?? "",
        tokensBefore: 5,
        usage: { input: 100, output: 0, cacheRead: 0, cacheWrite: 0 },
      });
      await add(session, startMarker(session, root?.id ?? null, "b1"));
      await add(
        session,
        {
          type: "branch_summary",
          fromId: "x",
          summary: "s",
          usage: { input: 0, output: 1000, cacheRead: 0, cacheWrite: 0 },
        },
        { branch: "b1" },
      );
      const row = await session.summary();
      assert.equal(row.title, "第一行 second line");
      assert.equal(row.name, null);
      assert.equal(row.entries, 7);
      assert.equal(row.messages, 2);
      assert.equal(row.branches, 2);
      assert.equal(row.leaf, session.tree.leaf());
      assert.equal(row.modified, timestamp);
      assert.deepEqual(row.usage, {
        input: 111,
        output: 1022,
        cacheRead: 4,
        cacheWrite: 6,
        cost: 0.5,
      });
    },
  },
  {
    group,
    name: "the name is the title while there is one",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await add(session, [user("prompt"), { type: "session_info", name: "  My session " }]);
      assert.deepEqual(
        [(await session.summary()).name, (await session.summary()).title],
        ["My session", "My session"],
      );
      await add(session, { type: "session_info", name: "" });
      assert.deepEqual(
        [(await session.summary()).name, (await session.summary()).title],
        [null, "prompt"],
      );
    },
  },
  {
    group,
    name: "a long title is cut to 80 characters, never inside one",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      await add(session, user("😀".repeat(200)));
      assert.equal((await session.summary()).title, `${"😀".repeat(79)}…`);
      await add(session, { type: "session_info", name: "界".repeat(80) });
      assert.equal((await session.summary()).title, "界".repeat(80));
    },
  },
  {
    group,
    name: "a list holds the summary of each session, newest activity first",
    async run({ store }) {
      // Times further ahead than a clock may be would count for nothing.
      const times = { old: 1, newest: 3, middle: 2 };
      const rows = new Map<string, unknown>();
      for (const [id, hours] of Object.entries(times)) {
        await using session = await store.create({ id, cwd: "/p" });
        const timestamp = hoursAfter(session.header.timestamp, hours);
        await add(session, user(id, { timestamp }));
        rows.set(id, await session.summary());
      }
      const listed = await collect(store.list());
      assert.deepEqual(
        listed.map(({ id }) => id),
        ["newest", "middle", "old"],
      );
      for (const row of listed) assert.deepEqual(row, rows.get(row.id));
    },
  },
  {
    group,
    name: "a list of nothing, and one by folder",
    async run({ store }) {
      assert.deepEqual(await collect(store.list()), []);
      for (const [id, cwd] of [
        ["a", "/one"],
        ["b", "/two"],
        ["c", "/one"],
        ["d", "/one/deeper"],
      ] as const) {
        await (await store.create({ id, cwd })).close();
      }
      const of = async (cwd: string): Promise<string[]> =>
        (await collect(store.list({ cwd }))).map(({ id }) => id).sort();
      assert.deepEqual(await of("/one"), ["a", "c"]);
      assert.deepEqual(await of("/two"), ["b"]);
      assert.deepEqual(await of("/none"), []);
      assert.equal((await collect(store.list())).length, 4);
    },
  },
  {
    group,
    name: "a list of 150 sessions holds each once; a reader may stop early",
    async run({ store }) {
      for (let index = 0; index < 150; index++)
        await (await store.create({ id: `s${index}`, cwd: "/p" })).close();
      const listed = await collect(store.list());
      assert.equal(new Set(listed.map(({ id }) => id)).size, 150);
      for await (const row of store.list()) {
        assert.ok(row.id);
        break;
      }
      assert.equal((await collect(store.list())).length, 150);
    },
  },
  {
    group,
    name: "a list shows what open handles wrote, and its signal ends it with ABORTED",
    async run({ store }) {
      await using session = await store.create({ id: "open", cwd: "/p" });
      await addMany(session, 3);
      const [row] = await collect(store.list());
      assert.equal(row?.messages, 3);
      await refused("ABORTED", () => collect(store.list({ signal: AbortSignal.abort() })));
    },
  },
  {
    group,
    name: "the same rows after a reopen",
    needs: ["durable"],
    async run({ store, reopen }) {
      const session = await store.create({ id: "s", cwd: "/p" });
      await add(session, [
        user("x"),
        answer("y", { input: 1, output: 2 }),
        { type: "session_info", name: "n" },
      ]);
      const before = await session.summary();
      await store.close();
      const again = await reopen();
      assert.deepEqual(await collect(again.list()), [before]);
    },
  },
];
