import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../errors.ts";
import { BranchlineError } from "../errors.ts";
import { LockSlice } from "./lock-slice.ts";
import { retryInterval } from "./lock-wait.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { MemoryLock, MemoryLockPlace } from "./testing/memory-lock.ts";
import { seededRandom } from "./testing/seeded-random.ts";

const code = (expected: ErrorCode) => (error: unknown) => BranchlineError.is(error, expected);
const owner = { pid: 7, startedAt: 1, host: "h", command: "c" };

function world() {
  const clock = new ManualClock();
  const place = new MemoryLockPlace();
  const lock = new MemoryLock({ place, clock, owner });
  const other = new MemoryLock({ place, clock, owner: { ...owner, pid: 8 } });
  const slice = new LockSlice({ lock, clock });
  return { clock, place, lock, other, slice };
}

test("keeps the lock for 5 ms after the last work, then frees it", async () => {
  const { clock, slice } = world();
  assert.equal(await slice.run(async () => slice.held), true);
  clock.advance(4);
  await slice.run(async () => "again");
  clock.advance(4);
  assert.equal(slice.held, true);
  clock.advance(1);
  assert.equal(slice.held, false);
});

test("works run one after the other under one hold, and a failure is its caller's alone", async () => {
  const { clock, slice } = world();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = slice.run(async () => {
    log.push("first begins");
    await gate.promise;
    log.push("first ends");
  });
  const second = slice.run(async () => {
    log.push("second");
    throw new BranchlineError("ABORTED", {}, { message: "x" });
  });
  const third = slice.run(async () => log.push("third"));
  gate.resolve();
  await first;
  await assert.rejects(second, code("ABORTED"));
  await third;
  assert.deepEqual(log, ["first begins", "first ends", "second", "third"]);
  assert.equal(clock.pending, 1, "one idle timer");
});

test("gives way after 50 ms in a row when somebody waits, not before", async () => {
  const { clock, slice, other } = world();
  await slice.run(async () => undefined);
  const waiting = other.acquire();
  clock.advance(4);
  await slice.run(async () => clock.advance(46));
  assert.equal(other.held, false, "the slice was not over when the work began");
  const next = slice.run(async () => "ours again");
  await waiting;
  assert.deepEqual([other.held, slice.held], [true, false]);
  other.release();
  assert.equal(await next, "ours again");
});

test("goes on in a new slice when nobody waits", async () => {
  const { clock, slice, other } = world();
  await slice.run(async () => clock.advance(60));
  await slice.run(async () => undefined);
  const waiting = other.acquire();
  await slice.run(async () => clock.advance(10));
  assert.equal(slice.held, true, "the new slice began when the old one was over");
  clock.advance(5);
  await waiting;
});

test("a lost lock is taken again before the work, in a row of works after 5 ms", async () => {
  const { clock, slice, lock } = world();
  assert.equal(await slice.run(async (hold) => hold), "looked");
  lock.lose();
  assert.equal(await slice.run(() => lock.inspect()), "lost");
  assert.equal(
    await slice.run(async (hold) => {
      clock.advance(5);
      return hold;
    }),
    "kept",
  );
  assert.equal(await slice.run(() => lock.inspect()), "quiet");
});

test("after a work that failed the next one looks again", async () => {
  const { slice } = world();
  await slice.run(async () => undefined);
  await assert.rejects(
    slice.run(() => Promise.reject(new BranchlineError("ABORTED", {}, { message: "x" }))),
    code("ABORTED"),
  );
  assert.equal(await slice.run(async (hold) => hold), "looked");
});

test("a refused work does not run; close waits, frees, and refuses later works", async () => {
  const { clock, slice, other } = world();
  await other.acquire();
  const refused = slice.run(async () => assert.fail("must not run"), { timeoutMs: 20 });
  await Promise.resolve().then(() => undefined);
  clock.advance(20);
  await assert.rejects(refused, code("STORE_BUSY"));
  other.release();
  const gate = Promise.withResolvers<void>();
  const work = slice.run(() => gate.promise);
  const closing = slice[Symbol.asyncDispose]();
  gate.resolve();
  await Promise.all([work.catch(() => undefined), closing]);
  assert.equal(slice.held, false);
  await assert.rejects(
    slice.run(async () => undefined),
    code("STORE_CLOSED"),
  );
  await other.acquire();
});

test("a work that stands behind others when the slice is closed is refused, and arms no timer", async () => {
  const { clock, slice } = world();
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const under = slice.run(() => {
    begun.resolve();
    return gate.promise;
  });
  await begun.promise;
  const behind = slice.run(async () => assert.fail("must not run"));
  const closing = slice.close();
  gate.resolve();
  await under;
  await assert.rejects(behind, code("STORE_CLOSED"));
  assert.equal(clock.pending, 0);
  await closing;
});

test("one timer at a time, none while works wait and none without the lock", async () => {
  const { clock, slice, other, place } = world();
  const works = [0, 1, 2].map(() => slice.run(async () => clock.pending));
  assert.deepEqual(await Promise.all(works), [0, 0, 0]);
  assert.equal(clock.pending, 1);
  await slice.run(async () => undefined);
  assert.equal(clock.pending, 1);
  clock.advance(5);
  await other.acquire();
  const refused = slice.run(async () => undefined, { timeoutMs: 20 });
  while (place.waiters.length === 0) await Promise.resolve();
  clock.advance(20);
  await assert.rejects(refused, code("STORE_BUSY"));
  assert.equal(clock.pending, 0);
});

test("looks at a lock that it holds, and gives way only to those who wait", async (t) => {
  const { clock, slice, lock } = world();
  const looks = t.mock.method(lock, "inspect");
  const yields = t.mock.method(lock, "yieldTo");
  const releases = t.mock.method(lock, "release");
  await slice.run(async () => clock.advance(60));
  assert.equal(looks.mock.callCount(), 0);
  await slice.run(async () => undefined);
  assert.equal(looks.mock.callCount(), 1);
  assert.deepEqual([yields.mock.callCount(), releases.mock.callCount()], [0, 0]);
});

test("close frees a lock that is kept idle", async () => {
  const { slice, lock } = world();
  await slice.run(async () => undefined);
  await slice.close();
  assert.equal(lock.held, false);
  await assert.rejects(lock.acquire(), code("STORE_CLOSED"));
});

test("retry intervals fall with the time waited", () => {
  const random = seededRandom(3);
  for (let i = 0; i < 50; i += 1) {
    const [first, middle, last] = [0, 300, 600].map((waited) => retryInterval(waited, random));
    assert.ok(first !== undefined && first >= 8 && first < 10);
    assert.ok(middle !== undefined && middle >= 4 && middle < 5);
    assert.ok(last !== undefined && last >= 0.8 && last < 1);
  }
});
