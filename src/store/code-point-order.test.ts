import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareCodePoints } from "./code-point-order.ts";

test("characters beyond U+FFFF come last", () => {
  const sorted = [
    "",
    "A",
    "a",
    "aa",
    "ab",
    "é",
    "文",
    "\ue000",
    "\uffff",
    "\u{10000}",
    "😀",
    "😀a",
  ];
  assert.deepEqual(sorted.toReversed().sort(compareCodePoints), sorted);
});

test("the order is that of the code points of whole characters", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 6 });
  const points = (value: string): string =>
    Array.from(value, (c) => (c.codePointAt(0) ?? 0).toString(16).padStart(6, "0")).join("");
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [left, right] = [points(a), points(b)];
      const expected = left === right ? 0 : left < right ? -1 : 1;
      assert.equal(Math.sign(compareCodePoints(a, b)), expected);
    }),
    { seed: 20_240_104, numRuns: 2_000 },
  );
});
