import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { displayWidth } from "../../src/cli/width.ts";
import { makeDesk, turn } from "./run-cli.ts";

test("tree: flat lanes, folded runs, labels and leaf; JSON has every entry", async (t) => {
  const { ok, sample } = makeDesk(t);
  const file = sample("v3-tui-branches.jsonl");
  const before = readFileSync(file);
  const { out } = await ok(["tree", file], {
    isTTY: true,
    columns: 80,
    env: { NO_COLOR: "1" },
  });
  assert.match(out, /├─○ 62d087a7 user Idea A: use a cache/);
  assert.match(out, /… 3 entries …/);
  assert.match(out, /:checkpoint-1/);
  assert.match(out, /544df214 .*◀ leaf/);
  for (const line of out.split("\n")) assert.ok(displayWidth(line) <= 80, line);
  assert.doesNotMatch((await ok(["tree", file, "--all"])).out, /entries …/);
  const plain = (await ok(["tree", file, "--plain"])).out;
  assert.doesNotMatch(plain, /[│├─●○┊]/u);
  assert.match(plain, /Level 1, a branch begins: user 62d087a7, under 45aceb79\. Idea A/);
  const tree = (await ok(["tree", file, "--json"])).rows[0] as unknown as {
    leaf: string;
    nodes: { id: string; parentId: string | null; label: string | null; role: string | null }[];
    branches: { id: string; head: string }[];
  };
  assert.equal(tree.leaf, "544df214");
  assert.equal(tree.nodes.length, 49);
  assert.equal(tree.nodes.find((one) => one.id === "beaaa8f2")?.label, "checkpoint-1");
  assert.equal(tree.branches[0]?.head, "544df214");
  assert.deepEqual(readFileSync(file), before);
});

test("Chinese text keeps its columns", async (t) => {
  const { ok } = makeDesk(t);
  await ok(["new", "配置排查"]);
  await ok(["append"], { stdin: turn("帮我设计缓存方案".repeat(30), "好的，".repeat(60)) });
  const screens = [
    { isTTY: true, columns: 72 },
    { isTTY: false, columns: 200, env: { COLUMNS: "72" } },
  ];
  const verbs = [["tree"], ["ls"], ["log"], ["branch"], []];
  for (const [args, screen] of verbs.flatMap((verb) =>
    screens.map((one) => [verb, one] as const),
  )) {
    const { out } = await ok(args, screen);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own styles are taken out
    const bare = out.replace(/\x1b\[[0-9;]*m/g, "");
    for (const line of bare.split("\n")) assert.ok(displayWidth(line) <= 72, `${args}: ${line}`);
  }
  await ok(["label", "@", "标签".repeat(12)]);
  const labelled = (await ok(["log"], { env: { COLUMNS: "72" } })).out;
  assert.match(labelled, /:标签标签/);
  for (const line of labelled.split("\n")) assert.ok(displayWidth(line) <= 72, line);
});

test("without a terminal COLUMNS gives the width, nonsense in it does not", async (t) => {
  const { ok } = makeDesk(t);
  await ok(["new"]);
  await ok(["append"], { stdin: turn("x".repeat(300), "y") });
  const width = async (COLUMNS: string): Promise<number> =>
    Math.max(...(await ok(["log"], { env: { COLUMNS } })).out.split("\n").map(displayWidth));
  assert.equal(await width("60"), 60);
  assert.ok((await width("130")) > 120);
  for (const odd of ["", "0", "-5", "wide", "1e3"]) assert.equal(await width(odd), 100, odd);
});

test("one entry is no entries", async (t) => {
  const { ok } = makeDesk(t);
  await ok(["new"]);
  await ok(["append"], { stdin: '{"type":"message","message":{"role":"user","content":"q"}}\n' });
  for (const args of [["ls", "--plain"], ["status", "--plain"], ["branch"], ["fsck"]]) {
    const { out } = await ok(args);
    assert.doesNotMatch(out, /\b1 (entries|branches|messages|problems)\b/, args.join(" "));
    assert.match(out, /\b1 |ok/, args.join(" "));
  }
});

test("colours: on a terminal only, never with NO_COLOR or --plain", async (t) => {
  const { ok, sample } = makeDesk(t);
  const file = sample("format-sample.jsonl");
  const colored = "\x1b[";
  assert.ok((await ok(["tree", file], { isTTY: true })).out.includes(colored));
  assert.ok(!(await ok(["tree", file])).out.includes(colored));
  const quiet = { isTTY: true, env: { NO_COLOR: "1" } };
  assert.ok(!(await ok(["tree", file], quiet)).out.includes(colored));
  assert.ok(!(await ok(["tree", file, "--plain"], { isTTY: true })).out.includes(colored));
});

test("switch moves the leaf for good, says that files stay, gives a user message back to edit", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  await ok(["append"], { stdin: turn("q1", "a1") + turn("q2 要改", "a2") });
  const rows = (await ok(["log", "--json"])).rows;
  const [q1, a1, q2] = rows.map((row) => String(row.id));
  const moved = await ok(["switch", String(q2), "--json"]);
  assert.equal(moved.rows[0]?.editorText, "q2 要改");
  assert.equal(moved.rows[0]?.position, a1);
  assert.equal((await ok(["--json"])).rows[0]?.position, a1);
  const text = await ok(["switch", String(q1)]);
  assert.equal(text.out, "q1\n");
  assert.match(text.err, /files in the working folder stay/);
  assert.equal((await ok(["--json"])).rows[0]?.position, null);
  await ok(["switch", String(a1), "--summary", "旧分支的总结"]);
  const context = (await ok(["context", "--json"])).rows[0]?.messages as unknown as unknown[];
  assert.match(JSON.stringify(context), /旧分支的总结/);
  assert.equal((await cli(["switch", "nothing-here"])).code, 1);
  assert.equal((await cli(["switch"])).code, 2);
});

test("undo, redo, oplog", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  assert.equal((await cli(["undo"])).code, 1);
  await ok(["append"], { stdin: turn("q", "a") });
  await ok(["label", "@", "里程碑"]);
  const undone = await ok(["undo"]);
  assert.match(undone.out, /taken back: .*里程碑/);
  assert.equal(undone.err, "");
  assert.equal((await ok(["labels", "--json"])).rows.length, 0);
  await ok(["redo", "--json"]);
  assert.equal((await ok(["labels", "--json"])).rows[0]?.label, "里程碑");
  assert.equal((await cli(["redo"])).code, 1);
  assert.equal((await ok(["oplog", "--json"])).rows.length, 3);
  assert.match((await ok(["oplog"])).out, /里程碑/);
  await ok(["branch", "方案A", "@"]);
  await ok(["switch", "方案A"]);
  const back = await ok(["undo"]);
  assert.match(back.out, /move from branch "main" to branch "方案A"/);
  assert.match(back.err, /files in the working folder stay/);
});

test("branch: make, list, rename, put away; log of a range", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  await ok(["append"], { stdin: turn("q", "a") });
  await ok(["branch", "方案A"]);
  await ok(["branch", "方案B", "@"]);
  assert.equal((await cli(["branch", "方案A"])).code, 4);
  await ok(["append", "--branch", "方案A"], { stdin: turn("A 问", "A 答") });
  await ok(["switch", "方案B"]);
  await ok(["append"], { stdin: turn("B 问", "B 答") });
  const names = (await ok(["branch", "--json"])).rows.map((row) => row.name);
  assert.deepEqual(names, ["main", "方案A", "方案B"]);
  assert.match((await ok(["branch"])).out, /\* 方案B/);
  const beyond = (await ok(["log", "--at", "main..方案A", "--json"])).rows;
  assert.deepEqual(
    beyond.map((row) => row.preview),
    ["A 问", "A 答"],
  );
  const sides = (await ok(["log", "--at", "方案A...方案B"])).out;
  assert.match(sides, /< .*A 问[\s\S]*> .*B 答/);
  await ok(["branch", "-m", "方案A", "方案甲"]);
  await ok(["branch", "-d", "方案甲"]);
  assert.equal((await ok(["branch", "--json"])).rows.length, 2);
  assert.equal((await ok(["branch", "--all", "--json"])).rows.length, 3);
  const standing = await cli(["branch", "-d", "方案B", "--json"]);
  assert.equal(JSON.parse(standing.err).error.code, "TARGET_INVALID");
  assert.equal((await ok(["branch", "--restore", "方案甲", "--json"])).rows[0]?.archived, false);
  assert.equal((await ok(["branch", "--json"])).rows.length, 3);
  assert.equal((await cli(["branch", "--restore", "无"])).code, 1);
  assert.equal((await cli(["branch", "--restore"])).code, 2);
  await ok(["branch", "-d", "方案甲"]);
  assert.equal((await cli(["branch", "-m", "方案B"])).code, 2);
  assert.equal((await cli(["branch", "-d"])).code, 2);
  assert.equal((await cli(["append", "--branch", "无"], { stdin: "" })).code, 1);
  assert.match((await ok(["log", "--graph"])).out, /A 问/);
  assert.equal((await ok(["log", "-n", "1", "--json"])).rows[0]?.preview, "B 答");
  assert.equal((await cli(["log", "-n", "x"])).code, 2);
});

test("label and labels", async (t) => {
  const { ok, cli, sample } = makeDesk(t);
  const file = sample("format-sample.jsonl");
  const { rows } = await ok(["labels", file, "--json"]);
  assert.deepEqual(
    rows.map((row) => [row.targetId, row.label]),
    [["e4", "读取配置"]],
  );
  assert.match((await ok(["labels", file])).out, /读取配置/);
  await ok(["label", "e5", "两", "词", "-s", file]);
  assert.equal((await ok(["show", ":两 词", "-s", file, "--json"])).rows[0]?.label, "两 词");
  await ok(["label", "e5", "", "-s", file]);
  await ok(["label", "e4", "--clear", "-s", file]);
  assert.equal((await ok(["labels", file, "--json"])).rows.length, 0);
  assert.equal((await cli(["label", "e4", "-s", file])).code, 2);
});

test("@ is the message for verbs about an entry, also after a label, a name or an edit", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  await ok(["append"], { stdin: turn("问", "答") });
  const [, answer] = (await ok(["log", "--json"])).rows.map((row) => row.id);
  await ok(["label", "@", "x"]);
  await ok(["name", "last", "n"]);
  const targets = async (...verbs: string[][]): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const verb of verbs) found.push((await ok([...verb, "--json"])).rows[0]?.targetId);
    return found;
  };
  const verbs = [
    ["hide", "@"],
    ["replace", "@", "别"],
    ["unhide", "@"],
    ["label", "@", "y"],
  ];
  assert.deepEqual(await targets(...verbs), [answer, answer, answer, answer]);
  const shown = (await ok(["show", "--json"])).rows[0]?.entry as unknown as { id: string };
  assert.equal(shown.id, answer);
  // Where the conversation stands is the position, and stays it.
  const { position } = (await ok(["status", "--json"])).rows[0] as unknown as { position: string };
  assert.notEqual(position, answer);
  assert.equal((await ok(["context", "--at", "@", "--json"])).rows[0]?.at, position);
  const far = await cli(["show", "@~99"]);
  assert.match(far.err, /only 1 entry above/);
});

test("context: at the leaf, at root, at several entries; text shows the same", async (t) => {
  const { ok, sample } = makeDesk(t);
  const file = sample("format-sample.jsonl");
  const { rows } = await ok(["context", file, "--at", "root", "--at", "e5", "--json"]);
  assert.deepEqual(rows[0]?.messages, []);
  assert.equal(rows[0]?.at, null);
  assert.equal(rows[1]?.at, "e5");
  const leaf = (await ok(["context", file, "--json"])).rows[0];
  assert.equal(leaf?.at, "e13");
  assert.deepEqual(leaf?.model, { provider: "deepseek", modelId: "deepseek-flash" });
  const raw = (await ok(["context", file, "--raw", "--json"])).rows[0];
  assert.deepEqual(raw?.messages, leaf?.messages);
  const { out } = await ok(["context", file]);
  assert.match(out, /deepseek\/deepseek-flash · thinking off/);
  assert.match(out, /用户要求检查项目配置；助手已读取配置文件。/);
  assert.match((await ok(["context", file, "--short"])).out, /about \d+ tokens/);
});

test("hide, replace, unhide change the context and not the entry", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  await ok(["append"], { stdin: turn("问", "答") });
  const seen = async (): Promise<string> =>
    JSON.stringify((await ok(["context", "--json"])).rows[0]?.messages);
  const answer = String((await ok(["log", "--json"])).rows[1]?.id);
  await ok(["hide", answer]);
  assert.doesNotMatch(await seen(), /答/);
  await ok(["replace", answer, "别的", "话"]);
  assert.match(await seen(), /别的 话/);
  await ok(["unhide", answer, "--json"]);
  assert.match(await seen(), /"答"/);
  assert.match((await ok(["show", answer])).out, /答/);
  assert.equal((await cli(["hide", "root"])).code, 2);
});

test("expand prints what a compaction stands for, uncompact brings it back", async (t) => {
  const { ok, cli, sample } = makeDesk(t);
  const file = sample("v3-tui-branches.jsonl");
  const before = (await ok(["context", file, "--json"])).rows[0]?.messages as unknown as unknown[];
  const expanded = (await ok(["expand", "-s", file, "--json"])).rows;
  assert.equal(expanded[0]?.compaction, "01e5e022");
  assert.ok(expanded.length > 5);
  assert.match((await ok(["expand", "01e5e022", "-s", file])).out, /RUNSHELL list the files/);
  await ok(["uncompact", "-s", file]);
  const after = (await ok(["context", file, "--json"])).rows[0]?.messages as unknown as unknown[];
  assert.ok(after.length > before.length);
  assert.equal((await cli(["expand", "62d087a7", "-s", file])).code, 2);
  await ok(["undo", file]);
  const again = (await ok(["context", file, "--json"])).rows[0]?.messages;
  assert.deepEqual(again, before);
});

test("show: one entry whole", async (t) => {
  const { ok, cli, sample } = makeDesk(t);
  const file = sample("v3-tui-branches.jsonl");
  const { out } = await ok(["show", "ace13245", "-s", file]);
  assert.match(out, /→ bash/);
  assert.match(out, /parent\s+e528b453/);
  assert.match(out, /line \d+, bytes \d+–\d+/);
  const [row] = (await ok(["show", "a1a97921", "-s", file, "--json"])).rows;
  assert.deepEqual(row?.children, ["45aceb79"]);
  const raw = JSON.parse((await ok(["show", "a1a97921", "-s", file, "--raw"])).out);
  assert.equal(raw.id, "a1a97921");
  assert.equal((await cli(["show", "zzzz", "-s", file])).code, 1);
});
