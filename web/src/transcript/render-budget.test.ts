import assert from "node:assert/strict";
import { test } from "node:test";
import { isWithinBudget, usesMarkdown } from "./render-budget.ts";

test("S7: texts that make a markdown parser slow stay plain", () => {
  assert.equal(isWithinBudget("# Title\n\n- one\n- **two**\n\n```ts\nx\n```"), true);
  assert.equal(isWithinBudget("*".repeat(50_000)), false);
  assert.equal(isWithinBudget("*".repeat(3000)), false);
  assert.equal(isWithinBudget(`${">".repeat(5000)} x`), false);
  assert.equal(isWithinBudget("x".repeat(20_001)), false);
  assert.equal(isWithinBudget("-".repeat(80)), true);
});

test("plain sentences need no parser", () => {
  assert.equal(usesMarkdown("Just a sentence. 就一句话。"), false);
  assert.equal(usesMarkdown("a **b**"), true);
  assert.equal(usesMarkdown("1. one"), true);
});
