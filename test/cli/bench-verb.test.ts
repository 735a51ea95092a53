import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { makeDesk } from "./run-cli.ts";

test("bench measures, only reads the user's sessions, and removes what it made", async (t) => {
  const desk = makeDesk(t);
  const own = desk.sample("v3-tui-branches.jsonl");
  const before = { bytes: readFileSync(own), changed: statSync(own).mtimeMs };
  const args = [
    "bench",
    "--quick",
    "--sizes",
    "1",
    "--root",
    desk.home,
    "--dir",
    desk.home,
    "--json",
  ];
  const { rows } = await desk.ok(args);
  const said = rows.map((row) => `${row.measurement}, ${row.data}`);
  assert.equal(said[0], "limits, this machine");
  assert.match(said[1] ?? "", /^open, your session of 0\.\d MB$/);
  for (const one of [
    "open, 1 MB",
    "append, 1 MB",
    "context after an append, 1 MB",
    "list, 50 sessions",
  ]) {
    assert.ok(said.includes(one), one);
  }
  const failed = rows.filter((row) => String(row.note ?? "").includes("Error"));
  assert.deepEqual(failed, []);
  assert.deepEqual(readFileSync(own), before.bytes);
  assert.equal(statSync(own).mtimeMs, before.changed);
  const left = readdirSync(desk.home).filter((name) => name.startsWith("branchline-bench-"));
  assert.deepEqual(left, []);
});

test("bench refuses sizes that are no sizes and leaves nothing behind", async (t) => {
  const desk = makeDesk(t);
  const { code } = await desk.cli(["bench", "--sizes", "0,x", "--dir", desk.home]);
  assert.equal(code, 2);
  const left = readdirSync(desk.home).filter((name) => name.startsWith("branchline-bench-"));
  assert.deepEqual(left, []);
});
