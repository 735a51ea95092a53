import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { checkSession } from "./fsck.ts";
import {
  assistant,
  calling,
  compaction,
  newFixture,
  raw,
  result,
  user,
} from "./testing/session-fixture.ts";

async function problems(entries: readonly Entry[]): Promise<(string | null)[][]> {
  const { session } = await newFixture(entries);
  const size = session.tree.size;
  const report = await checkSession(session.store);
  assert.equal(session.tree.size, size);
  assert.equal(report.ok, report.problems.length === 0);
  assert.equal(report.entries, entries.length);
  assert.equal(report.file, null);
  for (const { line, byteStart, byteEnd } of report.problems) {
    assert.deepEqual([line, byteStart, byteEnd], [0, 0, 0]);
  }
  return report.problems.map(({ code, entryId }) => [code, entryId]);
}

test("a sound session, compacted and edited, has no problems", async () => {
  const found = await problems([
    raw("r1", null, user("u")),
    raw("r2", "r1", calling("c1", "c2")),
    raw("r3", "r2", result("c2")),
    raw("r4", "r3", result("c1")),
    raw("k1", "r4", compaction("r2")),
    raw("k2", "k1", compaction("k2")),
    raw("e1", "k2", { type: "context_edit", targetId: "r1", replacement: null }),
    raw("e2", "e1", { type: "label", targetId: "r1", label: "x" }),
    raw("l1", "e2", { type: "leaf", targetId: null }),
  ]);
  assert.deepEqual(found, []);
});

test("missing parents and circles are found (F040, M3)", async () => {
  const found = await problems([
    raw("r1", null, user("u")),
    raw("r2", "gone", assistant("a")),
    raw("r3", "r4", user("u")),
    raw("r4", "r3", user("u")),
  ]);
  assert.deepEqual(found, [
    ["PARENT_MISSING", "r2"],
    ["PARENT_CYCLE", "r3"],
  ]);
});

test("targets that are not there are found, whatever names them", async () => {
  const found = await problems([
    raw("r1", null, user("u")),
    raw("e1", "r1", { type: "context_edit", targetId: "g", replacement: null }),
    raw("e2", "e1", { type: "label", targetId: "g", label: "x" }),
    raw("e3", "e2", { type: "leaf", targetId: "g" }),
  ]);
  assert.deepEqual(found, [
    ["TARGET_MISSING", "e1"],
    ["TARGET_MISSING", "e2"],
    ["TARGET_MISSING", "e3"],
  ]);
});

test("a compaction must keep from an entry above it: not gone, not beside, not below (M8)", async () => {
  const found = await problems([
    raw("r1", null, user("u")),
    raw("r2", "r1", assistant("a")),
    raw("side", "r1", assistant("b")),
    raw("k1", "r2", compaction("gone")),
    raw("k2", "k1", compaction("side")),
    raw("k3", "k2", compaction("r5")),
    raw("k4", "k3", { type: "compaction", summary: "s" }),
    raw("r5", "k4", user("u2")),
    raw("k5", "r5", compaction("r1")),
  ]);
  assert.deepEqual(found, [
    ["FIRST_KEPT_MISSING", "k1"],
    ["FIRST_KEPT_MISSING", "k2"],
    ["FIRST_KEPT_MISSING", "k3"],
    ["FIRST_KEPT_MISSING", "k4"],
  ]);
});

test("a tool result needs its call above it, on its own path (M14)", async () => {
  const broken = { type: "message", message: { role: "assistant", content: "text" } } as const;
  const anonymous = { type: "message", message: { role: "toolResult", content: [] } } as const;
  const found = await problems([
    raw("r1", null, user("u")),
    raw("r2", "r1", calling("c1")),
    raw("r3", "r2", result("c1")),
    raw("r4", "r3", result("c1")),
    raw("side", "r1", result("c1")),
    raw("r5", "r4", result("c2")),
    raw("r6", "r5", broken as never),
    raw("r7", "r6", anonymous as never),
  ]);
  assert.deepEqual(found.toSorted(), [
    ["TOOL_RESULT_ORPHAN", "r5"],
    ["TOOL_RESULT_ORPHAN", "r7"],
    ["TOOL_RESULT_ORPHAN", "side"],
  ]);
});

test("problems of reading come along and all stand in file order", async () => {
  const { session } = await newFixture([
    raw("r1", null, user("u")),
    raw("r2", "gone", user("u")),
    raw("r3", "r2", result("c")),
  ]);
  const places = new Map([
    ["r2", { line: 3, byteStart: 200, byteEnd: 300 }],
    ["r3", { line: 4, byteStart: 301, byteEnd: 400 }],
  ]);
  const line = { code: "LINE_NOT_JSON", line: 5, byteStart: 401, byteEnd: 410 } as const;
  const header = { code: "LINE_BOM", line: 1, byteStart: 0, byteEnd: 9 } as const;
  const store = new Proxy(session.store, {
    get(target, name) {
      if (name === "placeOf") return (id: string) => places.get(id) ?? null;
      if (name === "problems") {
        return [line, header].map((one) => ({ ...one, entryId: null, message: "" }));
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const report = await checkSession(store);
  assert.deepEqual(
    report.problems.map(({ code, line: at, byteEnd }) => [code, at, byteEnd]),
    [
      ["LINE_BOM", 1, 9],
      ["PARENT_MISSING", 3, 300],
      ["TOOL_RESULT_ORPHAN", 4, 400],
      ["LINE_NOT_JSON", 5, 410],
    ],
  );
});
