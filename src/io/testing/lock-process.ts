/**
 * A process that tests of locks start: `lock-process.ts hold PATH` takes the lock, says "held" and
 * keeps it until its standard input ends; `loop PATH MS` waits for a line on standard input, then runs
 * short works under the lock for MS ms and says `{"works":N,"longestMs":M}`.
 */
import { once } from "node:events";
import { systemClock } from "../clock.ts";
import { LockSlice } from "../lock-slice.ts";
import { createNodeFileSystem } from "../node-file-system.ts";
import { systemRandom } from "../random.ts";
import { SqliteLock } from "../sqlite-lock.ts";

const [mode, path = "", duration] = process.argv.slice(2);
const lock = new SqliteLock({
  fileSystem: createNodeFileSystem(),
  clock: systemClock,
  random: systemRandom,
  path,
});

if (mode === "hold") {
  await lock.acquire();
  console.log("held");
  process.stdin.resume();
  await once(process.stdin, "end");
  await lock.close();
} else {
  await using slice = new LockSlice({ lock, clock: systemClock });
  console.log("ready");
  await once(process.stdin, "data");
  const end = systemClock.monotonic() + Number(duration);
  let works = 0;
  let longestMs = 0;
  for (let start = 0; start < end; works += 1) {
    start = systemClock.monotonic();
    await slice.run(() => systemClock.sleep(1), { timeoutMs: 5000 });
    longestMs = Math.max(longestMs, systemClock.monotonic() - start);
  }
  console.log(JSON.stringify({ works, longestMs }));
  process.stdin.destroy();
}
