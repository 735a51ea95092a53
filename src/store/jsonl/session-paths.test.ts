import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createJsonlStore } from "./jsonl-store.ts";
import { folderOf } from "./session-paths.ts";

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
