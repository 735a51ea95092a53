import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonCopy } from "./json-copy.ts";
import { assertFrozen } from "./testing/expect.ts";

const invalid = { code: "ENTRY_INVALID" };

test("a copy is what a reader gets, frozen, apart from the original", () => {
  const value = { a: [1, { b: undefined }], c: Number.NaN, d: new Date(0) };
  const copy = jsonCopy(value);
  assert.deepEqual(copy, { a: [1, {}], c: null, d: "1970-01-01T00:00:00.000Z" });
  assertFrozen(copy);
  assert.ok(!Object.isFrozen(value.a));
});

test("what JSON cannot hold is refused, circles in no time", () => {
  const circle: { a?: unknown; b?: unknown } = {};
  circle.a = circle;
  circle.b = circle;
  for (const value of [undefined, () => 1, Symbol("x"), 1n, circle]) {
    assert.throws(() => jsonCopy(value), invalid);
  }
});

test("the depth limit is exactly 1,000 levels (row 31)", () => {
  const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  jsonCopy(nested(1000));
  assert.throws(() => jsonCopy(nested(1001)), invalid);
  assert.throws(() => jsonCopy(nested(200_000)), invalid);
});

test("the size limit counts bytes, not characters", () => {
  const limit = 32 * 1024 * 1024;
  jsonCopy("x".repeat(limit - 2));
  assert.throws(() => jsonCopy("x".repeat(limit - 1)), { code: "ENTRY_TOO_LARGE" });
  jsonCopy("文".repeat(Math.floor((limit - 2) / 3)));
  assert.throws(() => jsonCopy("文".repeat(limit / 3 + 1)), { code: "ENTRY_TOO_LARGE" });
});
