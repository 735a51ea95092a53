import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { systemClock, throwIfAborted } from "./clock.ts";
import { systemRandom } from "./random.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { seededRandom } from "./testing/seeded-random.ts";

const aborted = (error: unknown) => BranchlineError.is(error, "ABORTED");

test("the system clock tells both times and sleeps", async () => {
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 1000);
  const start = systemClock.monotonic();
  await systemClock.sleep(2);
  await systemClock.sleep(2, new AbortController().signal);
  assert.ok(systemClock.monotonic() - start >= 3);
});

for (const [name, clock] of [
  ["system", systemClock],
  ["manual", new ManualClock()],
] as const) {
  test(`a sleep of the ${name} clock ends with ABORTED`, async () => {
    await assert.rejects(clock.sleep(60_000, AbortSignal.abort()), aborted);
    const stop = new AbortController();
    const sleep = clock.sleep(60_000, stop.signal);
    stop.abort("reason");
    await assert.rejects(sleep, aborted);
    assert.throws(() => throwIfAborted(stop.signal), aborted);
    throwIfAborted(undefined);
  });
}

test("a scheduled call comes once, or not at all when cancelled", async () => {
  const calls: string[] = [];
  const rung = Promise.withResolvers<void>();
  systemClock.schedule(1, () => calls.push("cancelled"))();
  systemClock.schedule(1, () => {
    calls.push("rung");
    rung.resolve();
  });
  await Promise.all([rung.promise, systemClock.sleep(5)]);
  assert.deepEqual(calls, ["rung"]);
});

test("the manual clock moves when told, in order of time", async () => {
  const clock = new ManualClock(1000);
  const calls: number[] = [];
  clock.schedule(20, () => calls.push(20));
  const cancelTen = clock.schedule(10, () => calls.push(10));
  clock.schedule(5, () => {
    calls.push(5);
    cancelTen();
  });
  const sleep = clock.sleep(7, new AbortController().signal);
  assert.equal(clock.pending, 4);
  clock.advance(20);
  await sleep;
  assert.deepEqual(calls, [5, 20]);
  clock.jump(-500);
  assert.deepEqual([clock.now(), clock.monotonic()], [520, 20]);
});

test("system randomness has the asked length and range; a seed repeats", () => {
  for (const length of [10, 0, 5000]) assert.equal(systemRandom.bytes(length).byteLength, length);
  const drawn = Array.from({ length: 2000 }, () => systemRandom.bytes(10));
  const texts = new Set(drawn.map((bytes) => Buffer.from(bytes).toString("hex")));
  assert.equal(texts.size, drawn.length, "no byte is given out twice");
  const value = systemRandom.float();
  assert.ok(value >= 0 && value < 1);
  assert.deepEqual(seededRandom(7).bytes(8), seededRandom(7).bytes(8));
  assert.notDeepEqual(seededRandom(7).bytes(8), seededRandom(8).bytes(8));
  const random = seededRandom(0);
  for (let i = 0; i < 100; i += 1) assert.ok(random.float() < 1);
});
