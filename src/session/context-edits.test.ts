import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError, type ErrorCode } from "../errors.ts";
import {
  add,
  assistant,
  calling,
  compaction,
  newFixture,
  raw,
  result,
  talk,
  texts,
  user,
} from "./testing/session-fixture.ts";

const fails = (code: ErrorCode) => (error: unknown) => BranchlineError.is(error, code);

test("hide, replace and unhide work on the handle's path and last", async () => {
  const { session, again } = await newFixture();
  const [u1, a1, u2] = await talk(session, 2);
  const before = await session.context();
  await session.hide(a1 ?? "");
  assert.deepEqual(await texts(await again()), ["u1", "u2", "a2"]);
  await session.replace(a1 ?? "", "short");
  await session.replace(u2 ?? "", [{ type: "text", text: "asked" }]);
  assert.deepEqual(await texts(await again()), ["u1", "short", "asked", "a2"]);
  await session.unhide(a1 ?? "");
  await session.unhide(u2 ?? "");
  const after = await session.context();
  assert.deepEqual(after.messages, before.messages);
  assert.notEqual(u1, undefined);
});

test("text becomes a block for assistants and tools, and stays text for users", async () => {
  const { session } = await newFixture();
  const u1 = await add(session, user("u1"));
  const call = await add(session, calling("c1"));
  const answer = await add(session, result("c1"));
  await session.replace(u1, "u");
  await session.replace(answer, "short");
  const [first, , last] = (await session.context()).messages;
  assert.equal(first !== undefined && "content" in first ? first.content : null, "u");
  const content = last !== undefined && "content" in last ? last.content : null;
  assert.deepEqual(content, [{ type: "text", text: "short" }]);
  await session.hide(call);
  // The result goes with its call (P9).
  assert.deepEqual(await texts(session), ["u"]);
});

test("what changes nothing is not written", async () => {
  const { session } = await newFixture();
  const [u1, a1] = await talk(session, 1);
  assert.equal(await session.unhide(a1 ?? ""), null);
  assert.equal(await session.replace(u1 ?? "", "u1"), null);
  assert.notEqual(await session.hide(a1 ?? ""), null);
  assert.equal(await session.hide(a1 ?? ""), null);
  assert.notEqual(await session.unhide(a1 ?? ""), null);
  assert.equal(await session.unhide(a1 ?? ""), null);
});

test("only messages on the path can be edited", async () => {
  const { session } = await newFixture();
  const [, a1, , a2] = await talk(session, 2);
  const ext = { type: "custom_message", customType: "e", content: "note", display: true } as const;
  const note = await add(session, ext);
  const bash = await add(session, {
    type: "message",
    message: { role: "bashExecution", command: "ls", output: "" },
  });
  const model = await add(session, { type: "model_change", provider: "p", modelId: "m2" });
  await session.hide(note);
  assert.ok(!(await texts(session)).includes("note"));
  await assert.rejects(session.hide(bash), fails("TARGET_INVALID"));
  await assert.rejects(session.replace(model, "x"), fails("TARGET_INVALID"));
  await assert.rejects(session.hide("nope"), fails("ENTRY_UNKNOWN"));
  await session.moveLeaf(a1 ?? null);
  await assert.rejects(session.hide(a2 ?? ""), fails("TARGET_INVALID"));
});

test("edits of a detached handle start its branch", async () => {
  const { session, again } = await newFixture();
  const [, a1] = await talk(session, 2);
  const inside = await again({ at: a1 ?? null });
  await inside.hide(a1 ?? "");
  assert.equal(inside.detached, false);
  assert.deepEqual(await texts(inside), ["u1"]);
  await session.refresh();
  assert.deepEqual(await texts(session), ["u1", "a1", "u2", "a2"]);
});

test("content of a wrong kind counts as empty", async () => {
  const message = { role: "user", content: 7 } as unknown as { role: "user"; content: string };
  const { session } = await newFixture([raw("r1", null, { type: "message", message })]);
  await session.replace("r1", "readable");
  assert.deepEqual(await texts(session), ["readable"]);
  assert.notEqual(await session.unhide("r1"), null);
});

test("uncompact skips a compaction, later turns kept; it belongs to the path", async () => {
  const { session } = await newFixture();
  const [u1, a1, u2] = await talk(session, 2);
  const first = await add(session, compaction(u2 ?? "", "first"));
  const u3 = await add(session, user("u3"));
  const second = await add(session, compaction(u3, "second"));
  await add(session, assistant("a3"));
  assert.deepEqual(await texts(session), ["[second]", "u3", "a3"]);
  await session.uncompact();
  assert.deepEqual(await texts(session), ["[first]", "u2", "a2", "u3", "a3"]);
  await session.uncompact(first);
  assert.deepEqual(await texts(session), ["u1", "a1", "u2", "a2", "u3", "a3"]);
  assert.equal(await session.uncompact(second), null);
  await assert.rejects(session.uncompact(), fails("TARGET_INVALID"));
  await assert.rejects(session.uncompact(u1), fails("TARGET_INVALID"));
  await assert.rejects(session.uncompact("nope"), fails("ENTRY_UNKNOWN"));
  await session.moveLeaf(a1 ?? null);
  await assert.rejects(session.uncompact(first), fails("TARGET_INVALID"));
  await session.moveLeaf(null);
  await assert.rejects(session.uncompact(), fails("TARGET_INVALID"));
});
