import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { SAMPLES, turn } from "./run-cli.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const BIN = path.join(ROOT, "bin/branchline.js");

interface Process {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function node(args: readonly string[], options: { home: string; input?: string }): Process {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...rest } = process.env;
  return spawnSync(process.execPath, args, {
    cwd: options.home,
    input: options.input ?? "",
    encoding: "utf8",
    env: { ...rest, HOME: options.home, BRANCHLINE_HOME: options.home, TMPDIR: options.home },
  });
}

function makeHome(after: (fn: () => void) => void): string {
  const home = mkdtempSync(path.join(tmpdir(), "branchline-process-"));
  after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test("the program: data on standard output, talk on standard error, exit codes 0 1 2 3 4", (t) => {
  const home = makeHome((fn) => t.after(fn));
  const branchline = (args: string[], input?: string): Process =>
    node([BIN, ...args], { home, ...(input === undefined ? {} : { input }) });
  const made = branchline(["new", "真"]);
  assert.equal(made.status, 0);
  assert.match(made.stdout, /^[0-9a-f-]{36}\n$/);
  const appended = branchline(["append", "--json"], turn("问", "答"));
  assert.equal(appended.status, 0);
  assert.equal(appended.stdout.trim().split("\n").length, 2);
  assert.equal(appended.stderr, "");
  assert.equal(branchline(["append", "--expect-leaf", "root"], turn("问", "答")).status, 4);
  assert.equal(branchline(["tree", "nope"]).status, 1);
  assert.equal(branchline(["frob"]).status, 2);
  const strange = path.join(home, "notes.jsonl");
  writeFileSync(strange, '{"hello":1}\n');
  const unreadable = branchline(["fsck", strange]);
  assert.equal(unreadable.status, 3);
  assert.doesNotMatch(unreadable.stderr, /\n\s+at /);
});

test("a full disk behind standard output is one line and no stack trace", (t) => {
  if (!existsSync("/dev/full")) return t.skip("no /dev/full here");
  const full = openSync("/dev/full", "w");
  t.after(() => closeSync(full));
  const said = spawnSync(process.execPath, [BIN, "help"], {
    encoding: "utf8",
    stdio: ["ignore", full, "pipe"],
  });
  assert.equal(said.status, 1);
  assert.match(said.stderr, /^branchline: standard output cannot be written: ENOSPC.*\n$/);
});

test("npm run tour: it ends with a move that lasted, and leaves the samples alone", (t) => {
  const home = makeHome((fn) => t.after(fn));
  const sample = path.join(SAMPLES, "v3-tui-branches.jsonl");
  const before = readFileSync(sample);
  const done = node([path.join(ROOT, "scripts/tour.ts")], { home });
  assert.equal(done.status, 0, done.stderr);
  assert.match(done.stdout, /before the move 544df214, now bf55a0f2: it lasted/);
  assert.match(done.stdout, /Idea A step two/);
  assert.deepEqual(readFileSync(sample), before);
});

test("npm run demo:03: the two contexts of the tutorial's tree", (t) => {
  const home = makeHome((fn) => t.after(fn));
  const done = node(["--conditions=source", path.join(ROOT, "examples/demos/03-tree.ts")], {
    home,
  });
  assert.equal(done.status, 0, done.stderr);
  const [a = "", b = ""] = done.stdout.split("leaf B context");
  assert.match(a, /leaf A context\n {2}entry_1 <- root \| user: 帮我设计缓存方案/);
  assert.match(a, /entry_3 <- entry_2 \| user: 方案 A/);
  assert.doesNotMatch(a, /方案 B/);
  assert.match(b, /entry_5 <- entry_2 \| user: 方案 B/);
  assert.doesNotMatch(b, /方案 A/);
  assert.match(b, /current leaf: entry_6\nroot: entry_1/);
});

test("the completion script for bash completes", (t) => {
  const home = makeHome((fn) => t.after(fn));
  if (spawnSync("bash", ["--version"]).status !== 0) {
    t.skip("no bash here");
    return;
  }
  const script = node([BIN, "completion", "bash"], { home }).stdout;
  const program = `${script}
branchline() { "${process.execPath}" "${BIN}" "$@"; }
COMP_WORDS=(branchline unc); COMP_CWORD=1; _branchline; echo "\${COMPREPLY[@]}"
COMP_WORDS=(branchline export --to ""); COMP_CWORD=3; _branchline; echo "\${COMPREPLY[@]}"`;
  const done = spawnSync("bash", ["-c", program], {
    encoding: "utf8",
    env: { ...process.env, HOME: home, BRANCHLINE_HOME: home },
  });
  assert.equal(done.stdout, "uncompact\nhtml md jsonl\n", done.stderr);
});
