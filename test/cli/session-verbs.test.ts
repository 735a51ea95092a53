import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { CliIo } from "../../src/cli/cli-io.ts";
import { ownRoot, piRoot } from "../../src/cli/data-roots.ts";
import { makeDesk, turn } from "./run-cli.ts";

test("new, name, ls, status: text and JSON", async (t) => {
  const { ok, cli, cwd } = makeDesk(t);
  assert.equal((await cli([])).code, 1);
  const id = (await ok(["new", "配置", "排查"])).out.trim();
  const { rows } = await ok(["ls", "--json"]);
  assert.equal(rows.length, 1);
  assert.deepEqual(
    { id: rows[0]?.id, name: rows[0]?.name, cwd: rows[0]?.cwd, agent: rows[0]?.agent },
    { id, name: "配置 排查", cwd, agent: "branchline" },
  );
  assert.match((await ok(["ls"])).out, /配置 排查/);
  assert.match((await ok(["ls", "--plain"])).out, /^Session .*: 配置 排查\./);
  assert.match((await ok([])).out, /配置 排查/);
  const status = (await ok(["--json"])).rows[0];
  assert.equal(status?.session, id);
  await ok(["name", id, "新", "名"]);
  assert.equal((await ok(["name", id.slice(0, 13)])).out.trim(), "新 名");
  await ok(["name", "新 名", "--clear"]);
  assert.equal((await ok(["name", "last", "--json"])).rows[0]?.name, null);
});

test("the columns of ls stand under their titles, however long ids and titles are", async (t) => {
  const { ok, home } = makeDesk(t);
  const header = (id: string): string =>
    `{"type":"session","version":3,"id":"${id}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}\n`;
  for (const id of [
    "s1",
    "0198c0de-0000-7000-8000-000000000080",
    "0198c0de-0000-7000-8000-000000000087",
  ]) {
    writeFileSync(path.join(home, `${id}.jsonl`), header(id));
  }
  const [titles = "", ...rows] = (await ok(["ls", "--root", home])).out.trimEnd().split("\n");
  const end = titles.indexOf("entries") + "entries".length;
  assert.equal(rows.length, 3);
  for (const row of rows) assert.match(row.slice(0, end), / 0$/, row);
});

test("ls by label and divergence: the same rows with the index and without", async (t) => {
  const { ok, home, sample } = makeDesk(t);
  sample("v3-tui-branches.jsonl");
  sample("v3-forked-child.jsonl");
  for (const how of [[], [], ["--no-index"]]) {
    const ids = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { rows } = await ok(["ls", "--root", home, "--json", ...args, ...how]);
      return rows.map((row) => path.basename(String(Object(row).path)));
    };
    assert.deepEqual(await ids("--label", "checkpoint-1"), ["v3-tui-branches.jsonl"]);
    assert.deepEqual(await ids("--label", "checkpoint"), []);
    assert.deepEqual(await ids("--diverged"), ["v3-tui-branches.jsonl"]);
    assert.equal((await ids()).length, 2);
  }
});

test("ls filters, and names what it skipped", async (t) => {
  const { ok, home, sample } = makeDesk(t);
  await ok(["new", "--cwd", "/a"]);
  await ok(["new", "--cwd", "/b"]);
  assert.equal((await ok(["ls", "--cwd", "/a", "--json"])).rows.length, 1);
  assert.equal((await ok(["ls", "--agent", "pi", "--json"])).rows.length, 0);
  assert.equal((await ok(["ls", "--since", "1h", "--json"])).rows.length, 2);
  assert.equal((await ok(["ls", "--since", "2999-01-01", "--json"])).rows.length, 0);
  assert.equal((await ok(["ls", "--since", "99999999999999y", "--json"])).rows.length, 2);
  sample("v3-tui-branches.jsonl");
  writeFileSync(path.join(home, "notes.jsonl"), '{"hello":1}\n');
  const said = await ok(["ls", "--root", home, "--agent", "pi", "--json"]);
  assert.equal(said.rows.length, 1);
  assert.match(said.err, /1 file was skipped: .*notes\.jsonl/);
});

test("a session is found by file, id, prefix, name and last, in our root and in Pi's", async (t) => {
  const { ok, cli, home, sample } = makeDesk(t);
  const id = (await ok(["new", "一"])).out.trim();
  for (const reference of [id, id.slice(0, 20), "一", "last"]) {
    assert.equal((await ok(["status", reference, "--json"])).rows[0]?.session, id, reference);
  }
  const file = sample("v3-tui-branches.jsonl");
  const pi = { env: { PI_CODING_AGENT_SESSION_DIR: home } };
  assert.equal((await ok(["status", file, "--json"])).rows[0]?.name, "Fixture session");
  assert.equal((await ok(["status", "Fixture session", "--json"], pi)).rows[0]?.path, file);
  assert.equal((await ok(["tree", "-s", "01a22905-0d4a", "--json"], pi)).rows.length, 1);
  assert.equal((await cli(["tree", "nope"])).code, 1);
  assert.equal((await cli(["tree", "./nope.jsonl"])).code, 1);
  assert.equal((await cli(["tree", "../../etc/passwd"])).code, 1);
  await ok(["new", "一"]);
  const two = await cli(["tree", "一", "--json"]);
  assert.equal(two.code, 2);
  assert.equal(JSON.parse(two.err).error.code, "SESSION_AMBIGUOUS");
});

test("rm goes to the trash, restore brings back, purge asks and really removes", async (t) => {
  const { ok, cli } = makeDesk(t);
  const id = (await ok(["new", "x"])).out.trim();
  const file = String((await ok(["ls", "--json"])).rows[0]?.path);
  await ok(["rm", id]);
  assert.equal(existsSync(file), false);
  assert.equal((await ok(["ls", "--json"])).rows.length, 0);
  assert.equal((await ok(["ls", "--trash", "--json"])).rows[0]?.id, id);
  await ok(["restore", id.slice(0, 12)]);
  assert.equal(existsSync(file), true);
  assert.equal((await cli(["restore", id])).code, 1);
  assert.equal((await cli(["purge", id])).code, 2);
  assert.equal((await cli(["purge", id], { isTTY: true, stdin: "no\n" })).code, 1);
  assert.equal(existsSync(file), true);
  assert.equal((await cli(["purge", id], { isTTY: true, stdin: "yes\n" })).code, 0);
  assert.equal(existsSync(file), false);
  const second = (await ok(["new", "y"])).out.trim();
  await ok(["rm", second]);
  assert.equal((await ok(["purge", second, "--yes", "--json"])).rows[0]?.purged, true);
  assert.equal((await ok(["ls", "--trash", "--json"])).rows.length, 0);
});

test("purge: an exact id wins, a prefix of two is refused, --trash spares what is in use", async (t) => {
  const { ok, cli } = makeDesk(t);
  const ids = async (...args: string[]): Promise<string[]> =>
    (await ok(["ls", ...args, "--json"])).rows.map((row) => String(row.id));
  await ok(["new", "--id", "aa1-live"]);
  await ok(["new", "--id", "aa2-dead"]);
  await ok(["rm", "aa2-dead"]);
  const refused = await cli(["purge", "aa", "--yes", "--json"]);
  assert.equal(refused.code, 2);
  assert.equal(JSON.parse(refused.err).error.code, "SESSION_AMBIGUOUS");
  assert.deepEqual([await ids(), await ids("--trash")], [["aa1-live"], ["aa2-dead"]]);
  await ok(["new", "--id", "aa"]);
  const asked = await cli(["purge", "aa2"], { isTTY: true, stdin: "no\n" });
  assert.match(asked.err, /aa2-dead, which is in the trash/);
  await ok(["purge", "aa", "--yes"]);
  assert.deepEqual(await ids(), ["aa1-live"]);
  await ok(["new", "--id", "aa2-dead-not"]);
  await ok(["purge", "aa2-dead", "--yes"]);
  assert.deepEqual([(await ids()).length, await ids("--trash")], [2, []]);
  await ok(["rm", "aa1-live"]);
  await ok(["new", "--id", "aa1-live"]);
  await ok(["purge", "aa1", "--trash", "--yes"]);
  assert.deepEqual([(await ids()).length, await ids("--trash")], [2, []]);
  await ok(["rm", "aa1-live"]);
  await ok(["new", "--id", "aa1-live"]);
  const both = await cli(["purge", "aa1-live"], { isTTY: true, stdin: "yes\n" });
  assert.match(both.err, /what the trash holds/);
  assert.deepEqual([await ids(), await ids("--trash")], [["aa2-dead-not"], []]);
});

test("an empty session reference is refused: nothing is removed by an unset variable", async (t) => {
  const { ok, cli } = makeDesk(t);
  const id = (await ok(["new", "x"])).out.trim();
  for (const verb of [["rm"], ["purge", "--yes"], ["tree"], ["status", "-s"]]) {
    assert.equal((await cli([...verb, ""])).code, 2, verb.join(" "));
  }
  assert.equal((await ok(["ls", "--json"])).rows.length, 1);
  await ok(["rm", id]);
  for (const verb of [["restore"], ["purge", "--yes"]]) {
    assert.equal((await cli([...verb, ""])).code, 2, verb.join(" "));
  }
  assert.equal((await ok(["ls", "--trash", "--json"])).rows.length, 1);
});

test("sessions never go to the current folder because HOME is empty", (t) => {
  const { HOME } = process.env;
  t.after(() => Object.assign(process.env, HOME === undefined ? {} : { HOME }));
  process.env.HOME = "";
  for (const root of [ownRoot, piRoot]) {
    const { directory } = root({ env: { HOME: "" }, cwd: "/nowhere" } as unknown as CliIo);
    assert.ok(!directory.startsWith("/nowhere"), directory);
  }
});

test("relocate follows a project folder, for one session or all of a folder", async (t) => {
  const { ok, cli } = makeDesk(t);
  const id = (await ok(["new", "--cwd", "/old/app"])).out.trim();
  await ok(["new", "--cwd", "/old/app"]);
  await ok(["relocate", id, "/new/app"]);
  assert.equal((await ok(["ls", "--cwd", "/new/app", "--json"])).rows[0]?.id, id);
  const { rows } = await ok(["relocate", "--from", "/old/app", "/new/app", "--json"]);
  assert.equal(rows.length, 1);
  assert.equal((await ok(["ls", "--cwd", "/new/app", "--json"])).rows.length, 2);
  assert.equal((await cli(["relocate", "--from", "/nowhere", "/x"])).code, 1);
  assert.equal((await cli(["relocate", id])).code, 2);
});

test("fork and clone make sessions that know where they come from", async (t) => {
  const { ok } = makeDesk(t);
  await ok(["new", "原"]);
  await ok(["append"], { stdin: turn("q1", "a1") + turn("q2", "a2") });
  const from = (await ok(["--json"])).rows[0];
  const fork = (await ok(["fork", "@~2", "--name", "叉", "--json"])).rows[0];
  assert.equal(fork?.from, from?.session);
  assert.ok(fork?.parentSession);
  const messages = (await ok(["context", "叉", "--json"])).rows[0]
    ?.messages as unknown as unknown[];
  assert.equal(messages.length, 2);
  const clone = (await ok(["clone", "原", "--json"])).rows[0];
  const cloned = (await ok(["context", String(clone?.id), "--json"])).rows[0]?.messages;
  assert.equal((cloned as unknown as unknown[]).length, 4);
});

test("export: a path that opens again, and Markdown that text cannot break out of", async (t) => {
  const { ok, cli, sample, home } = makeDesk(t);
  const file = sample("v3-tui-branches.jsonl");
  const before = readFileSync(file);
  const { out } = await ok(["export", file, "--to", "jsonl"]);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines[0].type, "session");
  for (let i = 2; i < lines.length; i++) assert.equal(lines[i].parentId, lines[i - 1].id);
  writeFileSync(`${home}/copy.jsonl`, out);
  const [a] = (await ok(["context", file, "--json"])).rows;
  const [b] = (await ok(["context", `${home}/copy.jsonl`, "--json"])).rows;
  assert.deepEqual(b?.messages, a?.messages);
  const markdown = (await ok(["export", file, "--to", "md"])).out;
  assert.match(markdown, /^# Fixture session\n/);
  assert.match(markdown, /## toolResult/);
  assert.equal((await cli(["export", file])).code, 2);
  assert.equal((await cli(["export", file, "--to", "pdf"])).code, 2);
  assert.deepEqual(readFileSync(file), before);
});

test("completion: scripts for three shells, words for verbs, options, sessions, branches", async (t) => {
  const { ok, cli, sample } = makeDesk(t);
  for (const shell of ["bash", "zsh", "fish"]) {
    assert.match((await ok(["completion", shell])).out, /branchline __complete/);
  }
  assert.equal((await cli(["completion", "tcsh"])).code, 2);
  const words = async (...typed: string[]): Promise<string[]> =>
    (await ok(["__complete", "--", ...typed])).out.trim().split("\n");
  assert.deepEqual(await words("tre"), ["tree"]);
  assert.deepEqual(
    await words("fs", ""),
    (await words("")).filter(() => true),
  );
  assert.ok((await words("context", "--")).includes("--raw"));
  assert.deepEqual(await words("export", "--to", ""), ["html", "md", "jsonl"]);
  assert.deepEqual(await words("completion", "z"), ["zsh"]);
  const id = (await ok(["new", "名字"])).out.trim();
  assert.deepEqual(await words("tree", ""), ["last", id, "名字"]);
  assert.deepEqual(await words("show", "-s", "名"), ["名字"]);
  assert.deepEqual(await words("switch", ""), ["@", "main"]);
  const file = sample("format-sample.jsonl");
  await ok(["branch", "叉", "-s", file]);
  assert.deepEqual(await words("switch", "-s", file, ""), ["@", "main", "叉"]);
});
