import assert from "node:assert/strict";
import type { EntryDraft } from "../../../entry/entry.ts";
import type { ContractCase, StoreFixture } from "../contract.ts";
import { custom, everyType, user } from "../drafts.ts";
import { add, addMany, addOne, assertFrozen, collect, ids, json } from "../expect.ts";

const group = "append";

type Members = Readonly<Record<string, unknown>>;

/** Commits drafts and reads them back in all ways: what comes back is what went in (P8). */
async function keeps({ store }: StoreFixture, drafts: readonly EntryDraft[]): Promise<void> {
  await using session = await store.create({ id: "kept", cwd: "/p" });
  const given = json(drafts);
  const added = await add(session, drafts);
  for (const [index, entry] of added.entries()) {
    const { id, parentId, timestamp, ...members } = entry as unknown as Record<string, unknown>;
    assert.equal(typeof id, "string");
    assert.equal(typeof timestamp, "string");
    assert.ok(parentId === null || typeof parentId === "string");
    const {
      id: _i,
      parentId: _p,
      timestamp: _t,
      ...expected
    } = given[index] as unknown as Record<string, unknown>;
    assert.deepEqual(json(members), expected);
  }
  await using again = await store.open("kept");
  const text = JSON.stringify(added);
  assert.equal(JSON.stringify(await collect(session.scan())), text);
  assert.equal(JSON.stringify(await collect(again.scan())), text);
  assert.equal(JSON.stringify(await again.getAll(ids(added))), text);
}

const withText = (text: string): readonly EntryDraft[] => [
  user(text),
  { type: "custom", customType: "t", data: { [text]: [text] } },
  { type: "label", targetId: "x", label: text },
];

const KEPT: readonly (readonly [string, () => readonly EntryDraft[]])[] = [
  ["entries of every type", () => everyType("some-id")],
  [
    "unknown types, fields and blocks",
    () => [
      { type: "from_the_future", a: { b: [1, "x", null, true, -0.5e-7] } },
      { type: "message", message: { role: "user", content: "x", extra: [1] }, more: {} },
      { type: "message", message: { role: "narrator", lines: 3 } },
      {
        type: "message",
        message: {
          role: "assistant",
          content: [{ type: "hologram", z: 1 }],
          provider: "p",
          model: "m",
        },
      },
    ],
  ],
  ["Chinese and combined characters", () => withText("方案 A：先读文件，再改 é é नि")],
  ["emoji", () => withText("👩‍👩‍👧‍👦 🏳️‍🌈 𝔘𝔫𝔦𝔠𝔬𝔡𝔢")],
  ["lone surrogates (row 13)", () => withText("a\ud800b\udc00c\udfff")],
  ["U+2028 and U+2029 (row 14)", () => withText("a\u2028b\u2029c\u0085d")],
  ["NUL, BOM and control characters", () => withText("\u0000\ufeff\u001b[31m\u0007\r\n\t\u007f")],
  [
    "quotes, backslashes and JSON in text",
    () => withText('"}\\n{"type":"session","id":"x"}\n{"a":1}\\'),
  ],
  [
    "a `__proto__` member, which reaches no prototype (row 15)",
    () => [
      JSON.parse(
        '{"type":"custom","customType":"t","data":{"__proto__":{"polluted":1},"constructor":2}}',
      ) as EntryDraft,
      JSON.parse('{"type":"strange","__proto__":{"polluted":1}}') as EntryDraft,
    ],
  ],
  [
    "ids of any text (row 16)",
    () =>
      [
        "__proto__",
        "constructor",
        "toString",
        "hasOwnProperty",
        "a b/c\\d\n",
        "标识",
        "\ud800",
        "x".repeat(256),
      ].map((id) => user(id, { id })),
  ],
  [
    "numbers at the edges",
    () => [custom([0, 1e21, 5e-324, 2 ** 53, -1.7976931348623157e308, 0.1])],
  ],
  ["empty things", () => [custom({}), custom([]), custom(""), custom(null), user("")]],
  ["900 levels of nesting", () => [custom(JSON.parse("[".repeat(900) + "]".repeat(900)))]],
  ["a megabyte of text", () => [user("0123456789abcdé".repeat(70_000))]],
  ["500 entries in one group", () => Array.from({ length: 500 }, (_, n) => user(`${n}`))],
];

const kept: readonly ContractCase[] = KEPT.map(([what, drafts]) => ({
  group,
  name: `${what}: kept exactly`,
  run: (fixture) => keeps(fixture, drafts()),
}));

/** Commits and what they make. */
export const appendCases: readonly ContractCase[] = [
  {
    group,
    name: "commits without a parent form one chain from a root",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const added = await addMany(session, 10);
      const entries = await session.getAll(added);
      assert.deepEqual(
        entries.map((entry) => entry.parentId),
        [null, ...added.slice(0, -1)],
      );
      assert.equal(session.tree.head("main"), added.at(-1));
      assert.equal(session.tree.leaf(), added.at(-1));
      assert.equal(new Set(added).size, 10);
    },
  },
  {
    group,
    name: "ids that the store makes hold 80 random bits",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      for (const id of await addMany(session, 5)) assert.match(id, /^[0-9a-f]{20}$/);
    },
  },
  {
    group,
    name: "the drafts of a group hang under each other, in order",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      for (const size of [2, 3, 17]) {
        const head = session.tree.head("main");
        const group = await add(
          session,
          Array.from({ length: size }, (_, n) => user(`${n}`)),
        );
        assert.equal(group.length, size);
        assert.deepEqual(
          group.map((entry) => entry.parentId),
          [head, ...ids(group).slice(0, -1)],
        );
        assert.deepEqual(
          group.map((entry) => (entry as { message?: { content: string } }).message?.content),
          Array.from({ length: size }, (_, n) => `${n}`),
        );
      }
    },
  },
  {
    group,
    name: "a draft may name its parent: an entry, an earlier draft, or the root",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [a, b] = await addMany(session, 2);
      assert.ok(a !== undefined && b !== undefined);
      const made = await add(session, [
        user("beside b", { parentId: a, id: "one" }),
        user("below one"),
        user("also below one", { parentId: "one" }),
        user("a root", { parentId: null }),
        user("below the root"),
      ]);
      const [one, two, three, four, five] = made;
      assert.deepEqual(
        made.map((entry) => entry.parentId),
        [a, one?.id, "one", null, four?.id],
      );
      assert.deepEqual(
        session.tree.children("one").map(({ id }) => id),
        [two?.id, three?.id],
      );
      assert.equal(session.tree.leaf(), five?.id);
    },
  },
  {
    group,
    name: "id and timestamp of a draft stand",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const timestamp = "2001-02-03T04:05:06.789Z";
      const [entry] = await add(session, user("x", { id: "mine", timestamp }));
      assert.equal(entry?.id, "mine");
      assert.equal(entry?.timestamp, timestamp);
    },
  },
  {
    group,
    name: "the type of an entry comes first, then id, parent and time",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const [entry] = await add(session, user("x", { id: "mine" }));
      assert.deepEqual(Object.keys(entry ?? {}), [
        "type",
        "id",
        "parentId",
        "timestamp",
        "message",
      ]);
    },
  },
  {
    group,
    name: "what a commit gives is frozen through and through (P8)",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const result = await session.commit({ entries: everyType("t"), key: "k" });
      assertFrozen(result.entries);
      assertFrozen((await session.commit({ entries: everyType("t"), key: "k" })).entries);
      assertFrozen(await collect(session.scan()));
      assertFrozen(await collect(session.path(session.tree.leaf())));
      assertFrozen(await session.last(3));
    },
  },
  {
    group,
    name: "what the caller changes after the call has no effect (P8, row 39)",
    async run({ store }) {
      await using session = await store.create({ cwd: "/p" });
      const data = { list: [1] };
      const draft = { type: "custom", customType: "t", data };
      const entries: EntryDraft[] = [draft];
      const busy = session.commit({ entries: [user("first")] });
      const commit = session.commit({ entries });
      data.list.push(2);
      draft.customType = "changed";
      entries.push(user("late"));
      await busy;
      const result = await commit;
      assert.equal(result.entries.length, 1);
      const entry = result.entries[0] as Members | undefined;
      assert.deepEqual(entry?.data, { list: [1] });
      assert.equal(entry?.customType, "t");
      data.list.push(3);
      const last = (await session.last(1))[0] as Members | undefined;
      assert.deepEqual(last?.data, { list: [1] });
      assert.ok(!Object.isFrozen(data.list), "the caller's own data was frozen");
    },
  },
  {
    group,
    name: "what JSON leaves out is left out at once (P8)",
    async run({ store }) {
      await using session = await store.create({ id: "j", cwd: "/p" });
      const data = {
        gone: undefined,
        call: () => 1,
        not: Number.NaN,
        date: new Date(0),
        list: [undefined],
      };
      const [entry] = await add(session, { type: "custom", customType: "t", data });
      assert.deepEqual((entry as { data?: unknown }).data, {
        not: null,
        date: "1970-01-01T00:00:00.000Z",
        list: [null],
      });
      await using again = await store.open("j");
      assert.equal(JSON.stringify(await again.last(1)), JSON.stringify([entry]));
    },
  },
  {
    group,
    name: "100 commits at the same time: each entry once, all in one chain, groups together (P6)",
    async run({ store }) {
      await using session = await store.create({ id: "c", cwd: "/p" });
      const commits = Array.from({ length: 100 }, (_, n) =>
        session.commit({ entries: Array.from({ length: 1 + (n % 3) }, (_x, i) => custom([n, i])) }),
      );
      const results = await Promise.all(commits);
      const all = await collect(session.scan());
      assert.deepEqual(
        all.map((entry) => entry.parentId),
        [null, ...ids(all).slice(0, -1)],
      );
      assert.equal(
        all.length,
        results.reduce((count, { entries }) => count + entries.length, 0),
      );
      for (const { entries } of results) {
        const at = all.findIndex((entry) => entry.id === entries[0]?.id);
        assert.deepEqual(ids(all.slice(at, at + entries.length)), ids(entries));
      }
      // Calls of one handle keep their order.
      assert.deepEqual(
        ids(all),
        results.flatMap(({ entries }) => ids(entries)),
      );
    },
  },
  {
    group,
    name: "entries stay readable one by one while the session grows to 2,000",
    async run({ store }) {
      await using session = await store.create({ id: "g", cwd: "/p" });
      for (let round = 0; round < 20; round++) {
        await add(
          session,
          Array.from({ length: 100 }, (_, n) => custom(round * 100 + n)),
        );
      }
      assert.equal(session.tree.size, 2000);
      const first = session.tree.at(0)?.id ?? "";
      const middle = session.tree.at(1000)?.id ?? "";
      assert.equal(((await session.mustGet(first)) as { data?: unknown }).data, 0);
      assert.equal(((await session.mustGet(middle)) as { data?: unknown }).data, 1000);
      assert.equal(session.tree.get(session.tree.leaf() ?? "")?.fold.depth, 2000);
      await using again = await store.open("g");
      assert.equal(again.tree.size, 2000);
      assert.equal(
        await addOne(again, custom(2000), { expectedLeaf: session.tree.leaf() }),
        again.tree.leaf(),
      );
    },
  },
  ...kept,
];
