import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../../errors.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryLock, MemoryLockPlace } from "./memory-lock.ts";

test("first come, first served; refused in time with the owner; a wait can be cancelled", async () => {
  const clock = new ManualClock();
  const place = new MemoryLockPlace();
  const [a, b, c] = [1, 2, 3].map(
    (pid) =>
      new MemoryLock({ place, clock, owner: { pid, startedAt: 0, host: "h", command: "c" } }),
  );
  assert.ok(a && b && c);
  await a.acquire();
  await a.acquire();
  assert.equal(await a.inspect(), "quiet");
  const second = b.acquire();
  const stop = new AbortController();
  const third = c.acquire({ signal: stop.signal });
  assert.equal(await a.inspect(), "contended");
  stop.abort();
  await assert.rejects(third, (error: unknown) => BranchlineError.is(error, "ABORTED"));
  await a.yieldTo();
  await second;
  assert.deepEqual([a.held, b.held], [false, true]);
  const refused = c.acquire({ timeoutMs: 10 });
  clock.advance(10);
  await assert.rejects(refused, (error: unknown) => {
    assert.ok(BranchlineError.is(error, "STORE_BUSY"));
    assert.equal(error.fields.owner?.pid, 2);
    return true;
  });
  a.release();
  await b.close();
  place.serveNext();
  await c.acquire({ signal: new AbortController().signal });
});
