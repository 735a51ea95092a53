import assert from "node:assert/strict";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import {
  chain,
  headerLine,
  type Members,
  makeSearchDesk,
  type SearchDesk,
  toolResult,
  user,
} from "../../test/builders/search-desk.ts";
import { seededRandom } from "../../test/builders/seeded.ts";
import { BranchlineError } from "../errors.ts";
import type { SearchResult } from "./search.ts";

const ids = ({ hits }: SearchResult): readonly string[] => hits.map((hit) => hit.entry);
const found = ([first]: readonly SearchResult[]): readonly string[] =>
  first === undefined ? [] : ids(first);
const places = ({ hits }: SearchResult): readonly string[] =>
  hits.map((hit) => `${hit.session}/${hit.entry}`).sort();

/** Asks both ways; they must find the same. */
async function bothFind(desk: SearchDesk, query: string): Promise<readonly SearchResult[]> {
  const indexed = await desk.ask(query);
  const read = await desk.askByReading(query);
  assert.deepEqual(places(read), places(indexed), query);
  assert.deepEqual(read.notes, indexed.notes, query);
  return [indexed, read];
}

/** Asks both ways; they must say the same. Scores are the same as long as nothing left the index. */
async function both(desk: SearchDesk, query: string): Promise<SearchResult> {
  const [indexed, read] = (await bothFind(desk, query)) as [SearchResult, SearchResult];
  for (const hit of read.hits) {
    const other = indexed.hits.find(
      (one) => one.entry === hit.entry && one.session === hit.session,
    );
    assert.deepEqual({ ...hit, score: 0 }, { ...other, score: 0 }, query);
    assert.ok(Math.abs(hit.score - (other?.score ?? -1)) < 0.002, `${query}: ${hit.score}`);
  }
  return indexed;
}

const CALL: Members = {
  type: "message",
  message: {
    role: "assistant",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    content: [
      { type: "thinking", thinking: "先看锁文件" },
      { type: "text", text: "我来看看 getLeafId 的实现 👍" },
      { type: "toolCall", id: "c", name: "read_file", arguments: { path: "src/leafTable.ts" } },
    ],
  },
};

async function sample(t: Parameters<typeof makeSearchDesk>[0]): Promise<SearchDesk> {
  const desk = makeSearchDesk(t);
  desk.write("a.jsonl", [
    headerLine("s-a"),
    ...chain([
      user("帮我设计缓存方案，要快"),
      CALL,
      toolResult("leaf table: snake_case_name ＦＵＬＬ width"),
      {
        type: "compaction",
        summary: "讨论了缓存。方案未定",
        firstKeptEntryId: "e0",
        tokensBefore: 1,
      },
      { type: "label", targetId: "e1", label: "检查点 one" },
      { type: "session_info", name: "缓存 session" },
    ]),
    { ...user("left over"), id: "x", parentId: "e0", timestamp: "2026-11-02T00:00:00.000Z" },
    { ...user("back on the path"), id: "y", parentId: "e5", timestamp: "2026-11-03T00:00:00.000Z" },
  ]);
  desk.write("b.jsonl", [
    headerLine("s-b", "/srv/other"),
    ...chain([user("nothing here, c++ -> x")], "f"),
  ]);
  await desk.refresh();
  return desk;
}

test("F101: Chinese of 1, 2 and 4 characters, mixed text, emoji, full-width, identifiers", async (t) => {
  const desk = await sample(t);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["锁", ["e1"]],
    ["缓存", ["e0", "e3", "e5"]],
    ["缓存方案", ["e0"]],
    ["存方", ["e0"]],
    ["看看getLeafId", ["e1"]],
    ["👍", ["e1"]],
    ["full", ["e2"]],
    ["ＷＩＤＴＨ", ["e2"]],
    ["getleafid", ["e1"]],
    ["leaf", ["e1", "e2"]],
    ["leafId", ["e1"]],
    ["leaf_id", ["e1"]],
    ['"leaf table"', ["e1", "e2"]],
    ["snake_case_name", ["e2"]],
    ["case", ["e2"]],
    ["src/leafTable.ts", ["e1"]],
    ["检查点", ["e4"]],
    ["缓存 -方案", ["e5"]],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(ids(await both(desk, query)).toSorted(), expected, query);
  }
});

test("F101: filters by role, tool, type, model, label, session, cwd, branch, date", async (t) => {
  const desk = await sample(t);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["role:tool", ["e2"]],
    ["role:user", ["e0", "f0", "x", "y"]],
    ["role:user,tool date:2026-10", ["e0", "e2", "f0"]],
    ["tool:read_file", ["e1"]],
    ["tool:bash leaf", ["e2"]],
    ["type:compaction", ["e3"]],
    ["-type:message session:s-a", ["e3", "e4", "e5"]],
    ["model:sonnet", ["e1"]],
    ['model:"claude sonnet 4"', ["e1"]],
    ["label:检查", ["e1"]],
    ["label:*", ["e1"]],
    ['session:"缓存 session" role:user', ["e0", "x", "y"]],
    ["cwd:/srv/", ["f0"]],
    ["cwd:PROJECT role:tool", ["e2"]],
    ["branch:left", ["x"]],
    ["branch:active role:user", ["e0", "f0", "y"]],
    ["-branch:active", ["x"]],
    ["date:2026-11..2026-11", ["x", "y"]],
    ["date:2026-11-03..", ["y"]],
    ["-date:..2026-10", ["x", "y"]],
    ["role:nobody", []],
    ['role:"+"', []],
  ];
  for (const [query, expected] of cases) {
    assert.deepEqual(ids(await both(desk, query)).toSorted(), expected, query);
  }
});

test("S8: nothing that a person types is syntax of the database", async (t) => {
  const desk = await sample(t);
  const typed = [
    '"',
    '""',
    "NEAR(",
    "NEAR(a b)",
    "*",
    "缓存*",
    "x:",
    "words:leaf",
    "a AND",
    "OR",
    "NOT",
  ];
  typed.push(
    "(",
    ")",
    "^leaf",
    "{words}:leaf",
    "leaf + table",
    "'; DROP TABLE text; --",
    "\\",
    "%",
  );
  typed.push(
    '"leaf" OR 1',
    "-",
    "--",
    "leaf\u0000table",
    "role:",
    "role:'x\"",
    "\ud800",
    "¶",
    "role§user",
  );
  for (const query of typed) {
    try {
      await both(desk, query);
    } catch (error) {
      assert.ok(BranchlineError.is(error, "USAGE"), `${query}: ${error}`);
    }
  }
  assert.deepEqual(ids(await both(desk, "缓存")).length, 3);
  assert.deepEqual(ids(await both(desk, "role§user")), []);
});

test("P70: letters count only side by side: literal fallback inside words, and what has no words; it is said", async (t) => {
  const desk = await sample(t);
  const inside = await both(desk, "eafI");
  assert.deepEqual([ids(inside), inside.notes], [["e1"], [{ code: "LETTERS" }]]);
  assert.deepEqual(ids(await both(desk, '"->"')), ["f0"]);
  assert.deepEqual(ids(await both(desk, "c++ here")), ["f0"]);
  for (const scattered of ["zzzz", "lfd", "缓方"])
    assert.deepEqual(ids(await both(desk, scattered)), []);
});

test("S7: a regular expression runs in a worker, bounded; hits are those of the expression", async (t) => {
  const desk = await sample(t);
  const found = await both(desk, "/snake_\\w+/ role:tool");
  assert.deepEqual(ids(found), ["e2"]);
  const [hit] = found.hits;
  const [mark] = hit?.marks ?? [];
  assert.equal(hit?.excerpt.slice(mark?.start, mark?.end), "snake_case_name");
  assert.deepEqual(ids(await both(desk, "/缓存.方/u")), ["e3"]);
  desk.write("evil.jsonl", [
    headerLine("s-evil"),
    ...chain([user(`${"a".repeat(40)}!`), user("aaa")], "v"),
  ]);
  const started = performance.now();
  const bounded = await desk.askByReading("/^(a+)+$/");
  assert.ok(performance.now() - started < 4000);
  assert.deepEqual(ids(bounded), ["v1"]);
  assert.deepEqual(bounded.notes, [{ code: "GAVE_UP", entries: 1 }]);
});

test("ranking: best first, of equal ones the newest; the active path first only when asked", async (t) => {
  const desk = makeSearchDesk(t);
  const lines = chain([user("needle and much more hay around it"), user("needle")]);
  const left = {
    ...user("needle needle"),
    id: "l",
    parentId: "e0",
    timestamp: "2026-10-05T00:00:00Z",
  };
  const last = { ...user("hay"), id: "z", parentId: "e1", timestamp: "2026-10-06T00:00:00Z" };
  desk.write("a.jsonl", [headerLine("s"), ...lines, left, last]);
  await desk.refresh();
  assert.deepEqual(ids(await both(desk, "needle")), ["l", "e1", "e0"]);
  const active = { activeFirst: true };
  assert.deepEqual(ids(await desk.ask("needle", active)), ["e1", "e0", "l"]);
  assert.deepEqual(ids(await desk.askByReading("needle", active)), ["e1", "e0", "l"]);
  assert.deepEqual(ids(await desk.ask("needle", { limit: 1 })), ["l"]);
  assert.deepEqual(ids(await desk.askByReading("needle", { limit: 1 })), ["l"]);
  assert.deepEqual(ids(await both(desk, "role:user")), ["z", "l", "e1", "e0"]);
});

test("the text grows with its files, and leaves with them; a rewritten file is read anew", async (t) => {
  const desk = makeSearchDesk(t);
  const file = desk.write("a.jsonl", [headerLine("s"), ...chain([user("first")])]);
  await desk.refresh();
  assert.deepEqual(ids(await desk.ask("first")), ["e0"]);
  const more = { ...user("second"), id: "n", parentId: "e0", timestamp: "2026-10-02T00:00:00Z" };
  appendFileSync(file, `${JSON.stringify(more)}\n`);
  await desk.refresh();
  assert.deepEqual(ids(await both(desk, "second")), ["n"]);
  writeFileSync(
    file,
    [headerLine("s"), ...chain([user("third")])].map((l) => `${JSON.stringify(l)}\n`).join(""),
  );
  await desk.refresh();
  assert.deepEqual(found(await bothFind(desk, "third")), ["e0"]);
  assert.deepEqual(found(await bothFind(desk, "first")), []);
  rmSync(file);
  await desk.refresh();
  assert.deepEqual(found(await bothFind(desk, "third")), []);
});

test("a file that changed since is not shown with wrong words; damage, v1 and v4 are searched too", async (t) => {
  const desk = makeSearchDesk(t);
  const file = desk.write("a.jsonl", [headerLine("s"), ...chain([user("alpha"), user("beta")])]);
  const v1 = [{ type: "session", id: "s-one", timestamp: "2025-01-01T00:00:00Z", cwd: "/x" }];
  desk.write("v1.jsonl", [
    ...v1,
    {
      type: "message",
      timestamp: "2025-01-01T00:00:00Z",
      message: { role: "user", content: "gamma ray" },
    },
  ]);
  appendFileSync(file, "{torn\n");
  appendFileSync(
    file,
    `${JSON.stringify({ ...user("delta"), id: "d", parentId: "lost", timestamp: "2026-10-02T00:00:00Z" })}\n`,
  );
  await desk.refresh();
  assert.deepEqual(ids(await both(desk, "delta")), ["d"]);
  assert.equal((await both(desk, "gamma")).hits[0]?.excerpt, "gamma ray");
  writeFileSync(file, `${JSON.stringify(headerLine("s"))}\n`);
  assert.deepEqual(ids(await desk.ask("delta")), []);
});

test("a damaged database gives no answer of its own: sessions are read", async (t) => {
  const desk = await sample(t);
  const before = places(await desk.ask("缓存"));
  await desk.index.attempt(async ({ database }) => {
    await database.transaction(() => database.run("DROP TABLE text"));
  }, undefined);
  assert.deepEqual(places(await desk.ask("缓存")), before);
});

test("stopped and taken up again: what is in can be found, and in the end all is", async (t) => {
  const desk = makeSearchDesk(t);
  for (let at = 0; at < 30; at++)
    desk.write(`${at}.jsonl`, [headerLine(`s${at}`), ...chain([user(`word${at} common`)])]);
  await desk.index.refresh([desk.root]);
  const stop = new AbortController();
  const stopped = desk.text.update({
    signal: stop.signal,
    onProgress: (done, total) => {
      if (done > total / 2) stop.abort();
    },
  });
  await assert.rejects(stopped, (error) => BranchlineError.is(error, "ABORTED"));
  const half = (await desk.ask("common")).hits.length;
  assert.ok(half > 10 && half < 30, `${half}`);
  const spent = await desk.text.update({ budgetMs: -1 });
  assert.deepEqual(spent, { entries: 0, bytes: 0, complete: false });
  const [one, other] = await Promise.all([desk.text.update(), desk.text.update()]);
  assert.equal((one?.entries ?? 0) + (other?.entries ?? 0), 30 - half);
  assert.equal((await desk.ask("common")).hits.length, 30);
  assert.deepEqual(await desk.text.update(), { entries: 0, bytes: 0, complete: true });
});

test("F101: planted needles over 200 sessions: every hit found, none wrong", async (t) => {
  const seed = 20261129;
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  const desk = makeSearchDesk(t);
  const hay = [
    "the",
    "cache",
    "lock",
    "session",
    "getLeaf",
    "方",
    "案",
    "的",
    "缓",
    "存",
    "，",
    "entry",
  ];
  const needles = ["zebraFinch", "紫貂毛", "quetzal owl", "𠮷野家"];
  const planted = new Map<string, string[]>(needles.map((needle) => [needle, []]));
  for (let number = 0; number < 200; number++) {
    const entries: Members[] = [];
    for (let at = 0; at < 1 + random(20); at++) {
      const words = Array.from({ length: random(60) }, () => hay[random(hay.length)] as string);
      const needle = random(40) === 0 ? needles[random(needles.length)] : undefined;
      if (needle !== undefined) {
        words.splice(random(words.length + 1), 0, needle);
        planted.get(needle)?.push(`s${number}/e${at}`);
      }
      const text = words.join(" ");
      entries.push(random(2) === 0 ? user(text) : toolResult(text));
    }
    desk.write(`${number}.jsonl`, [headerLine(`s${number}`), ...chain(entries)]);
  }
  await desk.refresh();
  for (const [needle, expected] of planted) {
    assert.ok(expected.length > 0);
    const found = await desk.ask(`"${needle}"`, { limit: 1000 });
    assert.deepEqual(places(found), expected.toSorted(), needle);
    for (const { excerpt, marks } of found.hits) {
      assert.equal(excerpt.slice(marks[0]?.start, marks[0]?.end), needle);
    }
  }
  assert.deepEqual(places(await desk.askByReading('"紫貂毛"')), planted.get("紫貂毛")?.toSorted());
});
