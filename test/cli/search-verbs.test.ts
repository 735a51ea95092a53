import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { makeDesk } from "./run-cli.ts";

const OFF = { env: { BRANCHLINE_INDEX: "off" } };

test("F101: search finds entries of all sessions, with the index and without", async (t) => {
  const desk = makeDesk(t);
  desk.sample("v3-tui-branches.jsonl");
  const args = ["search", "idea index", "--root", desk.home, "--json"];
  const { rows } = await desk.ok(args);
  assert.deepEqual(
    rows.map((row) => [row.entry, row.role, row.onActivePath]),
    [
      ["56319e9b", "user", true],
      ["7a8c9a9e", "assistant", true],
    ],
  );
  assert.deepEqual((await desk.ok(args, OFF)).rows, rows);
  assert.deepEqual((await desk.ok([...args, "--limit", "1"])).rows, rows.slice(0, 1));
});

test("search tells what it found in text, marked in colour, and in sentences", async (t) => {
  const desk = makeDesk(t);
  desk.sample("v3-tui-branches.jsonl");
  const args = ["search", "idea index", "--root", desk.home];
  const { out } = await desk.ok(args, { env: { FORCE_COLOR: "1" }, isTTY: true });
  assert.match(out, /Fixture session/);
  assert.ok(out.includes("\u001b[1m\u001b[31mIdea\u001b[39m\u001b[22m B: use an "));
  const plain = await desk.ok([...args, "--plain"]);
  assert.match(
    plain.out,
    /^Entry 56319e9b, user, of session 01a22905-.*: Idea B: use an index instead$/m,
  );
  const nothing = await desk.ok(["search", "zzzzzz", "--root", desk.home]);
  assert.deepEqual([nothing.out, nothing.err.includes("Nothing found.")], ["", true]);
  const inside = await desk.ok(["search", "dea", "role:user", "--root", desk.home]);
  assert.match(inside.err, /holds these letters/);
  assert.match(
    (await desk.ok([...args.slice(0, 1), "idea b", "branch:left", "--root", desk.home])).err,
    /Nothing/,
  );
});

test("S16: nothing from an entry reaches the terminal as an instruction", async (t) => {
  const desk = makeDesk(t);
  const header = { type: "session", version: 3, id: "s\u001b[2J", timestamp: "", cwd: "/" };
  const entry = {
    type: "message",
    id: "e\u001b]0;x\u0007",
    parentId: null,
    timestamp: "2026-01-01T00:00:00.000Z\u001b[31m",
    message: { role: "user\u001b[1m", content: "needle \u001b]52;c;aGk=\u0007 \u202eevil" },
  };
  writeFileSync(
    path.join(desk.home, "x.jsonl"),
    `${[header, entry].map((l) => JSON.stringify(l)).join("\n")}\n`,
  );
  for (const flags of [[], ["--plain"], ["--json"]]) {
    const { out } = await desk.ok(["search", "needle", "--root", desk.home, ...flags]);
    assert.match(out, /needle/);
    for (const evil of ["\u001b", "\u0007", "\u202e"]) assert.ok(!out.includes(evil));
  }
});

test("S7, S8: bad queries are refused with exit code 2; wild ones only find nothing", async (t) => {
  const desk = makeDesk(t);
  desk.sample("v3-tui-branches.jsonl");
  const run = (...args: readonly string[]) => desk.cli(["search", ...args, "--root", desk.home]);
  for (const bad of [
    ["/(/"],
    ["(", "--regex"],
    ["branch:x"],
    ["date:soon"],
    [" "],
    ["a", "--limit", "x"],
  ]) {
    assert.equal((await run(...bad)).code, 2, bad.join(" "));
  }
  for (const wild of ['"', "NEAR(", "*", "x:", "a AND", "{a}:b"])
    assert.equal((await run(wild)).code, 0, wild);
  assert.match((await run("^Idea \\w:", "--regex")).out, /56319e9b/);
});

test("deleting or damaging the index changes no answer", async (t) => {
  const desk = makeDesk(t);
  desk.sample("v3-tui-branches.jsonl");
  const args = ["search", "idea", "--root", desk.home, "--json"];
  const stats = ["stats", "--by", "day", "--root", desk.home, "--json"];
  const before = [(await desk.ok(args)).rows, (await desk.ok(stats)).rows];
  const file = readdirSync(desk.home, { recursive: true, encoding: "utf8" })
    .filter((name) => path.basename(name) === "index.db")
    .map((name) => path.join(desk.home, name))[0] as string;
  assert.equal(existsSync(file), true);
  writeFileSync(file, "no database at all, only text".repeat(500));
  assert.deepEqual([(await desk.ok(args)).rows, (await desk.ok(stats)).rows], before);
  rmSync(file);
  assert.deepEqual([(await desk.ok(args)).rows, (await desk.ok(stats)).rows], before);
});

test("stats: the same with the index and without; unknown prices are ? and null", async (t) => {
  const desk = makeDesk(t);
  desk.sample("v3-tui-branches.jsonl");
  const usage = { input: 5, output: 1, cacheRead: 0, cacheWrite: 0 };
  const message = { role: "assistant", provider: "p", model: "free", content: [], usage };
  const entry = {
    type: "message",
    id: "a",
    parentId: null,
    timestamp: "2026-01-01T00:00:00Z",
    message,
  };
  const header = {
    type: "session",
    version: 3,
    id: "s1",
    timestamp: "2026-01-01T00:00:00Z",
    cwd: "/",
  };
  writeFileSync(
    path.join(desk.home, "x.jsonl"),
    `${[header, entry].map((l) => JSON.stringify(l)).join("\n")}\n`,
  );
  for (const by of ["day", "model", "project", "tool"]) {
    const args = ["stats", "--by", by, "--root", desk.home, "--json"];
    assert.deepEqual((await desk.ok(args, OFF)).rows, (await desk.ok(args)).rows, by);
  }
  const { out } = await desk.ok(["stats", "--by", "model", "--root", desk.home]);
  assert.match(out, /^p\/free .* \?$/m);
  assert.match(out, /^mock\/mock-sonnet .*\$0\.0679$/m);
  const json = await desk.ok(["stats", "--by", "model", "--root", desk.home, "--json"]);
  assert.equal(json.rows.find((row) => String(row.key) === "p/free")?.cost, null);
  assert.match(
    (await desk.ok(["stats", "--root", desk.home, "--plain"])).out,
    /^all: sessions 2, /,
  );
  const none = await desk.ok(["stats", "--since", "2100-01-01", "--root", desk.home]);
  assert.match(none.err, /nothing to count/);
});
