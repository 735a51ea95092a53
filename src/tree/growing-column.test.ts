import assert from "node:assert/strict";
import { test } from "node:test";
import { floatColumn, intColumn } from "./growing-column.ts";

test("a column keeps every number over many growths", () => {
  const [ints, floats] = [intColumn(), floatColumn()];
  for (let n = 0; n < 5000; n++) {
    ints.push(-n);
    floats.push(n * 1e12 + 0.5);
  }
  assert.deepEqual([ints.length, floats.length], [5000, 5000]);
  for (const n of [0, 1023, 1024, 4999]) {
    assert.equal(ints.at(n), -n || 0);
    assert.equal(floats.at(n), n * 1e12 + 0.5);
  }
});
