import assert from "node:assert/strict";
import { test } from "node:test";
import { freezeDeep, freezeParsed } from "./freeze.ts";

test("freezes through and through and gives the same object (P8)", () => {
  const data = { a: [{ b: { c: 1 } }], text: "x", none: null };
  assert.equal(freezeDeep(data), data);
  assert.throws(() => data.a.push({ b: { c: 2 } }), TypeError);
  assert.equal(Object.isFrozen((data.a[0] as { b: object }).b), true);
  assert.equal(freezeDeep("text"), "text");
  assert.equal(freezeDeep(null), null);
  assert.equal(freezeDeep(data), data);
});

test("enters what somebody else froze on its surface only (P8)", () => {
  const inner = { value: 1 };
  freezeDeep(Object.freeze({ inner }));
  assert.equal(Object.isFrozen(inner), true);
});

test("takes any depth and circles", () => {
  let deep: Record<string, unknown> = {};
  const innermost = deep;
  for (let depth = 0; depth < 100_000; depth++) deep = { deep };
  innermost.circle = deep;
  freezeDeep(deep);
  assert.equal(Object.isFrozen(innermost), true);
});

test("what was just parsed is frozen through and through too (P8)", () => {
  const data = JSON.parse('{"a":[{"b":{"c":1}},null],"text":"x"}');
  assert.equal(freezeParsed(data), data);
  for (const part of [data, data.a, data.a[0], data.a[0].b]) assert.ok(Object.isFrozen(part));
  assert.equal(freezeDeep(data), data);
  assert.equal(freezeParsed(null), null);
  assert.equal(freezeParsed("text"), "text");
  const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  assert.ok(Object.isFrozen(freezeParsed(deep)[0]));
});
