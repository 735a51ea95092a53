import assert from "node:assert/strict";
import { test } from "node:test";
import { SyncPace } from "./sync-pace.ts";

function paceAfter(...times: readonly number[]): boolean {
  const pace = new SyncPace(1);
  for (const ms of times) pace.took(ms);
  return pace.isQuick;
}

const quick = (count: number): readonly number[] => new Array(count).fill(0.2);

test("a sync is made in place after eight quick ones in a row", () => {
  assert.equal(paceAfter(), false);
  assert.equal(paceAfter(...quick(7)), false);
  assert.equal(paceAfter(...quick(8)), true);
  assert.equal(paceAfter(...quick(100)), true);
});

test("one slow sync sends the next ones through the pool, until 64 were quick", () => {
  assert.equal(paceAfter(...quick(20), 1.5), false);
  assert.equal(paceAfter(...quick(20), 1.5, ...quick(63)), false);
  assert.equal(paceAfter(...quick(20), 1.5, ...quick(64)), true);
  assert.equal(paceAfter(...quick(20), 1.5, ...quick(30), 9, ...quick(63)), false);
});
