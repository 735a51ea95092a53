import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

const LAUNCHER = path.join(import.meta.dirname, "../../bin/branchline.js");
const SOURCE =
  'export const run = async (argv: string[]): Promise<number> => (console.log("source", ...argv), 3);\n';
const BUILT = 'export const run = async (argv) => (console.log("built", ...argv), 0);\n';

/** Runs a copy of the launcher among the given files. */
function launch(files: Readonly<Record<string, string>>, nodeArgs: readonly string[] = []) {
  const root = mkdtempSync(path.join(tmpdir(), "branchline-bin-"));
  try {
    for (const [file, text] of Object.entries({ "package.json": '{"type":"module"}', ...files })) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    }
    cpSync(LAUNCHER, path.join(root, "bin/branchline.js"));
    const args = [...nodeArgs, path.join(root, "bin/branchline.js"), "a", "b"];
    return spawnSync(process.execPath, args, { encoding: "utf8", cwd: root });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** A preload that makes this Node look like another version. */
const looksLike = (version: string): string[] => {
  const code = `Object.defineProperty(process.versions, "node", { value: "${version}" });`;
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
};

test("launcher runs the sources of a clone, else the build, and passes the exit code on", () => {
  const clone = launch({ "src/cli/main.ts": SOURCE, "dist/cli/main.js": BUILT });
  assert.deepEqual([clone.stdout, clone.status], ["source a b\n", 3]);
  const published = launch({ "dist/cli/main.js": BUILT });
  assert.deepEqual([published.stdout, published.status], ["built a b\n", 0]);
});

test("launcher turns an older Node away with one line", () => {
  for (const version of ["20.20.2", "24.14.9", "22.99.0"]) {
    const { status, stdout, stderr } = launch({ "dist/cli/main.js": BUILT }, looksLike(version));
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(
      stderr,
      new RegExp(
        `^branchline: this is Node ${version}, needed is Node 24\\.15 .*npm run -s branchline.*\\n$`,
      ),
    );
  }
  assert.equal(launch({ "dist/cli/main.js": BUILT }, looksLike("24.15.0")).status, 0);
  assert.equal(launch({ "dist/cli/main.js": BUILT }, looksLike("26.0.0")).status, 0);
});

test("launcher is quiet when the reader of its output goes away", () => {
  const loud = `export const run = async () => {
    for (let n = 0; n < 100_000; n++) console.log("a line of output that is long enough to fill a pipe", n);
    return 0;
  };\n`;
  const root = mkdtempSync(path.join(tmpdir(), "branchline-pipe-"));
  try {
    for (const folder of ["bin", "dist/cli"])
      mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, "package.json"), '{"type":"module"}');
    writeFileSync(path.join(root, "dist/cli/main.js"), loud);
    cpSync(LAUNCHER, path.join(root, "bin/branchline.js"));
    const script = '"$1" bin/branchline.js | head -n 1; echo $PIPESTATUS';
    const done = spawnSync("bash", ["-c", script, "bash", process.execPath], {
      encoding: "utf8",
      cwd: root,
    });
    assert.equal(done.stderr, "");
    assert.equal(done.stdout.trim().split("\n").at(-1), "141");
  } finally {
    rmSync(root, { recursive: true });
  }
});
