import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry, EntryTypes } from "./entry.ts";
import { entryFault, isEntry, isKnownType, isMalformed, isObject } from "./entry-check.ts";

const FRAME = { id: "a", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };

/** For each type: members that make one, and members of wrong shapes. */
const SHAPES: { readonly [T in keyof EntryTypes]: readonly [object, ...(readonly object[])] } = {
  message: [
    { message: { role: "user" } },
    {},
    { message: null },
    { message: [] },
    { message: { role: 1 } },
  ],
  model_change: [{ provider: "p", modelId: "m" }, { provider: "p" }, { provider: 1, modelId: "m" }],
  thinking_level_change: [{ thinkingLevel: "low" }, {}, { thinkingLevel: 3 }],
  active_tools_change: [
    { activeToolNames: ["a"] },
    {},
    { activeToolNames: "a" },
    { activeToolNames: [1] },
  ],
  usage: [{ usage: {} }, {}, { usage: 5 }, { usage: [] }],
  compaction: [{ summary: "s" }, {}, { summary: null }],
  branch_summary: [{ summary: "s" }, {}, { summary: 7 }],
  context_edit: [
    { targetId: "x", replacement: null },
    { targetId: "x" },
    { replacement: null },
    { targetId: "x", replacement: {} },
    { targetId: "x", replacement: { content: 5 } },
    { targetId: "x", replacement: "text" },
  ],
  custom: [{ customType: "c" }, {}, { customType: 1 }],
  custom_message: [{ customType: "c", content: "x" }, {}, { customType: null }],
  label: [{ targetId: "x", label: "l" }, {}, { targetId: 4 }],
  session_info: [{}, { name: 5 }, { name: null }],
  leaf: [{ targetId: null }, {}, { targetId: 5 }],
};

test("every type: its shape is recognised, wrong shapes are not", () => {
  for (const [type, [good, ...bad]] of Object.entries(SHAPES)) {
    const name = type as keyof EntryTypes;
    const entry = { ...FRAME, type, ...good } as Entry;
    assert.equal(isKnownType(type), true);
    assert.equal(isEntry(entry, name), true, type);
    assert.equal(isMalformed(entry), false, type);
    for (const members of bad) {
      const odd = { ...FRAME, type, ...members } as Entry;
      assert.equal(isEntry(odd, name), false, `${type} ${JSON.stringify(members)}`);
      assert.equal(isMalformed(odd), true);
    }
  }
});

test("further shapes that count", () => {
  const edit = { ...FRAME, type: "context_edit", targetId: "x" };
  assert.equal(isEntry({ ...edit, replacement: { content: "t" } }, "context_edit"), true);
  assert.equal(isEntry({ ...edit, replacement: { content: [] } }, "context_edit"), true);
  assert.equal(isEntry({ ...FRAME, type: "leaf", targetId: "x" }, "leaf"), true);
  assert.equal(isEntry({ ...FRAME, type: "session_info", name: "n" }, "session_info"), true);
});

test("unknown types are no malformed ones, names of Object.prototype neither (rows 16, 17)", () => {
  for (const type of ["future", "__proto__", "constructor", "toString", "hasOwnProperty"]) {
    assert.equal(isKnownType(type), false);
    assert.equal(isMalformed({ ...FRAME, type } as Entry), false);
  }
  assert.equal(isEntry({ ...FRAME, type: "label", targetId: "x" }, "message"), false);
});

test("what is no entry at all (reliability.md §3 rows 18 to 20)", () => {
  for (const value of [null, 1, "s", true, [], undefined]) assert.notEqual(entryFault(value), null);
  const entry = { ...FRAME, type: "custom" };
  assert.equal(entryFault(entry), null);
  for (const type of [undefined, "", 5]) assert.notEqual(entryFault({ ...entry, type }), null);
  for (const id of [undefined, "", 5, "x".repeat(257)])
    assert.notEqual(entryFault({ ...entry, id }), null);
  assert.equal(entryFault({ ...entry, id: "x".repeat(256) }), null);
  assert.notEqual(entryFault({ ...FRAME, type: "message", message: null }), null);
  assert.equal(entryFault({ ...FRAME, type: "message", message: { role: "new" } }), null);
});

test("isObject", () => {
  assert.equal(isObject({}), true);
  for (const value of [null, [], "x", 1, undefined]) assert.equal(isObject(value), false);
});
