import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { startMarker } from "../testing/drafts.ts";
import { add, refused } from "../testing/expect.ts";
import { createJsonlStore, type JsonlStore } from "./jsonl-store.ts";
import { runLockPath } from "./run-locks.ts";

async function newStore(context: TestContext): Promise<JsonlStore> {
  const root = await mkdtemp(join(tmpdir(), "branchline-run-locks-"));
  const store = createJsonlStore({ root, durability: "process" });
  context.after(async () => {
    await store.close();
    await rm(root, { recursive: true });
  });
  return store;
}

async function lockFiles(file: string): Promise<string[]> {
  const folder = dirname(file);
  return (await readdir(folder)).filter((name) => !name.endsWith(".jsonl")).sort();
}

test("P10: the file of a run lock lies beside the session, whatever the branch is called", () => {
  assert.equal(runLockPath("/d/s.jsonl", "main"), "/d/s.jsonl.run-main");
  const names = ["../../x", "A", "a", "a/b", "a\\b", "", "ü", "a".repeat(65), "con.", "__proto__"];
  const paths = names.map((name) => runLockPath("/d/s.jsonl", name));
  assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, names.length);
  for (const path of paths) assert.match(path, /^\/d\/s\.jsonl\.run-[a-z0-9-]+$/);
});

for (const [how, remove] of [
  ["purge", (store: JsonlStore) => store.purge("s")],
  [
    "trash and purge",
    async (store: JsonlStore) => {
      await store.trash("s");
      await store.purge("s");
    },
  ],
  [
    "relocate",
    async (store: JsonlStore, file: string) => void (await store.relocate(file, "/elsewhere")),
  ],
] as const) {
  test(`${how} leaves no lock file behind, nor touches those of others`, async (context) => {
    const store = await newStore(context);
    const other = await store.create({ id: "s.jsonl.run-main", cwd: "/p" });
    const session = await store.create({ id: "s", cwd: "/p" });
    const file = session.file ?? "";
    await add(session, startMarker(session, null, "B/1"));
    for (const branch of ["main", "B/1"]) await (await session.lockRun(branch)).release();
    await (await other.lockRun("main")).release();
    await session.close();
    assert.equal((await lockFiles(file)).length, 4);
    await remove(store, file);
    assert.equal((await lockFiles(file)).length, 1);
    await (await other.lockRun("main")).release();
  });
}

test("what cannot be written cannot be run on", async (context) => {
  const store = await newStore(context);
  const session = await store.create({ id: "s", cwd: "/p" });
  const file = session.file ?? "";
  await add(session, startMarker(session, null));
  await session.close();
  const archived = await store.upkeep.archive(file);
  assert.ok(archived);
  await using again = await store.open("s");
  await refused("SESSION_READ_ONLY", () => again.lockRun("main"));
});

test("a purge of what was trashed from a folder that is gone", async (context) => {
  const store = await newStore(context);
  const session = await store.create({ id: "s", cwd: "/p" });
  const file = session.file ?? "";
  await session.close();
  await store.trash("s");
  await rm(dirname(file), { recursive: true });
  await store.purge("s");
  assert.deepEqual(await store.listTrash(), []);
});
