import assert from "node:assert/strict";
import { test } from "node:test";
import { isEntry } from "../entry/entry-check.ts";
import { BranchlineError } from "../errors.ts";
import { branchConclusion, mergeBranch } from "./merge.ts";
import { add, assistant, newFixture, talk, texts, user } from "./testing/session-fixture.ts";

const isInvalid = (error: unknown): boolean => BranchlineError.is(error, "TARGET_INVALID");

test("the last question and answer of the other branch, word for word, and said to be that", async () => {
  const { session } = await newFixture();
  const [, a1 = ""] = await talk(session, 1);
  await talk(session, 2, "方案");
  const end = session.leaf ?? "";
  await session.moveLeaf(a1);
  await add(session, user("B"));
  const note = await branchConclusion(session, end);
  assert.match(note.text, /^Copied from another branch .* 4 messages/);
  assert.match(note.text, /question was:\n\n方案u2\n\nIts last answer was:\n\n方案a2$/);
  const entry = await mergeBranch(session, note);
  assert.ok(isEntry(entry, "branch_summary"));
  assert.equal(entry.fromId, end);
  assert.equal(entry.id, session.leaf);
  assert.deepEqual(await texts(session), ["u1", "a1", "B", `[${note.text}]`]);
  assert.deepEqual(await texts(session, end), ["u1", "a1", "方案u1", "方案a1", "方案u2", "方案a2"]);
});

test("a given text is appended as it is", async () => {
  const { session } = await newFixture();
  const [, a1 = "", , a2 = ""] = await talk(session, 2);
  await session.moveLeaf(a1);
  const entry = await mergeBranch(session, { from: a2, text: "结论", details: { x: 1 } });
  assert.ok(isEntry(entry, "branch_summary"));
  assert.deepEqual([entry.summary, entry.details], ["结论", { x: 1 }]);
});

test("what is on the path already, or has no answer, is refused and nothing is written", async () => {
  const { session } = await newFixture();
  const [u1 = "", a1 = ""] = await talk(session, 1);
  const unanswered = await add(session, user("?"));
  const content = [{ type: "text" as const, text: "half" }];
  const failed = await add(session, {
    type: "message",
    message: { role: "assistant", content, provider: "p", model: "m", stopReason: "aborted" },
  });
  await session.moveLeaf(a1);
  await add(session, user("B"));
  const { size } = session.tree;
  for (const from of [u1, a1, unanswered, failed]) {
    await assert.rejects(branchConclusion(session, from), isInvalid);
  }
  await assert.rejects(mergeBranch(session, { from: u1, text: "x" }), isInvalid);
  assert.equal(session.tree.size, size);
});

test("a huge answer is cut, and the cut is said", async () => {
  const { session } = await newFixture();
  const from = await add(session, assistant(`${"长".repeat(19_999)}🌳${"x".repeat(50_000)}`));
  await session.moveLeaf(null);
  const { text } = await branchConclusion(session, from);
  assert.match(text, /长\n\(cut: 70001 characters in all\)$/);
  assert.ok(text.length < 21_000);
});
