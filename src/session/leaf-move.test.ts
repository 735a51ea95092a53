import assert from "node:assert/strict";
import { test } from "node:test";
import { leafMark } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { add, assistant, newFixture, raw, talk, texts, user } from "./testing/session-fixture.ts";

test("a move is durable: whoever attaches next stands there", async () => {
  const { session, again } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const moved = await session.moveLeaf(a1 ?? null);
  assert.ok(moved.started);
  assert.equal(moved.position, a1);
  assert.equal(moved.previousLeaf, a2);
  assert.equal(moved.commonAncestor, a1);
  assert.equal(moved.branch, moved.leaf);
  const next = await again();
  assert.equal(next.leaf, moved.leaf);
  assert.equal(next.branch, moved.branch);
  await add(next, user("B"));
  assert.deepEqual(await texts(next), ["u1", "a1", "B"]);
});

test("the marker hangs under the target and says session, operation and what was left", async () => {
  const { session } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const { leaf, op } = await session.moveLeaf(a1 ?? null);
  const entry = await session.store.mustGet(leaf ?? "");
  assert.equal(entry.parentId, a1);
  assert.deepEqual(leafMark(entry, "s1"), { session: "s1", op, start: true, from: a2 });
});

test("back to the head of a branch, or its position: goes on along it", async () => {
  const { session } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const away = await session.moveLeaf(a1 ?? null);
  const b = await add(session, user("B"));
  const back = await session.moveLeaf(a2 ?? null);
  assert.equal(back.started, false);
  assert.equal(back.branch, "main");
  assert.equal(back.position, a2);
  // The head of main is now the marker; its position still names the branch.
  await session.moveLeaf(b);
  assert.equal(session.branch, away.branch);
  assert.equal((await session.moveLeaf(a2 ?? null)).branch, "main");
  assert.deepEqual(await texts(session), ["u1", "a1", "u2", "a2"]);
});

test("a label, a name or usage behind the target does not make it the middle of the branch", async () => {
  const { session } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  await session.setLabel(a2 ?? "", "完成");
  await session.rename("n");
  assert.equal((await session.moveLeaf(a2 ?? null)).op, null);
  await session.moveLeaf(a1 ?? null);
  const back = await session.moveLeaf(a2 ?? null);
  assert.deepEqual([back.started, back.branch], [false, "main"]);
  // State of an extension is a reason to go back before it.
  await add(session, { type: "custom", customType: "plan", data: 1 });
  assert.equal((await session.moveLeaf(a2 ?? null)).started, true);
});

test("there already: nothing is written, unless the stored leaf is elsewhere", async () => {
  const { session, again } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const size = session.tree.size;
  const same = await session.moveLeaf(a2 ?? null, { summary: { text: "not needed" } });
  assert.equal(same.op, null);
  assert.equal(session.tree.size, size);
  const other = await again();
  const away = await other.moveLeaf(a1 ?? null);
  const claimed = await session.moveLeaf(a2 ?? null);
  assert.notEqual(claimed.op, null);
  assert.equal(claimed.previousLeaf, away.leaf);
  assert.equal((await again()).branch, "main");
  await session.undo();
  assert.equal((await again()).branch, away.branch);
});

test("null moves before the first entry", async () => {
  const { session, again } = await newFixture();
  await talk(session, 1);
  const moved = await session.moveLeaf(null);
  assert.equal(moved.position, null);
  assert.equal(moved.commonAncestor, null);
  assert.ok(moved.started);
  assert.deepEqual(await texts(session), []);
  await add(session, user("again"));
  assert.deepEqual(await texts(await again()), ["again"]);
});

test("a summary and its marker are one commit; both we and Pi land below it", async () => {
  const { session, again } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const size = session.tree.size;
  const moved = await session.moveLeaf(a1 ?? null, {
    summary: { text: "tried 方案 A", details: { files: 1 } },
  });
  assert.equal(session.tree.size, size + 2);
  const summary = await session.store.mustGet(moved.leaf ?? "");
  assert.equal(summary.parentId, moved.branch);
  const { type, fromId, details } = summary as typeof summary & Record<string, unknown>;
  assert.deepEqual([type, fromId, details], ["branch_summary", a2, { files: 1 }]);
  assert.equal((await again()).leaf, summary.id);
  assert.deepEqual(await texts(session), ["u1", "a1", "[tried 方案 A]"]);
  const fromRoot = await newFixture([raw("x1", null, user("x")), raw("x2", null, user("y"))]);
  await fromRoot.session.moveLeaf(null);
  await fromRoot.session.moveLeaf("x1", { summary: { text: "s" } });
  const last = await fromRoot.session.store.last(1);
  assert.equal(last[0]?.type, "branch_summary");
});

test("concurrent moves and appends of two handles never hide an entry (P6)", async () => {
  const { session, again } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  await session.moveLeaf(a1 ?? null);
  const other = await again({ at: a2 ?? null });
  const [, appended] = await Promise.all([
    session.moveLeaf(a2 ?? null),
    other.append(user("meanwhile")),
  ]);
  await session.refresh();
  const main = await again({ at: session.tree.head("main") });
  assert.ok((await texts(main)).includes("meanwhile"));
  assert.ok(session.tree.has(appended[0]?.id ?? ""));
  assert.ok(session.tree.branches().every(({ kind }) => kind === "branch"));
});

test("moveToBranch goes to the branch itself, also where two end at one entry", async () => {
  const { session } = await newFixture();
  const [, a1] = await talk(session, 1);
  const branch = await session.createBranch("alt");
  assert.equal(session.branch, "main");
  const moved = await session.moveToBranch("alt");
  assert.equal(moved.branch, branch);
  assert.equal(moved.position, a1);
  assert.equal((await session.moveLeaf(a1 ?? null)).op, null);
  await assert.rejects(session.moveToBranch("nope"), (error) =>
    BranchlineError.is(error, "BRANCH_UNKNOWN"),
  );
});

test("select: a user message gives its text and goes to its parent, others become the leaf", async () => {
  const { session } = await newFixture();
  const [u1, a1, u2] = await talk(session, 2);
  const first = await session.select(u2 ?? "");
  assert.equal(first.editorText, "u2");
  assert.equal(first.position, a1);
  const edited = await add(session, user("u2 edited"));
  const second = await session.select(edited);
  assert.equal(second.editorText, "u2 edited");
  assert.equal(second.position, a1);
  assert.equal(session.tree.get(second.leaf ?? "")?.parent?.id, a1);
  const root = await session.select(u1 ?? "");
  assert.equal(root.position, null);
  assert.equal(root.editorText, "u1");
  const answer = await session.select(a1 ?? "");
  assert.equal(answer.editorText, null);
  assert.equal(answer.position, a1);
  const blocks = await add(session, {
    type: "custom_message",
    customType: "ext",
    content: [
      { type: "text", text: "one " },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "text", text: "two" },
    ],
    display: true,
  });
  assert.equal((await session.select(blocks)).editorText, "one two");
  await assert.rejects(session.select("nope"), (error) =>
    BranchlineError.is(error, "ENTRY_UNKNOWN"),
  );
  await assert.rejects(session.moveLeaf("nope"), (error) =>
    BranchlineError.is(error, "ENTRY_UNKNOWN"),
  );
});

test("select with a summary lands where select does, and decides again when others are faster", async () => {
  const { session, again } = await newFixture();
  const [, a1, u2] = await talk(session, 2);
  await session.moveLeaf(a1 ?? "");
  const edited = await add(session, user("u2 edited"));
  const other = await again();
  await add(other, user("meanwhile"));
  const picked = await session.select(edited, { summary: { text: "left" } });
  assert.equal(picked.editorText, "u2 edited");
  // Beside the edited message, above the marker that its branch starts with.
  assert.equal(picked.commonAncestor, a1);
  assert.deepEqual(await texts(session), ["u1", "a1", "[left]"]);
  const [summary] = session.tree.path(session.leaf).slice(-1);
  assert.equal(summary?.parent?.parent?.id, a1);
  const back = await session.select(u2 ?? "", { summary: { text: "again" } });
  assert.equal(back.editorText, "u2");
});

test("an old leaf entry stands for its target", async () => {
  const { session } = await newFixture([
    raw("r1", null, user("u1")),
    raw("r2", "r1", assistant("a1")),
    raw("l1", "r2", { type: "leaf", targetId: "r1" }),
  ]);
  assert.equal(session.leaf, "r1");
  assert.equal((await session.moveLeaf("l1")).op, null);
  await session.undo();
  assert.equal(session.position, "r2");
  await session.redo();
  assert.equal(session.position, "r1");
});
