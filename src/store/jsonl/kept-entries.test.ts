import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { KeptEntries } from "./kept-entries.ts";

function entryOf(number: number): Entry {
  const id = String(number).padStart(20, "0");
  return { type: "custom", id, parentId: null, timestamp: "", customType: "x", data: { number } };
}

function placeOf(number: number): { line: number; byteStart: number; byteEnd: number } {
  return { line: number + 2, byteStart: number * 100, byteEnd: number * 100 + 99 };
}

test("the oldest payloads are let go of, their places stay, and what comes later is kept", () => {
  const kept = new KeptEntries();
  for (let number = 0; number < 10; number++) kept.add(entryOf(number), placeOf(number));
  kept.trim(5 * 99);
  const held = (from: number, to: number): boolean[] =>
    Array.from({ length: to - from }, (_, at) => kept.get(entryOf(from + at).id) !== undefined);
  assert.deepEqual(held(0, 10), [...Array(5).fill(false), ...Array(5).fill(true)]);
  for (let number = 10; number < 13; number++) kept.add(entryOf(number), placeOf(number));
  assert.deepEqual(held(5, 13), Array(8).fill(true));
  kept.trim(2 * 99);
  assert.deepEqual(held(0, 13), [...Array(11).fill(false), true, true]);
  assert.deepEqual(kept.placeOf(entryOf(0).id), placeOf(0));
  assert.equal(Object.isFrozen(kept.get(entryOf(12).id)), true);
  assert.equal(kept.get("unknown"), undefined);
  assert.equal(kept.placeOf("unknown"), undefined);
  kept.trim(0);
  assert.deepEqual(held(0, 13), Array(13).fill(false));
});
