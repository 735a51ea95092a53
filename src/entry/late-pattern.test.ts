import assert from "node:assert/strict";
import { test } from "node:test";
import { latePattern } from "./late-pattern.ts";

test("a late pattern is made once, and no sooner than it is asked for", () => {
  const letters = latePattern(String.raw`^\p{L}+$`, "u");
  assert.equal(letters(), letters());
  assert.equal(letters().test("界"), true);
  assert.equal(letters().test("1"), false);
  const wrong = latePattern("(", "u");
  assert.throws(() => wrong(), SyntaxError);
});
