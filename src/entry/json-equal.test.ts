import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { isJsonEqual } from "./json-equal.ts";

test("compares data, not the order of members", () => {
  assert.equal(isJsonEqual({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), true);
});

test("tells apart what differs anywhere", () => {
  const pairs: readonly (readonly [unknown, unknown])[] = [
    [1, 2],
    [1, "1"],
    [null, {}],
    [{}, null],
    [{}, []],
    [[1], [1, 2]],
    [{ a: 1 }, { b: 1 }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ a: [] }, { a: 1 }],
    [1, { a: 1 }],
  ];
  for (const [a, b] of pairs) assert.equal(isJsonEqual(a, b), false);
});

test("agrees with the comparison of the runtime on any JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [left, right] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
      assert.equal(isJsonEqual(left, right), isDeepStrictEqual(left, right));
      assert.equal(isJsonEqual(left, structuredClone(left)), true);
    }),
  );
});
