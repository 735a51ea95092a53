import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { entryFact, type SessionFacts } from "../index/usage-fact.ts";
import { Stats, type StatsGroup, type StatsRow } from "./stats.ts";

const USAGE = { input: 10, output: 2, cacheRead: 30, cacheWrite: 0 };
const PRICED = { ...USAGE, cost: { total: 0.5 } };

function answer(id: string, members: object = {}, timestamp = "2026-10-01T10:00:00.000Z"): Entry {
  const message = { role: "assistant", provider: "p", model: "m", content: [], ...members };
  return { type: "message", id, parentId: null, timestamp, message } as Entry;
}

const session = (name: string, entries: readonly Entry[], cwd = "/a"): SessionFacts => ({
  session: name,
  path: `/${name}.jsonl`,
  cwd,
  created: "",
  facts: entries.map(entryFact),
});

async function rows(
  sessions: readonly SessionFacts[],
  by: StatsGroup = "all",
  since = "",
): Promise<readonly StatsRow[]> {
  const stats = new Stats({ by, since });
  for (const one of sessions) await stats.add(one);
  return stats.rows();
}

test("sums tokens, cost, cache hits, messages and calls", async () => {
  const calls = [
    { type: "toolCall", name: "bash" },
    { type: "toolCall", name: "bash" },
  ];
  const user = { ...answer("u"), message: { role: "user", content: "hi" } } as Entry;
  const [row] = await rows([
    session("s", [
      user,
      answer("a", { usage: PRICED, content: calls }),
      answer("b", { usage: PRICED }),
    ]),
  ]);
  assert.deepEqual(row, {
    by: "all",
    key: null,
    sessions: 1,
    messages: 3,
    toolCalls: 2,
    requests: 2,
    input: 20,
    output: 4,
    cacheRead: 60,
    cacheWrite: 0,
    cacheHitRate: 0.75,
    cost: 1,
    unpriced: 0,
  });
});

test("copied entries of forks and repeated response ids count once", async () => {
  const one = answer("a", { usage: PRICED, responseId: "r1" });
  const again = answer("b", { usage: PRICED, responseId: "r1" });
  const other = answer("a", { usage: PRICED }, "2026-10-02T10:00:00.000Z");
  const [row] = await rows([session("s", [one, again]), session("fork", [one, other], "/b")]);
  assert.deepEqual([row?.sessions, row?.messages, row?.requests, row?.cost], [2, 3, 2, 1]);
  const byProject = await rows(
    [session("s", [one]), session("fork", [one, other], "/b")],
    "project",
  );
  assert.deepEqual(
    byProject.map(({ key, sessions, messages, requests }) => [key, sessions, messages, requests]),
    [
      ["/a", 1, 1, 1],
      ["/b", 1, 1, 1],
    ],
  );
});

test("an unknown price is unknown, not 0", async () => {
  const [none] = await rows([session("s", [answer("a", { usage: USAGE })])]);
  assert.deepEqual([none?.cost, none?.unpriced], [null, 1]);
  const mixed = [answer("a", { usage: USAGE }), answer("b", { usage: PRICED })];
  const [some] = await rows([session("s", mixed)]);
  assert.deepEqual([some?.cost, some?.unpriced], [0.5, 1]);
  const free = { ...USAGE, cost: { total: 0 } };
  assert.equal((await rows([session("s", [answer("a", { usage: free })])]))[0]?.cost, 0);
  const [idle] = await rows([session("s", [answer("a")])]);
  assert.deepEqual([idle?.cost, idle?.requests, idle?.cacheHitRate], [0, 0, null]);
});

test("groups: day, model, tool; since", async () => {
  const bash = { content: [{ type: "toolCall", name: "bash" }], usage: PRICED };
  const all = [
    session("s", [
      answer("a", bash),
      answer("b", { usage: PRICED, model: "n" }, "2026-10-02T10:00:00.000Z"),
      answer("c", { usage: PRICED, provider: undefined, model: undefined }, "?"),
    ]),
  ];
  const keys = async (by: StatsGroup, since?: string): Promise<readonly unknown[]> =>
    (await rows(all, by, since)).map(({ key, requests }) => [key, requests]);
  assert.deepEqual(await keys("day"), [
    ["2026-10-01", 1],
    ["2026-10-02", 1],
    [null, 1],
  ]);
  assert.deepEqual(await keys("model"), [
    ["p/m", 1],
    ["p/n", 1],
    [null, 1],
  ]);
  assert.deepEqual(await keys("tool"), [["bash", 1]]);
  assert.deepEqual(await keys("day", "2026-10-02"), [
    ["2026-10-02", 1],
    [null, 1],
  ]);
  assert.deepEqual(
    await rows([session("s", [answer("a")], "")], "project").then(([r]) => r?.key),
    null,
  );
});

test("summaries and usage entries count as requests; odd shapes count as nothing (P7)", async () => {
  const frame = { id: "x", parentId: null, timestamp: "2026-10-01T00:00:00.000Z" };
  const facts = [
    { ...frame, type: "compaction", summary: "s", usage: PRICED },
    { ...frame, id: "y", type: "usage", kind: "k", provider: "p", model: "m", usage: PRICED },
    { ...frame, id: "z", type: "custom", customType: "c", usage: PRICED },
    answer("o", { usage: { input: "5", cost: { total: "x" } } }),
    answer("q", { usage: 5, responseId: 7, model: "only" }),
  ].map((entry) => entryFact(entry as Entry));
  assert.deepEqual(
    facts.map(({ usage, model }) => [usage?.cost, model]),
    [
      [0.5, null],
      [0.5, "p/m"],
      [undefined, null],
      [null, "p/m"],
      [undefined, "p/only"],
    ],
  );
});
