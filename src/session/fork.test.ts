import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { isOwnState } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { seededRandom } from "../io/testing/seeded-random.ts";
import type { StoreSession } from "../store/store.ts";
import { cloneSession, forkSession } from "./fork.ts";
import { checkSession } from "./fsck.ts";
import { Session } from "./session.ts";
import {
  add,
  assistant,
  compaction,
  NOW,
  newFixture,
  raw,
  talk,
  texts,
  user,
} from "./testing/session-fixture.ts";

async function all(store: StoreSession): Promise<Entry[]> {
  return collect(store.scan());
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("a fork holds the path with the same ids, in a new session that names the old one", async () => {
  const { session, store } = await newFixture();
  const [u1, a1, u2] = await talk(session, 2);
  const forked = await forkSession({
    from: session,
    at: u2 ?? null,
    store,
    cwd: "/else",
    id: "f1",
  });
  assert.equal(forked.id, "f1");
  assert.equal(forked.header.cwd, "/else");
  assert.equal(forked.header.parentSession, "s1");
  assert.deepEqual(
    (await all(forked)).map(({ id }) => id),
    [u1, a1, u2],
  );
  const copy = await Session.attach(forked);
  assert.equal(copy.branch, "main");
  assert.equal(copy.leaf, u2);
  await add(copy, assistant("in the fork"));
  assert.equal(session.tree.size, 4);
  const report = await checkSession(forked);
  assert.deepEqual(report.problems, []);
});

test("our own state and labels are left out, labels in force come again (P18)", async () => {
  const { session, store } = await newFixture();
  const [u1, a1, u2] = await talk(session, 2);
  await session.setLabel(u1 ?? "", "start");
  await session.setLabel(a1 ?? "", "gone");
  await session.setLabel(a1 ?? "", null);
  await session.moveLeaf(a1 ?? null);
  const b = await add(session, user("B"));
  await session.createBranch("named");
  await session.setLabel(u2 ?? "", "not on the path");
  const after = await add(session, assistant("B answer"));
  const random = seededRandom(3);
  const clone = await cloneSession({ from: session, store, random, clock: { now: () => NOW } });
  const entries = await all(clone);
  assert.deepEqual(entries.map(({ id, parentId }) => [id, parentId]).slice(0, 4), [
    [u1, null],
    [a1, u1],
    [b, a1],
    [after, b],
  ]);
  assert.equal(entries.length, 5);
  assert.equal(entries[4]?.type, "label");
  assert.equal(entries[4]?.parentId, after);
  assert.deepEqual([...clone.tree.labels().keys()], [u1]);
  assert.ok(!entries.some(isOwnState));
  const copy = await Session.attach(clone);
  assert.deepEqual((await copy.context()).messages, (await session.context()).messages);
  assert.equal(clone.header.cwd, "/project");
});

test("a compacted session keeps its context; first-kept is remapped when it is left out (F088, F089)", async () => {
  for (const keeps of ["label", "marker", "message", "itself"]) {
    const { session, store } = await newFixture();
    const [u1] = await talk(session, 2);
    await session.setLabel(u1 ?? "", "x");
    const label = session.leaf ?? "";
    await session.createBranch("b");
    const marker = session.leaf ?? "";
    const u3 = await add(session, user("u3"));
    const kept = { label, marker, message: u3, itself: "c1" }[keeps] ?? "";
    await session.append({ ...compaction(kept), id: "c1" });
    await add(session, user("u4"));
    const expected = keeps === "itself" ? ["[so far]", "u4"] : ["[so far]", "u3", "u4"];
    assert.deepEqual(await texts(session), expected);
    const copy = await Session.attach(await cloneSession({ from: session, store }));
    assert.deepEqual(await texts(copy), expected, keeps);
    assert.deepEqual((await copy.context({ raw: true })).messages.length, expected.length);
    assert.equal((await checkSession(copy.store)).ok, true);
    await add(copy, assistant("a4"));
    assert.deepEqual(await texts(copy), [...expected, "a4"]);
  }
});

test("a first-kept entry with nothing copied behind it keeps nothing", async () => {
  const { session, store } = await newFixture();
  const [u1] = await talk(session, 1);
  await session.setLabel(u1 ?? "", "x");
  await add(session, compaction(session.leaf ?? ""));
  const copy = await cloneSession({ from: session, store });
  const entries = await all(copy);
  const copied = entries.find(({ type }) => type === "compaction");
  assert.equal((copied as { firstKeptEntryId?: string }).firstKeptEntryId, copied?.id);
  assert.equal((await checkSession(copy)).ok, true);
});

test("uncompact marks and edits shape the context, so they come along", async () => {
  const { session, store } = await newFixture();
  const [, a1, u2] = await talk(session, 2);
  await add(session, compaction(u2 ?? "", "one"));
  await session.uncompact();
  await session.hide(a1 ?? "");
  await add(session, user("u3"));
  const copy = await Session.attach(await cloneSession({ from: session, store }));
  assert.deepEqual(await texts(copy), ["u1", "u2", "a2", "u3"]);
  assert.deepEqual(await texts(copy), await texts(session));
  await session.undo();
  await session.undo();
  const second = await Session.attach(await cloneSession({ from: session, store }));
  assert.deepEqual(await texts(second), ["[one]", "u2", "a2", "u3"]);
});

test("gaps stay visible behind placeholders; edits of what is not copied and old leaf entries are left out", async () => {
  const { session, store } = await newFixture([
    raw("r1", null, user("u1")),
    raw("r2", "lost", assistant("after a gap")),
    raw("l1", "r2", { type: "leaf", targetId: "r2" }),
    raw("r3", "l1", user("u2")),
    raw("e1", "r3", { type: "context_edit", targetId: "lost", replacement: null }),
    raw("r4", "e1", assistant("a2")),
  ]);
  assert.equal((await session.context()).gaps.length, 1);
  assert.equal((await checkSession(session.store)).ok, false);
  const copy = await Session.attach(await cloneSession({ from: session, store }));
  const [, gap] = await all(copy.store);
  assert.deepEqual(
    (await all(copy.store)).map(({ id, parentId }) => [id, parentId]),
    [
      ["r1", null],
      [gap?.id, "r1"],
      ["r2", gap?.id],
      ["r3", "r2"],
      ["r4", "r3"],
    ],
  );
  assert.deepEqual(await checkSession(copy.store), {
    file: null,
    ok: true,
    entries: 5,
    problems: [],
  });
  assert.equal((await copy.context()).gaps.length, 1);
  assert.deepEqual((await copy.context()).messages, (await session.context()).messages);
  const again = await Session.attach(await cloneSession({ from: copy, store }));
  assert.deepEqual((await again.context()).messages, (await copy.context()).messages);
});

test("a fork before the first entry is empty; of an unknown entry it is refused", async () => {
  const { session, store } = await newFixture();
  await talk(session, 1);
  const empty = await forkSession({ from: session, at: null, store });
  assert.equal(empty.tree.size, 0);
  assert.equal(empty.header.parentSession, "s1");
  const count = (await collect(store.list())).length;
  await assert.rejects(forkSession({ from: session, at: "nope", store }), (error) =>
    BranchlineError.is(error, "ENTRY_UNKNOWN"),
  );
  await assert.rejects(forkSession({ from: session, at: null, store, id: "s1" }), (error) =>
    BranchlineError.is(error, "SESSION_EXISTS"),
  );
  assert.equal((await collect(store.list())).length, count);
});
