import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import { pickEntries } from "./pick.ts";
import {
  add,
  assistant,
  calling,
  compaction,
  newFixture,
  result,
  talk,
  texts,
  user,
} from "./testing/session-fixture.ts";

function messageOf(entry: Entry | undefined): Message {
  assert.ok(entry !== undefined && isEntry(entry, "message"));
  return entry.message;
}

function roles(entries: readonly { readonly entry: Entry }[]): string[] {
  return entries.map(({ entry }) => messageOf(entry).role);
}

const isInvalid = (error: unknown): boolean => BranchlineError.is(error, "TARGET_INVALID");

test("copies of messages of another branch stand at the leaf; the originals stay as they were", async () => {
  const { session } = await newFixture();
  const [, a1 = "", u2 = "", a2 = ""] = await talk(session, 2);
  const before = await session.store.getAll([u2, a2]);
  await session.moveLeaf(a1);
  await add(session, user("B"));
  const picked = await pickEntries(session, [u2, a2]);
  assert.deepEqual(
    picked.map(({ from }) => from),
    [u2, a2],
  );
  assert.equal(session.leaf, picked[1]?.entry.id);
  assert.deepEqual(await texts(session), ["u1", "a1", "B", "u2", "a2"]);
  assert.deepEqual(await session.store.getAll([u2, a2]), before);
});

test("the order is that of the call, and what is named twice is copied once", async () => {
  const { session } = await newFixture();
  const [u1 = "", a1 = "", u2 = ""] = await talk(session, 2);
  await session.moveLeaf(null);
  await pickEntries(session, [u2, u1, a1, u2]);
  assert.deepEqual(await texts(session), ["u2", "u1", "a1"]);
});

test("a call brings its results and a result its call: no unit is torn", async () => {
  const { session } = await newFixture();
  await add(session, user("u"));
  const call = await add(session, calling("c1", "c2"));
  await add(session, result("c1", "one"));
  await session.setLabel(call, "Werkzeuge");
  const second = await add(session, result("c2", "two"));
  await add(session, assistant("a"));
  await session.moveLeaf(null);
  assert.deepEqual(roles(await pickEntries(session, [second])), [
    "assistant",
    "toolResult",
    "toolResult",
  ]);
  await session.moveLeaf(null);
  const unit = await pickEntries(session, [call, second]);
  assert.deepEqual(roles(unit), ["assistant", "toolResult", "toolResult"]);
  assert.deepEqual((await session.context()).messages.length, 3);
});

test("a call that the context holds already gets a new name, with its result", async () => {
  const { session } = await newFixture();
  const call = await add(session, calling("c1"));
  await add(session, result("c1"));
  await add(session, assistant("a"));
  const [copy, answer] = await pickEntries(session, [call]);
  const message = messageOf(answer?.entry);
  const name = message.role === "toolResult" ? message.toolCallId : "";
  assert.match(String(name), /^pick-[0-9a-f]{20}$/);
  assert.deepEqual(messageOf(copy?.entry), {
    ...messageOf(await session.store.mustGet(call)),
    content: [{ type: "toolCall", id: name, name: "t", arguments: {} }],
  });
});

test("where a call was answered on two branches, the picked result counts", async () => {
  const { session } = await newFixture();
  const call = await add(session, calling("c1"));
  const first = await add(session, result("c1", "here"));
  await session.moveLeaf(call);
  const second = await add(session, result("c1", "there"));
  for (const [id, text] of [
    [first, "here"],
    [second, "there"],
  ] as const) {
    await session.moveLeaf(null);
    await pickEntries(session, [id]);
    assert.deepEqual((await texts(session)).at(-1), text);
  }
});

test("a copied answer has no usage: it was paid where it was made, and measures no context here", async () => {
  const { session } = await newFixture();
  const usage = { input: 9, output: 9, cacheRead: 0, cacheWrite: 0, totalTokens: 18 };
  const content = [{ type: "text" as const, text: "a" }];
  const message: Message = { role: "assistant", content, provider: "p", model: "m", usage };
  const id = await add(session, { type: "message", message });
  const before = session.tree.get(session.leaf ?? "")?.fold.usage;
  await session.moveLeaf(null);
  const [copy] = await pickEntries(session, [id]);
  const copied: Readonly<Record<string, unknown>> = { ...messageOf(copy?.entry) };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  assert.deepEqual(copied.usage, none);
  assert.equal(before?.input, 9);
  assert.equal(session.tree.get(session.leaf ?? "")?.fold.usage.input, 0);
});

test("notes of extensions and summaries of branches can be picked, all else is refused", async () => {
  const { session } = await newFixture();
  const u1 = await add(session, user("u1"));
  const note = { type: "custom_message", customType: "n", content: "note", display: true };
  const noteId = await add(session, note);
  const summaryId = await add(session, { type: "branch_summary", fromId: u1, summary: "s" });
  const compactionId = await add(session, compaction(u1));
  const system = await add(session, {
    type: "message",
    message: { role: "system", content: "rules" },
  });
  const lonely = await add(session, result("gone"));
  const size = session.tree.size;
  for (const id of [compactionId, system, lonely]) {
    await assert.rejects(pickEntries(session, [u1, id]), isInvalid);
  }
  await assert.rejects(pickEntries(session, ["nope"]), (error) =>
    BranchlineError.is(error, "ENTRY_UNKNOWN"),
  );
  assert.equal(session.tree.size, size, "a refused pick writes nothing");
  await session.moveLeaf(null);
  await pickEntries(session, [noteId, summaryId]);
  assert.deepEqual(await texts(session), ["note", "[s]"]);
});
