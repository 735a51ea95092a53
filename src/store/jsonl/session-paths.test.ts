import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createNodeFileSystem } from "../../io/node-file-system.ts";
import { createJsonlStore } from "./jsonl-store.ts";
import { folderOf, walkSessions } from "./session-paths.ts";

test("folders are named as Pi names them; longer than a name can be they end with a hash", () => {
  assert.equal(folderOf("/home/me/a"), "--home-me-a--");
  assert.equal(folderOf("C:\\me"), "--C--me--");
  const long = `/${"中".repeat(100)}`;
  assert.ok(Buffer.byteLength(folderOf(long)) <= 255);
  assert.notEqual(folderOf(long), folderOf(`${long}a`));
  assert.match(folderOf(`/${"😀".repeat(100)}`), /-[0-9a-f]{16}--$/);
});

test("a session can be made for a working folder with a path of any length", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "branchline-paths-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  await using store = createJsonlStore({ root });
  const cwd = `/${"deep/".repeat(100)}`;
  const session = await store.create({ cwd });
  const path = session.file ?? "";
  await session.close();
  const moved = await store.relocate(path, `${cwd}er`);
  await using again = await store.openFile(moved ?? path);
  assert.equal(again.header.cwd, `${cwd}er`);
});

test("each file comes once in a walk, however many links lead to it", async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "branchline-walk-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const write = (...names: readonly string[]): string => {
    const path = join(root, ...names);
    writeFileSync(path, "");
    return path;
  };
  for (const folder of [".hidden", "b"]) mkdirSync(join(root, folder));
  const seen = [write("a.jsonl"), write("b", "c.jsonl"), write("b", "d.jsonl.zst")];
  write("b", "c.jsonl.zst");
  write("b", "notes.txt");
  const hidden = write(".hidden", "h.jsonl");
  const targets = [...seen, hidden, hidden];
  for (const [at, target] of targets.entries()) symlinkSync(target, join(root, `l${at}.jsonl`));
  symlinkSync(join(root, "b"), join(root, "folder.jsonl"));
  const files: string[] = [];
  const reasons: string[] = [];
  for await (const found of walkSessions(createNodeFileSystem(), root)) {
    files.push(...found.files);
    reasons.push(...found.skipped.map(({ reason }) => reason));
  }
  assert.deepEqual(files, [...seen, hidden]);
  assert.deepEqual(reasons, ["a link to something that is no file"]);
});
