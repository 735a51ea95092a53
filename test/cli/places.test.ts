/** Where a session lies, as the command line tells it. */
import assert from "node:assert/strict";
import { chownSync, mkdirSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readCommandLine } from "../../src/cli/command-line.ts";
import { makeDesk, turn } from "./run-cli.ts";

const FUTURE = new Date("2030-01-01");

test("a folder that is synced between machines is warned about on standard error and told in JSON", async (t) => {
  const desk = makeDesk(t);
  const root = join(desk.home, "Dropbox", "sessions");
  const made = await desk.ok(["new", "--root", root]);
  assert.match(made.err, /Dropbox syncs between machines/);
  const status = await desk.ok(["status", "--root", root]);
  assert.equal(status.err.match(/Dropbox/g)?.length, 1);
  const [json] = (await desk.ok(["status", "--root", root, "--json"])).rows;
  assert.deepEqual(json?.place, { network: null, synced: "Dropbox", cwdMissing: true });
  const [fsck] = (await desk.ok(["fsck", "last", "--root", root, "--json"])).rows;
  assert.deepEqual(fsck?.place, { network: null, synced: "Dropbox" });
});

test("a session outside of such folders is not warned about", async (t) => {
  const desk = makeDesk(t);
  assert.doesNotMatch((await desk.ok(["new"])).err, /note:/);
  assert.doesNotMatch((await desk.ok(["status"])).err, /note:/);
});

test("a session whose project folder moved opens, says so, and follows with relocate (F014, F104)", async (t) => {
  const desk = makeDesk(t);
  mkdirSync(desk.cwd, { recursive: true });
  await desk.ok(["new", "moving"]);
  await desk.ok(["append"], { stdin: turn("question", "answer") });
  const here = (await desk.ok(["status", "moving"])).out;
  assert.doesNotMatch(here, /not there/);
  const moved = join(desk.home, "moved");
  renameSync(desk.cwd, moved);
  const before = (await desk.ok(["context", "moving", "--json"])).out;
  const gone = (await desk.ok(["status", "moving"])).out;
  assert.match(gone, /project {2}not there: .*\n[\s\S]*branchline relocate moving DIR/);
  await desk.ok(["relocate", "moving", moved]);
  const [status] = (await desk.ok(["status", "moving", "--json"])).rows;
  assert.equal(status?.cwd, moved);
  assert.deepEqual(status?.place, { network: null, synced: null, cwdMissing: false });
  assert.equal((await desk.ok(["context", "moving", "--json"])).out, before);
});

test("a file of another user is not continued unless it is named (row 50)", {
  skip: process.getuid?.() === 0 ? false : "not root, so no file of another user can be made",
}, async (t) => {
  const desk = makeDesk(t);
  const sessions = join(desk.home, "shared");
  mkdirSync(sessions);
  const own = desk.sample("format-sample.jsonl");
  renameSync(own, join(sessions, "own.jsonl"));
  const foreign = join(sessions, "foreign.jsonl");
  renameSync(desk.sample("v3-tui-branches.jsonl"), foreign);
  utimesSync(foreign, FUTURE, FUTURE);
  const newest = async (): Promise<unknown> =>
    (await desk.ok(["status", "last", "--root", sessions, "--json"])).rows[0]?.path;
  assert.equal(await newest(), foreign);
  chownSync(foreign, 65_534, 65_534);
  assert.equal(await newest(), join(sessions, "own.jsonl"));
  chownSync(join(sessions, "own.jsonl"), 65_534, 65_534);
  const refused = await desk.cli(["status", "last", "--root", sessions, "--json"]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /"code":"SESSION_UNKNOWN"/);
  await desk.ok(["status", foreign]);
});

test("--allow-network is understood before and behind the verb", async () => {
  const plain = await readCommandLine(["status"]);
  assert.equal(plain?.globals.network, "refuse");
  for (const words of [
    ["--allow-network", "status"],
    ["status", "--allow-network"],
  ]) {
    assert.equal((await readCommandLine(words))?.globals.network, "allow");
  }
});
