import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { KeptEntries } from "./kept-entries.ts";

/** Stands on a line with others. */
const SHARED = 1;

function entryOf(number: number): Entry {
  const id = String(number).padStart(20, "0");
  return { type: "custom", id, parentId: null, timestamp: "", customType: "x", data: { number } };
}

const added = (number: number) => ({
  entry: entryOf(number),
  place: placeOf(number),
  alone: number !== SHARED,
});

function placeOf(number: number): { line: number; byteStart: number; byteEnd: number } {
  return { line: number + 2, byteStart: number * 100, byteEnd: number * 100 + 99 };
}

test("the oldest payloads are let go of, but for those that share a line; what comes later is kept", () => {
  const kept = new KeptEntries();
  for (let number = 0; number < 10; number++) kept.add(added(number));
  kept.trim(5 * 99);
  const held = (from: number, to: number): boolean[] =>
    Array.from({ length: to - from }, (_, at) => kept.get(entryOf(from + at).id) !== undefined);
  assert.deepEqual(held(0, 5), [false, true, false, false, false]);
  assert.deepEqual(held(5, 10), Array(5).fill(true));
  for (let number = 10; number < 13; number++) kept.add(added(number));
  assert.deepEqual(held(5, 13), Array(8).fill(true));
  kept.trim(2 * 99);
  assert.deepEqual(held(0, 2), [false, true]);
  assert.deepEqual(held(2, 13), [...Array(9).fill(false), true, true]);
  assert.deepEqual(kept.placeOf(entryOf(0).id), placeOf(0));
  assert.equal(Object.isFrozen(kept.get(entryOf(12).id)), true);
  assert.equal(kept.get("unknown"), undefined);
  assert.equal(kept.placeOf("unknown"), undefined);
  kept.trim(0);
  assert.deepEqual(held(0, 2), [false, true]);
  assert.deepEqual(held(2, 13), Array(11).fill(false));
});
