import assert from "node:assert/strict";
import { test } from "node:test";
import type { SqliteIndex } from "../../src/index/sqlite/sqlite-index.ts";
import { ManualClock } from "../../src/io/testing/manual-clock.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { IndexMachine } from "./index-machine.ts";

const user = (content: string) =>
  ({ type: "message", message: { role: "user", content } }) as const;

test("a session that is open goes on when another process drops it from the index, or damages the index", async () => {
  const machine = new IndexMachine();
  try {
    await using here = machine.index();
    await using store = createJsonlStore({ root: machine.root, index: here });
    const made = await store.create({ cwd: "/p" });
    for (const text of ["one", "two"]) await made.commit({ entries: [user(text)] });
    const path = made.file ?? "";
    await made.close();
    await using session = await Session.attach(await store.openFile(path));
    assert.equal((await session.context()).messages.length, 2);
    await using other = machine.index();
    assert.equal((await other.session(path))?.sound, true);
    await other.distrust(path);
    await other.refresh([machine.root]);
    await session.append(user("three"));
    await session.refresh();
    assert.equal((await session.context()).messages.length, 3);
    assert.equal(session.tree.path(session.leaf).length, 3);
    await using again = await Session.attach(await store.openFile(path));
    assert.equal((await again.context()).messages.length, 3);
  } finally {
    machine.remove();
  }
});

test("rows that this index removes are missed at once, those that another process removes 10 ms later", async () => {
  const machine = new IndexMachine();
  try {
    await using store = createJsonlStore({ root: machine.root });
    const made = await store.create({ cwd: "/p" });
    const path = made.file ?? "";
    await made.close();
    const clock = new ManualClock();
    await using here = machine.index({ clock });
    await using other = machine.index();
    const known = await here.session(path);
    assert.equal(known?.isAlive(), true);
    await rebuilt(other, path, machine.root);
    assert.equal(known?.isAlive(), true);
    clock.advance(10);
    assert.equal(known?.isAlive(), false);
    assert.equal(known?.isAlive(), false);
    const anew = await here.session(path);
    assert.equal(anew?.isAlive(), true);
    await rebuilt(here, path, machine.root);
    assert.equal(anew?.isAlive(), false);
    const last = await here.session(path);
    assert.equal(last?.isAlive(), true);
    await here.close();
    assert.equal(last?.isAlive(), false);
  } finally {
    machine.remove();
  }
});

async function rebuilt(index: SqliteIndex, path: string, root: string): Promise<void> {
  await index.distrust(path);
  await index.refresh([root]);
}
