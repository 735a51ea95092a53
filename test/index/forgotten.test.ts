import assert from "node:assert/strict";
import { test } from "node:test";
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
