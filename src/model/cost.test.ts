import assert from "node:assert/strict";
import { test } from "node:test";
import { usageCost, usageOf } from "./cost.ts";

const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

test("each kind of token at its price for a million; reasoning lies inside the output", () => {
  const usage = usageOf(
    { input: 1_000_000, output: 100_000, cacheRead: 10_000, cacheWrite: 1000, reasoning: 90_000 },
    PRICES,
  );
  assert.deepEqual(usage.cost, {
    input: 3,
    output: 1.5,
    cacheRead: 0.003,
    cacheWrite: 0.00375,
    total: 4.50675,
  });
  assert.deepEqual([usage.totalTokens, usage.reasoning], [1_111_000, 90_000]);
});

test("unknown prices are zeros in the message; a provider's own total stands", () => {
  const usage = usageOf({ input: 5, output: 5, totalTokens: 12 }, null);
  assert.equal(usage.totalTokens, 12);
  assert.equal(usageCost(usage, null).total, 0);
  assert.equal("reasoning" in usage, false);
});
