import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { makeDesk, turn } from "./run-cli.ts";

const note = (text: string): string =>
  `${JSON.stringify({ type: "message", message: { role: "user", content: text } })}\n`;

async function* chunks(text: string, size: number): AsyncIterable<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

test("append: one result line for each entry, in order, in one chain", async (t) => {
  const { ok } = makeDesk(t);
  await ok(["new"]);
  const count = 300;
  const stdin = Array.from({ length: count }, (_, i) => note(`第 ${i} 条`)).join("");
  const { rows } = await ok(["append", "--json"], { stdin: chunks(`${stdin}\n`, 97) });
  assert.equal(rows.length, count);
  for (let i = 1; i < count; i++) assert.equal(rows[i]?.parentId, rows[i - 1]?.id);
  const log = (await ok(["log", "--json"])).rows;
  assert.deepEqual(
    log.map((row) => row.preview),
    Array.from({ length: count }, (_, i) => `第 ${i} 条`),
  );
});

test("append: a bad line is named, exit 2, what stood before it stays", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  const bad = [
    "no json",
    "[1]",
    '"text"',
    '{"no":"type"}',
    '{"type":"message"}',
    '{"type":"message","id":"x","message":{"role":"user","content":"y"}}',
    '{"type":"compaction","summary":5}',
  ];
  for (const line of bad) {
    const said = await cli(["append", "--json"], {
      stdin: `${note("good")}${line}\n${note("no")}`,
    });
    assert.equal(said.code, 2, line);
    const { error } = JSON.parse(said.err);
    assert.equal(error.code, "ENTRY_INVALID", line);
    assert.equal(error.line, 2, line);
    assert.ok(said.rows.length >= 1, line);
  }
});

test("append: after a failure it does not wait for a silent pipe", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  async function* silent(): AsyncIterable<string> {
    yield note("one");
    yield note("two");
    await new Promise(() => undefined);
  }
  const leaf = "nobody-has-this-id";
  const said = await cli(["append", "--expect-leaf", leaf, "--json"], { stdin: silent() });
  assert.equal(said.code, 4);
});

test("append --expect-leaf: a loser gets exit 4 and the present leaf", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  const first = await ok(["append", "--expect-leaf", "root", "--json"], { stdin: turn("q", "a") });
  const leaf = String(first.rows[1]?.id);
  const lost = await cli(["append", "--expect-leaf", "root", "--json"], { stdin: note("x") });
  assert.equal(lost.code, 4);
  assert.equal(lost.out, "");
  const { error } = JSON.parse(lost.err);
  assert.equal(error.code, "STORE_CONFLICT");
  assert.equal(error.fields.head, leaf);
  const text = await cli(["append", "--expect-leaf", "root"], { stdin: note("x") });
  assert.match(text.err, new RegExp(`the leaf is ${leaf}`));
  await ok(["append", "--expect-leaf", leaf], { stdin: note("y") + note("z") });
});

test("append --key: the same lines again write nothing", async (t) => {
  const { ok, cli } = makeDesk(t);
  await ok(["new"]);
  const first = await ok(["append", "--key", "k", "--json"], { stdin: turn("q", "a") });
  const again = await ok(["append", "--key", "k", "--json"], { stdin: turn("q", "a") });
  assert.deepEqual(again.rows, first.rows);
  assert.equal((await cli(["append", "--key", "k"], { stdin: turn("other", "a") })).code, 4);
});

test("damage: reads work and say so, fsck exits 3 and lists it, repair plans and applies", async (t) => {
  const { ok, cli, sample } = makeDesk(t);
  const file = sample("v3-tui-branches.jsonl");
  assert.deepEqual((await ok(["fsck", file, "--json"])).rows[0]?.problems, []);
  const lines = readFileSync(file, "utf8").split("\n");
  lines[6] = "{broken";
  writeFileSync(file, `${lines.join("\n")}{"torn`);
  const damaged = readFileSync(file);
  for (const verb of ["tree", "log", "context", "status", "labels"]) {
    const said = await cli([verb, file]);
    assert.equal(said.code, 0, verb);
    assert.match(said.err, /damaged .*branchline fsck/, verb);
  }
  const context = (await ok(["context", file, "--at", "74c8872f", "--json"])).rows[0];
  assert.notDeepEqual(context?.gaps, []);
  assert.match((await ok(["context", file, "--at", "74c8872f"])).out, /history is missing/);
  assert.match((await ok(["tree", file])).out, /history is missing/);
  const fsck = await cli(["fsck", file, "--json"]);
  assert.equal(fsck.code, 3);
  assert.equal(fsck.rows[0]?.ok, false);
  assert.match((await cli(["fsck", file])).out, /LINE_NOT_JSON/);
  const plan = await cli(["repair", file, "--json"]);
  assert.equal(plan.code, 3);
  assert.equal(plan.rows[0]?.applied, false);
  assert.deepEqual(readFileSync(file), damaged);
  const applied = (await ok(["repair", file, "--apply", "--json"])).rows[0];
  assert.equal(applied?.applied, true);
  assert.deepEqual(readFileSync(String(applied?.original)), damaged);
  assert.match((await ok(["repair", file])).out, /nothing to mend/);
});

test("repair names what only a check of the whole session finds, and exits as fsck does", async (t) => {
  const { cli, home } = makeDesk(t);
  const timestamp = "2026-01-01T00:00:00.000Z";
  const result = { role: "toolResult", toolCallId: "gone", toolName: "t", content: [] };
  const lines = [
    { type: "session", version: 3, id: "s", timestamp, cwd: "/p" },
    { type: "message", id: "r1", parentId: null, timestamp, message: result },
    { type: "label", id: "l1", parentId: "r1", timestamp, targetId: "lost", label: "x" },
    {
      type: "compaction",
      id: "c1",
      parentId: "l1",
      timestamp,
      summary: "s",
      firstKeptEntryId: "y",
    },
  ];
  const file = path.join(home, "s.jsonl");
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const before = readFileSync(file, "utf8");
  for (const apply of [[], ["--apply"]]) {
    const said = await cli(["repair", file, "--json", ...apply]);
    assert.equal(said.code, 3);
    const actions = said.rows[0]?.actions as unknown as { code: string; kind: string }[];
    assert.deepEqual(
      actions.map(({ code, kind }) => `${kind} ${code}`),
      ["leave TOOL_RESULT_ORPHAN", "leave TARGET_MISSING", "leave FIRST_KEPT_MISSING"],
    );
  }
  assert.match((await cli(["repair", file])).out, /nothing that a repair could mend/);
  assert.equal((await cli(["fsck", file])).code, 3);
  assert.equal(readFileSync(file, "utf8"), before);
});

test("usage: exit 2, one clear line, no stack trace without --debug", async (t) => {
  const { cli } = makeDesk(t);
  for (const args of [
    ["foo"],
    ["tree", "--frob"],
    ["tree", "a", "b"],
    ["label"],
    ["--root"],
    ["export", "x", "--to", "y"],
    ["ls", "--since", "soon"],
  ]) {
    const said = await cli(args);
    assert.equal(said.code, 2, args.join(" "));
    assert.match(said.err, /^error: /);
    assert.doesNotMatch(said.err, /\n\s+at /);
    const json = await cli([...args, "--json"]);
    const { error } = JSON.parse(json.err);
    assert.deepEqual(Object.keys(error), [
      "code",
      "message",
      "hint",
      "file",
      "line",
      "byte",
      "fields",
    ]);
  }
  assert.match((await cli(["tree", "nope", "--debug"])).err, /\n\s+at /);
  assert.equal((await cli(["--help"])).code, 0);
  assert.match((await cli(["help", "switch"])).out, /Example:/);
  assert.match((await cli(["--version"])).out, /^\d+\.\d+\.\d+/);
});

test("errors say what to do, and name the verb", async (t) => {
  const { ok, cli, home } = makeDesk(t);
  await ok(["new"]);
  await ok(["append"], { stdin: turn("q", "a") });
  const odd = path.join(home, "odd.json");
  writeFileSync(odd, '{"type":"session","version":3,"id":"odd","timestamp":"","cwd":"/p"}\n');
  const cases: readonly (readonly [string, RegExp, readonly string[]])[] = [
    ["SESSION_UNKNOWN", /branchline ls/, ["repair", "./nope.jsonl"]],
    ["SESSION_UNKNOWN", /branchline ls/, ["fsck", "./nope.jsonl"]],
    ["FILE_UNSAFE", /\.jsonl/, ["rm", odd]],
    ["FILE_UNSAFE", /regular file/, ["tree", `${home}/`]],
    ["BRANCH_UNKNOWN", /branchline branch/, ["branch", "-d", "nope"]],
    ["BRANCH_NAME_INVALID", /another name/, ["branch", "@x"]],
    ["TARGET_INVALID", /branchline tree/, ["hide", "root"]],
    ["USAGE", /branchline help export/, ["export", "last", "--at", "@", "--to"]],
    ["USAGE", /branchline help relocate/, ["relocate", "last"]],
    ["USAGE", /branchline help branch/, ["branch", "-d"]],
  ];
  for (const [code, hint, args] of cases) {
    const said = await cli([...args, "--json"]);
    const { error } = JSON.parse(said.err);
    assert.equal(error.code, code, args.join(" "));
    assert.match(error.hint, hint, args.join(" "));
  }
});

test("S16 names, labels, texts, file names and errors reach no terminal as instructions", async (t) => {
  const { ok, cli, home } = makeDesk(t);
  const evil = "\x1b]52;c;aGk=\x07\x9b31m\u202e";
  const file = path.join(home, "evil\x1b[31m.jsonl");
  const message = { role: "user", content: evil };
  const lines = [
    { type: "session", version: 3, id: "evil", timestamp: "2026-11-29T00:00:00.000Z", cwd: evil },
    { type: "message", id: "e1", parentId: null, timestamp: evil, message },
    { type: evil, id: "e2", parentId: "e1", timestamp: "" },
    {
      type: "message",
      id: "e3",
      parentId: "e2",
      timestamp: "",
      message: { role: evil, content: evil },
    },
    { type: "label", id: "e4", parentId: "e3", timestamp: evil, targetId: "e1", label: evil },
    { type: "session_info", id: "e5", parentId: "e4", timestamp: "", name: evil },
    {
      type: "custom_message",
      id: "e6",
      parentId: "e5",
      timestamp: "",
      customType: evil,
      content: evil,
    },
    {
      type: "compaction",
      id: "e7",
      parentId: "e6",
      timestamp: "",
      summary: evil,
      firstKeptEntryId: "e3",
    },
    {
      type: "model_change",
      id: `e8${evil}`,
      parentId: "e7",
      timestamp: "",
      provider: evil,
      modelId: evil,
    },
  ];
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  appendFileSync(file, `${evil}\n`);
  const commands = [
    ["status", file],
    ["tree", file],
    ["tree", file, "--all"],
    ["log", file],
    ["log", file, "--graph"],
    ["context", file],
    ["show", "e3", "-s", file],
    ["labels", file],
    ["branch", "-s", file],
    ["fsck", file],
    ["repair", file],
    ["oplog", file],
    ["expand", "-s", file],
    ["export", file, "--to", "md"],
    ["export", file, "--to", "jsonl"],
    ["ls", "--root", home],
    ["show", evil, "-s", file],
    ["tree", evil],
    [evil],
    ["switch", "e1", "-s", file],
  ];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
  const harmful = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/;
  for (const args of commands) {
    for (const extra of [[], ["--json"], ["--plain"]]) {
      const said = await cli([...args, ...extra]);
      const title = `${args[0]} ${extra.join("")}`;
      assert.doesNotMatch(said.out, harmful, title);
      assert.doesNotMatch(said.err, harmful, title);
    }
  }
  await ok(["ls", "--root", home]);
});

test("S16 a line end in an id, a folder or a model forges no line of ours", async (t) => {
  const { ok, home } = makeDesk(t);
  const timestamp = "2026-01-01T00:00:00.000Z";
  const forged = "x\nerror: forged";
  const header = { type: "session", version: 3, id: "s", timestamp, cwd: `/${forged}` };
  const entry = { type: "model_change", id: forged, parentId: null, timestamp };
  const file = path.join(home, "forged.jsonl");
  const lines = [header, { ...entry, provider: "p", modelId: forged }];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const verbs = [
    ["status", file],
    ["log", file],
    ["tree", file],
    ["tree", file, "--plain"],
  ];
  for (const verb of [...verbs, ["ls", "--plain", "--root", home]]) {
    const { out } = await ok(verb);
    assert.doesNotMatch(out, /^error: forged/m, verb[0]);
  }
});
