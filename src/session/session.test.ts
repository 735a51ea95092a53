import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { Session } from "./session.ts";
import { add, assistant, newFixture, raw, talk, texts, user } from "./testing/session-fixture.ts";

const fails = (code: Parameters<typeof BranchlineError.is>[1]) => (error: unknown) =>
  BranchlineError.is(error, code);

test("an empty session stands before the first entry, on main", async () => {
  const { session } = await newFixture();
  assert.equal(session.leaf, null);
  assert.equal(session.position, null);
  assert.equal(session.branch, "main");
  assert.equal(session.detached, false);
  assert.deepEqual((await session.context()).messages, []);
});

test("append chains, freezes what it returns, takes one draft or several", async () => {
  const { session } = await newFixture();
  const [first] = await session.append(user("u1"));
  const [second, third] = await session.append([assistant("a1"), user("u2")]);
  assert.equal(first?.parentId, null);
  assert.equal(second?.parentId, first?.id);
  assert.equal(third?.parentId, second?.id);
  assert.ok(Object.isFrozen(first));
  assert.equal(session.leaf, third?.id);
  assert.deepEqual(await texts(session), ["u1", "a1", "u2"]);
});

test("a handle moves along with its branch, not with others (P6)", async () => {
  const { session, again } = await newFixture();
  const [u1, a1] = await talk(session, 2);
  const other = await again();
  const appended = await add(other, user("from the other"));
  await session.refresh();
  assert.equal(session.leaf, appended);
  await other.moveLeaf(a1 ?? null);
  await add(other, user("on another branch"));
  await session.refresh();
  assert.equal(session.leaf, appended);
  assert.equal(session.branch, "main");
  await add(session, assistant("still main"));
  assert.deepEqual(await texts(session), ["u1", "a1", "u2", "a2", "from the other", "still main"]);
  assert.deepEqual(await texts(other), ["u1", "a1", "on another branch"]);
  assert.equal(session.tree.commonAncestor(session.leaf, other.leaf)?.id, a1);
  assert.notEqual(u1, undefined);
});

test("expectedLeaf: the loser gets the present head, a label between does not count", async () => {
  const { session, again } = await newFixture();
  const [u1, a1] = await talk(session, 1);
  const other = await again();
  await other.setLabel(u1 ?? "", "start");
  const [u2] = await session.append(user("u2"), { expectedLeaf: a1 ?? null });
  await assert.rejects(other.append(user("late"), { expectedLeaf: a1 ?? null }), (error) => {
    assert.ok(BranchlineError.is(error, "STORE_CONFLICT"));
    assert.equal(error.fields.head, u2?.id);
    return true;
  });
});

test("a key makes a retry safe, for a detached handle too", async () => {
  const { session, again } = await newFixture();
  const [, a1] = await talk(session, 2);
  const first = await again({ at: a1 ?? null });
  const [made] = await first.append(user("x"), { key: "k" });
  const retry = await again({ at: a1 ?? null });
  assert.ok(retry.detached);
  const [replayed] = await retry.append(user("x"), { key: "k" });
  assert.equal(replayed?.id, made?.id);
  assert.equal(retry.branch, first.branch);
  assert.equal(retry.leaf, made?.id);
});

test("attached inside the tree: reads there, its first append starts a branch in one commit", async () => {
  const { session, again } = await newFixture();
  const [u1, a1, , a2] = await talk(session, 2);
  const inside = await again({ at: a1 ?? null });
  assert.ok(inside.detached);
  assert.equal(inside.leaf, a1);
  assert.deepEqual(await texts(inside), ["u1", "a1"]);
  await assert.rejects(
    inside.append(user("x"), { expectedLeaf: a2 ?? null }),
    fails("STORE_CONFLICT"),
  );
  const size = inside.tree.size;
  const [made] = await inside.append(user("x"), { expectedLeaf: a1 ?? null });
  assert.equal(inside.tree.size, size + 2);
  assert.equal(inside.detached, false);
  assert.equal(inside.branch, made?.parentId);
  assert.deepEqual(await texts(inside), ["u1", "a1", "x"]);
  assert.equal(session.leaf, a2);
  // Rows and reading work for a detached handle and move nobody.
  const reader = await again({ at: null });
  assert.ok(reader.detached);
  await reader.setLabel(u1 ?? "", "first");
  assert.ok(reader.detached);
  assert.equal(reader.leaf, null);
  assert.equal((await again()).branch, inside.branch);
});

test("attached at a head or a position: on that branch", async () => {
  const { session, again } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const moved = await session.moveLeaf(a1 ?? null);
  const atHead = await again({ at: moved.leaf });
  assert.equal(atHead.branch, moved.branch);
  assert.equal((await again({ at: a2 ?? null })).branch, "main");
  assert.equal((await again({ at: a1 ?? null })).branch, moved.branch);
  await assert.rejects(again({ at: "nope" }), fails("ENTRY_UNKNOWN"));
});

test("Pi-style siblings: the newest in the file is the head, the other a tip", async () => {
  const entries = [
    raw("r1", null, user("u1")),
    raw("r2", "r1", assistant("a1")),
    raw("r3", "r1", assistant("a1 again")),
  ];
  const { session } = await newFixture(entries);
  assert.equal(session.leaf, "r3");
  assert.deepEqual(
    session.branches().map(({ kind, head }) => [kind, head]),
    [
      ["branch", "r3"],
      ["tip", "r2"],
    ],
  );
  const moved = await session.moveLeaf("r2");
  assert.ok(moved.started);
  assert.equal(moved.commonAncestor, "r1");
  assert.deepEqual(await texts(session), ["u1", "a1"]);
});

test("context at any entry, raw and not; unknown entries are refused", async () => {
  const { session } = await newFixture();
  const [u1, a1, u2] = await talk(session, 2);
  const context = await session.context({ at: u2 ?? null });
  assert.equal(context.at, u2);
  assert.equal(context.leaf, session.leaf);
  assert.equal(context.position, session.position);
  assert.deepEqual(context.entries, [u1, a1, u2]);
  assert.deepEqual(context.sources, [u1, a1, u2]);
  assert.deepEqual(context.model, { provider: "p", modelId: "m" });
  assert.ok(context.tokens > 0);
  assert.deepEqual((await session.context({ at: null })).messages, []);
  const rawAtRoot = await session.context({ at: null, raw: true });
  assert.deepEqual(rawAtRoot.entries, []);
  assert.equal(rawAtRoot.activeTools, null);
  const both = [await session.context(), await session.context({ raw: true })];
  assert.deepEqual(both[0], both[1]);
  await assert.rejects(session.context({ at: "nope" }), fails("ENTRY_UNKNOWN"));
});

test("a result without its call: in the raw context, not in the context (P9)", async () => {
  const orphan = raw("r2", "r1", {
    type: "message",
    message: { role: "toolResult", toolCallId: "c9", toolName: "t", content: [], isError: false },
  });
  const { session } = await newFixture([raw("r1", null, user("u1")), orphan]);
  assert.equal((await session.context()).messages.length, 1);
  assert.equal((await session.context({ raw: true })).messages.length, 2);
});

test("close ends following and refuses later calls", async () => {
  const { session } = await newFixture();
  const seen: string[] = [];
  const following = (async () => {
    for await (const event of session.follow()) seen.push(event.type);
  })();
  await session.append(user("u1"));
  await session.close();
  await following;
  assert.deepEqual(seen, ["entries"]);
  await assert.rejects(session.append(user("u2")), fails("STORE_CLOSED"));
});

test("the header, id, file and platform defaults are at hand", async () => {
  const { store } = await newFixture();
  await using session = await Session.attach(await store.open("s1"));
  assert.equal(session.id, "s1");
  assert.equal(session.header.cwd, "/project");
  assert.equal(session.file, null);
  assert.equal(session.readOnly, null);
  const op = await session.rename("x");
  assert.match(op ?? "", /^[0-9a-f]{20}$/);
});
