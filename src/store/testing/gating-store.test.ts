import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../../errors.ts";
import { createMemoryStore } from "../memory/memory-store.ts";
import { custom, user } from "./drafts.ts";
import { add } from "./expect.ts";
import { GatingStore } from "./gating-store.ts";

const failure = new BranchlineError("APPEND_UNKNOWN", { key: null }, { message: "x" });

test("parked commits wait until they are released, oldest first", async () => {
  await using store = new GatingStore(createMemoryStore());
  await using session = await store.create({ cwd: "/p" });
  store.gate.park();
  const commits = ["a", "b", "c"].map((id) => session.commit({ entries: [user(id, { id })] }));
  await store.gate.parked(3);
  assert.equal(store.gate.waiting, 3);
  assert.equal(session.tree.size, 0);
  store.gate.release();
  await commits[0];
  assert.equal(session.tree.leaf(), "a");
  store.gate.open();
  await Promise.all(commits);
  assert.equal(session.tree.leaf(), "c");
  await add(session, user("d"));
  assert.equal(session.tree.size, 4);
});

test("whoever waits for parked commits is told when there are enough", async () => {
  await using store = new GatingStore(createMemoryStore());
  await using session = await store.create({ cwd: "/p" });
  store.gate.park();
  const two = store.gate.parked(2);
  const one = store.gate.parked(1);
  const first = add(session, user("a"));
  await one;
  const second = add(session, user("b"));
  await two;
  await store.gate.parked(2);
  store.gate.open();
  await Promise.all([first, second]);
});

test("a failure before the commit writes nothing, one after it has written", async () => {
  await using store = new GatingStore(createMemoryStore());
  await using session = await store.create({ id: "s", cwd: "/p" });
  store.gate.failNext(failure);
  store.gate.failNext(failure, "after");
  const request = { entries: [user("a")], key: "k" };
  await assert.rejects(session.commit(request), { code: "APPEND_UNKNOWN" });
  assert.equal(session.tree.size, 0);
  await assert.rejects(session.commit(request), { code: "APPEND_UNKNOWN" });
  assert.equal(session.tree.size, 1);
  await using again = await store.open("s");
  assert.equal((await again.commit(request)).replayed, true);
});

test("a parked commit is as it was when it was asked for", async () => {
  await using store = new GatingStore(createMemoryStore());
  await using session = await store.create({ cwd: "/p" });
  store.gate.park();
  const data = [1];
  const commit = add(session, custom(data));
  data.push(2);
  store.gate.open();
  assert.deepEqual(((await commit)[0] as { data?: unknown } | undefined)?.data, [1]);
});
