import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHeader } from "./header-check.ts";
import { baseOf, LINKED_FORMAT } from "./session-base.ts";

const BASE = { session: "s", path: "/a.jsonl", entry: "e", bytes: 10 };
const headerOf = (branchline: unknown): Readonly<Record<string, unknown>> => {
  return { type: "session", version: 3, id: "l", timestamp: "t", cwd: "/p", branchline };
};

test("a base counts in the format of links only, and whole", () => {
  const good = headerOf({ format: LINKED_FORMAT, base: { ...BASE, more: 1 } });
  assert.deepEqual(baseOf(good), BASE);
  const { header, newer, findings } = checkHeader(good);
  assert.deepEqual([baseOf(header), newer, findings], [BASE, false, []]);
  assert.equal(baseOf({}), null);
  assert.equal(baseOf(headerOf({ format: 1, base: BASE })), null);
  assert.equal(checkHeader(headerOf({ format: 3, base: BASE })).newer, true);
});

test("format 2 without a base that can be read is newer than this program: read-only", () => {
  const wrong: readonly unknown[] = [
    undefined,
    null,
    "s",
    { ...BASE, session: "../s" },
    { ...BASE, session: 1 },
    { ...BASE, path: null },
    { ...BASE, entry: "" },
    { ...BASE, entry: "x".repeat(257) },
    { ...BASE, entry: 1 },
    { ...BASE, bytes: -1 },
    { ...BASE, bytes: 1.5 },
    { ...BASE, bytes: "1" },
  ];
  for (const base of wrong) {
    const header = headerOf({ format: LINKED_FORMAT, base });
    assert.equal(baseOf(header), null, JSON.stringify(base));
    assert.equal(checkHeader(header).newer, true, JSON.stringify(base));
  }
});
