import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooDeep, MAX_DEPTH } from "./json-depth.ts";

function nested(depth: number): unknown {
  let data: unknown = "core";
  for (let level = 0; level < depth; level++) data = level % 2 === 0 ? [data] : { data, other: 1 };
  return data;
}

test("accepts 1,000 levels and no more (reliability.md §3 row 31)", () => {
  assert.equal(isTooDeep(nested(MAX_DEPTH)), false);
  assert.equal(isTooDeep(nested(MAX_DEPTH + 1)), true);
  assert.equal(isTooDeep(nested(100_000)), true);
});

test("takes scalars and wide data", () => {
  for (const scalar of [null, 1, "text", true, undefined]) assert.equal(isTooDeep(scalar), false);
  assert.equal(isTooDeep(Array.from({ length: 100_000 }, () => ({ a: [null, {}] }))), false);
});
