import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { projectRaw } from "./raw.ts";

const TIME = "2026-10-30T09:00:00.000Z";

function chain(...bodies: readonly Record<string, unknown>[]): readonly Entry[] {
  return bodies.map((body, index) => {
    const parentId = index === 0 ? null : `e${index - 1}`;
    return { id: `e${index}`, parentId, timestamp: TIME, ...body } as Entry;
  });
}

const user = (content: unknown) => ({ type: "message", message: { role: "user", content } });

test("untouched messages are passed on by identity, results are frozen", () => {
  const path = chain(user("hello"));
  const raw = projectRaw(path);
  assert.equal(raw.messages[0], (path[0] as { message?: unknown }).message);
  assert.ok(Object.isFrozen(raw) && Object.isFrozen(raw.messages[0]));
});

test("the empty path gives nothing, thinking is off", () => {
  const nothing = { entries: [], messages: [], sources: [], model: null, thinkingLevel: "off" };
  assert.deepEqual(projectRaw([]), nothing);
});

test("missing content is normalised by role", () => {
  const roles = ["system", "user", "assistant", "toolResult", "custom", "novel"];
  const path = chain(
    ...roles.map((role) => ({ type: "message", message: { role, content: null } })),
  );
  const contents = projectRaw(path).messages.map((m) => (m as { content?: unknown }).content);
  assert.deepEqual(contents, ["", [], [], [], null, null]);
  const custom = chain({ type: "custom_message", customType: "note", display: true });
  assert.deepEqual(projectRaw(custom).messages, [
    {
      role: "custom",
      customType: "note",
      content: [],
      display: true,
      details: undefined,
      timestamp: Date.parse(TIME),
    },
  ]);
});

test("an empty branch summary gives no message", () => {
  const path = chain(
    { type: "branch_summary", summary: "", fromId: "root" },
    { type: "branch_summary", summary: "left", fromId: "root" },
  );
  assert.deepEqual(projectRaw(path).sources, ["e1"]);
});

test("M8: raw drops what a missing first kept entry kept, as Pi does", () => {
  const path = chain(user("a"), {
    type: "compaction",
    summary: "s",
    firstKeptEntryId: "gone",
    tokensBefore: 1,
  });
  assert.deepEqual(projectRaw(path).entries, ["e1"]);
});

test("edits: the latest wins, null hides, text becomes a block where blocks are needed", () => {
  const edit = (targetId: string, replacement: unknown) => ({
    type: "context_edit",
    targetId,
    replacement,
  });
  const path = chain(
    user("a"),
    { type: "message", message: { role: "toolResult", toolCallId: "x", content: [] } },
    { type: "message", message: { role: "system", content: "s" } },
    edit("e0", null),
    edit("e0", { content: "A" }),
    edit("e1", { content: "R" }),
    edit("e2", { content: "S" }),
    edit("e0", undefined),
  );
  const contents = projectRaw(path).messages.map((m) => (m as { content?: unknown }).content);
  assert.deepEqual(contents, ["A", [{ type: "text", text: "R" }], "s"]);
});

test("a message entry without a message gives none and stops nothing", () => {
  const path = chain({ type: "message", message: 7 }, user("a"));
  assert.deepEqual(projectRaw(path).sources, ["e1"]);
});
