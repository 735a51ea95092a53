import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { UNCOMPACT_TYPE } from "../entry/own-state.ts";
import { copiedPath, isPlainCopy } from "./copied-path.ts";
import { SessionTree } from "./session-tree.ts";

/** A tree of one line of entries, each with these members. */
function line(...rows: readonly Readonly<Record<string, unknown>>[]): SessionTree {
  const tree = new SessionTree("s");
  let parentId: string | null = null;
  for (const [at, row] of rows.entries()) {
    const id = `e${at}`;
    tree.add({ id, parentId, timestamp: "t", ...row } as unknown as Entry);
    parentId = id;
  }
  return tree;
}

const SAY = { type: "message", message: { role: "user", content: "x" } };
const LABEL = { type: "label", targetId: "e0", label: "x" };

test("what a compaction keeps from moves to the next entry that is copied (F088, F089)", () => {
  const kept = { type: "compaction", summary: "so far", firstKeptEntryId: "e1" };
  const strange = [{ ...kept, firstKeptEntryId: 7 }, { type: "compaction" }];
  const tree = line(SAY, LABEL, kept, ...strange, SAY);
  const { steps, left } = copiedPath(tree.path("e5"));
  assert.deepEqual([...left], ["e1"]);
  assert.deepEqual(
    steps.map(({ kind }) => kind),
    ["same", "kept", "same", "same", "same"],
  );
  assert.equal(steps[1]?.kind === "kept" ? steps[1].firstKeptEntryId : "", "e2");
});

test("uncompact marks in force are copied; those of another session are left", () => {
  const mark = (session: string, more = {}): Readonly<Record<string, unknown>> => {
    const data = { session, compaction: "e1", ...more };
    return { type: "custom", customType: UNCOMPACT_TYPE, data };
  };
  const kept = { type: "compaction", summary: "so far", firstKeptEntryId: "e0" };
  const tree = line(SAY, kept, mark("other"), mark("s"), mark("other"), mark("s", { off: true }));
  const { steps, left } = copiedPath(tree.path("e5"));
  assert.deepEqual([...left], ["e2", "e4"]);
  const marks = steps.flatMap((step) => (step.kind === "mark" ? [[step.at.id, step.off]] : []));
  assert.deepEqual(marks, [
    ["e3", false],
    ["e5", true],
  ]);
});

test("edits of what is not on the path are left; alone, an edit is no plain copy", () => {
  const edit = (targetId: string): Readonly<Record<string, unknown>> => {
    return { type: "context_edit", targetId, replacement: null };
  };
  const tree = line(SAY, edit("e0"), edit("elsewhere"), SAY);
  assert.deepEqual([...copiedPath(tree.path("e3")).left], ["e2"]);
  const plain = [...tree.entries()].map(isPlainCopy);
  assert.deepEqual(plain, [true, false, false, true]);
});
