import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { UNCOMPACT_TYPE } from "../../entry/own-state.ts";
import { ContextEnd } from "./context-end.ts";

/** What each entry says, leaf first, until the first one that ends it. */
function answers(...leafFirst: readonly object[]): (boolean | null)[] {
  const end = new ContextEnd("s");
  const said: (boolean | null)[] = [];
  for (const members of leafFirst) {
    said.push(end.add({ parentId: "x", timestamp: "t", id: "x", ...members } as unknown as Entry));
    if (said.at(-1) !== false) break;
  }
  return said;
}

const user = (id: string): object => ({ type: "message", id, message: { role: "user" } });
const result = (id: string): object => ({ type: "message", id, message: { role: "toolResult" } });
const compaction = (id: string, firstKeptEntryId?: string): object => {
  return { type: "compaction", id, summary: "s", firstKeptEntryId };
};
const mark = (name: string, off = false, session = "s"): object => {
  return { type: "custom", customType: UNCOMPACT_TYPE, data: { session, compaction: name, off } };
};

test("the context begins at the first kept entry of the newest compaction", () => {
  assert.deepEqual(answers(user("d"), compaction("c", "a"), user("b"), user("a"), user("z")), [
    false,
    false,
    false,
    true,
  ]);
  assert.deepEqual(answers(compaction("c", "c"), user("b")), [true], "one that keeps nothing");
});

test("results at its beginning need the call above them (P9)", () => {
  const all = answers(compaction("c", "b"), result("b"), result("a"), user("z"));
  assert.deepEqual(all, [false, false, false, true]);
});

test("without a compaction, and where nothing is kept, it goes on to the root", () => {
  assert.deepEqual(answers(user("b"), user("a")), [false, false]);
  assert.deepEqual(answers(compaction("c"), user("b"), user("a")), [false, false, false]);
});

test("a compaction that the newest mark skips does not end it", () => {
  const older = [compaction("c", "b"), user("b"), compaction("a", "a")];
  assert.deepEqual(answers(mark("c"), ...older), [false, false, false, true]);
  assert.deepEqual(answers(mark("c", true), mark("c"), ...older), [false, false, false, true]);
  assert.deepEqual(answers(mark("c", false, "other"), ...older), [false, false, true]);
  const damaged = { type: "compaction", id: "d", summary: 3, firstKeptEntryId: "d" };
  assert.deepEqual(answers(damaged, ...older), [false, false, true]);
});

test("a mark above the compaction that it names cannot be judged from the end", () => {
  assert.deepEqual(answers(compaction("c", "a"), mark("b"), mark("c")), [false, false, null]);
});
