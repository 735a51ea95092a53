import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Entry } from "../../entry/entry.ts";
import { ManualClock } from "../../io/testing/manual-clock.ts";
import { ColumnBase } from "../../tree/column-base.ts";
import { MirroredPath } from "../../tree/mirrored-path.ts";
import { LEANS_MS, PAUSE_MS, TAKEN_AT_ONCE, takeOver } from "./take-over.ts";

/** A mirror of entries each of which hangs under the one before. */
function mirrorOf(count: number): MirroredPath {
  const base = new ColumnBase("old");
  for (let at = 0; at < count; at++) {
    const parentId = at === 0 ? null : `e${at - 1}`;
    const entry: Entry = {
      type: "custom",
      id: `e${at}`,
      parentId,
      timestamp: "t",
      customType: "c",
    };
    assert.ok(base.add({ entry, role: null, customType: "c", targetId: null }));
  }
  const from = Object.assign(base, { customOrdinals: () => [] });
  const made = new MirroredPath({ session: "new", from, name: () => null, fresh: new Set() });
  made.add(0, count);
  return made;
}

test("entries are taken over a little at a time, until all are or the index has lost them", () => {
  const clock = new ManualClock();
  let isAlive = true;
  const indexed = { isAlive: () => isAlive };
  const whole = mirrorOf(TAKEN_AT_ONCE + 1);
  takeOver(whole, indexed, clock);
  clock.advance(LEANS_MS);
  assert.deepEqual([whole.isKept, clock.pending], [false, 1]);
  clock.advance(PAUSE_MS);
  assert.deepEqual([whole.isKept, clock.pending, whole.get("e9")?.ordinal], [true, 0, 9]);
  const lost = mirrorOf(1);
  takeOver(lost, indexed, clock);
  isAlive = false;
  clock.advance(LEANS_MS);
  assert.deepEqual([lost.isKept, clock.pending], [false, 0]);
});

test("a copy that is not used any more takes nothing over", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const clock = new ManualClock();
  let asked = 0;
  takeOver(mirrorOf(1), { isAlive: () => asked++ >= 0 }, clock);
  await setImmediate();
  collect();
  clock.advance(LEANS_MS);
  assert.deepEqual([asked, clock.pending], [0, 0]);
});
