import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateSession } from "../../src/bench/session-generator.ts";
import { type Desk, makeDesk } from "./run-cli.ts";

/** A session of 20 MB: its settings above the context are further up than is looked. */
function longSession(desk: Desk): string {
  const path = join(desk.home, "long.jsonl");
  const lines = [...generateSession({ seed: 1, bytes: 20_000_000, profile: "agent" })];
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

test("status and context of a long session come from its end (F116, M19)", async (t) => {
  const desk = makeDesk(t);
  const path = longSession(desk);
  const [status] = (await desk.ok(["--no-index", "status", path, "--json"])).rows;
  const unknown = { name: null, branch: null, entries: null, branches: null, usage: null };
  assert.deepEqual({ ...status, ...unknown, verified: false, problems: null }, status);
  const [context] = (await desk.ok(["--no-index", "context", path, "--json"])).rows;
  assert.equal(context?.verified, false);
  assert.ok((context?.unproven as readonly string[] | undefined)?.includes("activeTools"));
  // With a revision all of it is read, and so it is by `tree`.
  const [whole] = (await desk.ok(["--no-index", "context", path, "--at", "@", "--json"])).rows;
  assert.deepEqual({ ...context, verified: true, unproven: [] }, whole);
  assert.equal(status?.leaf, whole?.leaf);
  assert.equal(status?.tokens, whole?.tokens);
  const [tree] = (await desk.ok(["--no-index", "tree", path, "--json"])).rows;
  assert.equal(tree?.leaf, status?.leaf);
});

test("text says that only the end was read; a session that the index knows is whole", async (t) => {
  const desk = makeDesk(t);
  const path = longSession(desk);
  const status = (await desk.ok(["--no-index", "status", path])).out;
  assert.match(status, /\(name not read\)/);
  assert.match(status, /from the end of the session/);
  assert.doesNotMatch(status, /^branch |^cost /m);
  const context = (await desk.ok(["--no-index", "context", path, "--short"])).out;
  assert.match(context, /from the end of the session.*activeTools/);
  await desk.ok(["tree", path]);
  const [known] = (await desk.ok(["status", path, "--json"])).rows;
  assert.deepEqual([known?.verified, known?.unproven, known?.problems], [true, [], 0]);
});
