import assert from "node:assert/strict";
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Interface } from "node:readline";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ErrorCode } from "../errors.ts";
import { BranchlineError } from "../errors.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { FileSystem } from "./file-system.ts";
import { hasErrno, ioFailed } from "./io-failure.ts";
import { createNodeFileSystem } from "./node-file-system.ts";
import { systemRandom } from "./random.ts";
import type { SqliteLockOptions } from "./sqlite-lock.ts";
import { SqliteLock } from "./sqlite-lock.ts";

const root = mkdtempSync(join(tmpdir(), "branchline-lock-"));
after(() => rmSync(root, { recursive: true }));
const real = createNodeFileSystem();
const code = (expected: ErrorCode) => (error: unknown) => BranchlineError.is(error, expected);
const errno = (expected: string) => (error: unknown) => hasErrno(error, expected);
let count = 0;

function freshPath(): string {
  count += 1;
  return join(root, `session-${count}.jsonl`);
}

function lockOn(path: string, more: Partial<SqliteLockOptions> = {}): SqliteLock {
  return new SqliteLock({
    fileSystem: real,
    clock: systemClock,
    random: systemRandom,
    path,
    ...more,
  });
}

interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
  line(): Promise<string>;
}

function start(...args: string[]): Child {
  const script = new URL("./testing/lock-process.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  return { process: child, lines, line: async () => String((await iterator.next()).value) };
}

test("two locks in the same process exclude each other; files are 0600 (P10)", async () => {
  const path = freshPath();
  const before = process.umask(0);
  await using a = lockOn(path);
  await using b = lockOn(path);
  try {
    await a.acquire();
    await a.acquire();
  } finally {
    process.umask(before);
  }
  await assert.rejects(b.acquire({ timeoutMs: 0 }), code("STORE_BUSY"));
  assert.deepEqual([a.held, b.held], [true, false]);
  a.release();
  a.release();
  await b.acquire();
  await assert.rejects(a.acquire({ timeoutMs: 5 }), code("STORE_BUSY"));
  assert.equal(statSync(`${path}.lock`).mode & 0o777, 0o600);
  assert.equal(statSync(`${path}.lock`).size, 0);
  assert.equal(a.trouble, undefined);
});

test("both locks made at once use one lock file, which stays when they close", async () => {
  const path = freshPath();
  const locks = [lockOn(path), lockOn(path), lockOn(path)];
  const outcomes = await Promise.allSettled(locks.map((lock) => lock.acquire({ timeoutMs: 0 })));
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  for (const lock of locks) await lock.close();
  assert.equal(statSync(`${path}.lock`).nlink, 1);
  assert.throws(() => statSync(`${path}.owner`));
});

test("kill -9 while holding the lock: free in under a second (P6, fault matrix)", async () => {
  const path = freshPath();
  const child = start("hold", path);
  assert.equal(await child.line(), "held");
  await using lock = lockOn(path);
  await assert.rejects(lock.acquire({ timeoutMs: 0 }), code("STORE_BUSY"));
  child.process.kill("SIGKILL");
  const killedAt = performance.now();
  await lock.acquire();
  const waited = performance.now() - killedAt;
  assert.ok(waited < 1000, `${waited} ms`);
  if (child.process.signalCode === null) await once(child.process, "exit");
});

test("a stopped owner is not robbed; STORE_BUSY names it (owner SIGSTOP)", async () => {
  const path = freshPath();
  const child = start("hold", path);
  assert.equal(await child.line(), "held");
  // The owner file is written in the background, so it may come a moment after the lock.
  while (readOwner(path)?.pid !== child.process.pid) await real.stat(path);
  child.process.kill("SIGSTOP");
  await using lock = lockOn(path);
  await assert.rejects(lock.acquire({ timeoutMs: 150 }), (error: unknown) => {
    assert.ok(BranchlineError.is(error, "STORE_BUSY"));
    assert.equal(error.fields.owner?.pid, child.process.pid);
    assert.match(error.fields.owner?.command ?? "", /lock-process/);
    assert.ok(error.fields.waitedMs >= 150 && error.fields.waitedMs < 1000);
    return true;
  });
  child.process.kill("SIGCONT");
  child.process.stdin.end();
  await lock.acquire();
  if (child.process.exitCode === null) await once(child.process, "exit");
});

function readOwner(path: string): { readonly pid: number } | undefined {
  try {
    return JSON.parse(readFileSync(`${path}.owner`, "utf8"));
  } catch {
    return undefined;
  }
}

test("four busy processes all progress, none waits a second (fairness)", async () => {
  const path = freshPath();
  const children = Array.from({ length: 4 }, () => start("loop", path, "2500"));
  for (const child of children) assert.equal(await child.line(), "ready");
  for (const child of children) child.process.stdin.write("go\n");
  const results: { readonly works: number; readonly longestMs: number }[] = [];
  for (const child of children) results.push(JSON.parse(await child.line()));
  const total = results.reduce((sum, { works }) => sum + works, 0);
  console.log(JSON.stringify(results));
  for (const { works, longestMs } of results) {
    assert.ok(works >= total * 0.05, `${works} of ${total}`);
    assert.ok(longestMs < 1000, `${longestMs} ms`);
  }
  for (const child of children) {
    if (child.process.exitCode === null) await once(child.process, "exit");
  }
});

test("the holder sees that somebody waits, and gives way", async () => {
  const path = freshPath();
  const noticed = Promise.withResolvers<void>();
  const watching: FileSystem = {
    ...real,
    setTimes: (...args) => real.setTimes(...args).finally(noticed.resolve),
  };
  await using holder = lockOn(path);
  await using waiter = lockOn(path, { fileSystem: watching });
  await holder.acquire();
  assert.equal(await holder.inspect(), "quiet");
  const waiting = waiter.acquire();
  await noticed.promise;
  assert.equal(await holder.inspect(), "contended");
  await holder.yieldTo();
  await waiting;
  assert.equal(await holder.inspect(), "lost");
});

test("a waiter says that it waits at most every 100 ms, and its failure to do so is kept", async () => {
  const path = freshPath();
  let notices = 0;
  const failing: FileSystem = {
    ...real,
    setTimes: async (place) => {
      notices += 1;
      throw ioFailed({ operation: "setTimes", path: place }, "EPERM");
    },
  };
  await using holder = lockOn(path);
  await using waiter = lockOn(path, { fileSystem: failing });
  await holder.acquire();
  await assert.rejects(waiter.acquire({ timeoutMs: 350 }), code("STORE_BUSY"));
  assert.ok(notices >= 2 && notices <= 4, `${notices} notices`);
  assert.ok(hasErrno(waiter.trouble, "EPERM"));
});

test("a lock file removed or replaced while held is noticed (lock file deleted)", async () => {
  const path = freshPath();
  await using lock = lockOn(path);
  await lock.acquire();
  unlinkSync(`${path}.lock`);
  assert.equal(await lock.inspect(), "lost");
  writeFileSync(`${path}.new`, "");
  renameSync(`${path}.new`, `${path}.lock`);
  assert.equal(await lock.inspect(), "lost");
  lock.release();
  await lock.acquire();
  assert.equal(await lock.inspect(), "quiet");
});

test("a lock file removed while free is noticed before the next use", async () => {
  const path = freshPath();
  await using a = lockOn(path);
  await a.acquire();
  a.release();
  unlinkSync(`${path}.lock`);
  await using b = lockOn(path);
  await b.acquire();
  await assert.rejects(a.acquire({ timeoutMs: 30 }), code("STORE_BUSY"));
  b.release();
  await a.acquire();
  unlinkSync(`${path}.lock`);
  a.release();
  await a.acquire({ timeoutMs: 0 });
  assert.equal(await a.inspect(), "quiet");
  a.release();
  renameSync(`${path}.lock`, `${path}.away`);
  await a.acquire({ timeoutMs: 0 });
  assert.equal(await a.inspect(), "quiet");
});

test("a wait ends with ABORTED; a closed lock says so", async () => {
  const path = freshPath();
  await using holder = lockOn(path);
  await holder.acquire();
  const lock = lockOn(path);
  await assert.rejects(lock.acquire({ signal: AbortSignal.abort() }), code("ABORTED"));
  const stop = new AbortController();
  const waiting = lock.acquire({ signal: stop.signal });
  stop.abort();
  await assert.rejects(waiting, code("ABORTED"));
  await lock.close();
  await lock.close();
  await assert.rejects(lock.acquire(), code("STORE_CLOSED"));
});

test("close during an acquire ends it with STORE_CLOSED and leaves nothing locked", async () => {
  const path = freshPath();
  for (const nth of [1, 2, 3]) {
    let calls = 0;
    const closing: FileSystem = {
      ...real,
      lstat: async (place) => {
        const stat = await real.lstat(place);
        calls += 1;
        if (calls === nth) await lock.close();
        return stat;
      },
    };
    const lock = lockOn(path, { fileSystem: closing });
    await assert.rejects(lock.acquire(), code("STORE_CLOSED"));
    assert.equal(lock.held, false);
    await using other = lockOn(path);
    await other.acquire({ timeoutMs: 0 });
  }
});

test("a failing look at the lock file after taking it frees it again", async () => {
  const path = freshPath();
  let calls = 0;
  const failing: FileSystem = {
    ...real,
    lstat: async (place) => {
      calls += 1;
      if (calls === 3) throw ioFailed({ operation: "lstat", path: place }, "EIO");
      return real.lstat(place);
    },
  };
  await using lock = lockOn(path, { fileSystem: failing });
  await assert.rejects(lock.acquire(), errno("EIO"));
  await lock.acquire();
});

test("no hard links: the lock file is made directly; other failures are told", async () => {
  const path = freshPath();
  const refusing = (reason: string): FileSystem => ({
    ...real,
    link: async (_from, to) => {
      throw ioFailed({ operation: "link", path: to }, reason);
    },
  });
  await assert.rejects(lockOn(path, { fileSystem: refusing("EIO") }).acquire(), errno("EIO"));
  await using lock = lockOn(path, { fileSystem: refusing("EPERM") });
  await lock.acquire();
  assert.equal(statSync(`${path}.lock`).mode & 0o777, 0o600);
});

test("what cannot be a lock file is refused", async () => {
  const directory = freshPath();
  mkdirSync(`${directory}.lock`);
  await assert.rejects(lockOn(directory).acquire(), code("FILE_UNSAFE"));
  const garbage = freshPath();
  writeFileSync(`${garbage}.lock`, "x".repeat(5000));
  await assert.rejects(lockOn(garbage).acquire(), errno("SQLITE_26"));
  const other = await real.lstat(`${garbage}.lock`);
  const lying: FileSystem = { ...real, lstat: async () => other };
  await assert.rejects(lockOn("/with\0nul", { fileSystem: lying }).acquire(), errno("SQLITE_0"));
  const gone = freshPath();
  const vanishing: FileSystem = {
    ...real,
    lstat: async (place) => {
      const stat = await real.lstat(place);
      if (stat !== undefined) rmSync(root, { recursive: true });
      return stat;
    },
  };
  await assert.rejects(lockOn(gone, { fileSystem: vanishing }).acquire(), errno("SQLITE_14"));
  mkdirSync(root);
});

test("a jump of the wall clock prolongs no wait", async () => {
  const path = freshPath();
  await using holder = lockOn(path);
  await holder.acquire();
  utimesSync(`${path}.lock`, 1, 1);
  assert.equal(await holder.inspect(), "contended");
  let now = 10_000_000;
  const jumping = {
    ...systemClock,
    now: () => {
      now -= 3_600_000;
      return now;
    },
  };
  await using waiter = lockOn(path, { clock: jumping });
  await assert.rejects(waiter.acquire({ timeoutMs: 20 }), code("STORE_BUSY"));
});

/** A clock whose sleeps end at once and let `step` ms go by, whatever was asked. */
function steppingClock(step: number): { readonly clock: Clock; readonly sleeps: number[] } {
  const sleeps: number[] = [];
  let time = 0;
  const sleep = async (ms: number): Promise<void> => {
    sleeps.push(ms);
    time += step;
  };
  return { clock: { ...systemClock, monotonic: () => time, sleep }, sleeps };
}

/** What comes when everything that can go on without waiting has done so. */
async function immediate<T>(value: T): Promise<T> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  return value;
}

test("the time of a wait: one try for 0 ms, no sleep beyond its end, a notice every 100 ms", async () => {
  const path = freshPath();
  await using holder = lockOn(path);
  await holder.acquire();
  const standing = steppingClock(0);
  await using once = lockOn(path, { clock: standing.clock });
  await assert.rejects(once.acquire({ timeoutMs: 0 }), code("STORE_BUSY"));
  assert.deepEqual(standing.sleeps, []);
  const slow = steppingClock(1);
  await using short = lockOn(path, { clock: slow.clock });
  await assert.rejects(short.acquire({ timeoutMs: 3 }), code("STORE_BUSY"));
  assert.deepEqual(slow.sleeps, [3, 2, 1]);
  let notices = 0;
  const setTimes: FileSystem["setTimes"] = async () => {
    notices += 1;
  };
  const { clock } = steppingClock(50);
  await using waiter = lockOn(path, { clock, fileSystem: { ...real, setTimes } });
  await assert.rejects(waiter.acquire({ timeoutMs: 250 }), (error) => {
    assert.ok(BranchlineError.is(error, "STORE_BUSY"));
    return error.fields.waitedMs === 250;
  });
  assert.equal(notices, 3);
});

test("an aborted signal takes no lock, free or not", async () => {
  const path = freshPath();
  await using lock = lockOn(path);
  await assert.rejects(lock.acquire({ signal: AbortSignal.abort() }), code("ABORTED"));
  assert.equal(lock.held, false);
});

test("the owner's name is waited for only by who asks for it; STORE_BUSY tells who it is", async () => {
  const path = freshPath();
  const gate = Promise.withResolvers<void>();
  const slow: FileSystem = {
    ...real,
    open: async (place, mode) => {
      if (place.includes(".owner.")) await gate.promise;
      return await real.open(place, mode);
    },
  };
  await using lock = lockOn(path, { fileSystem: slow });
  await using other = lockOn(path);
  const busy = async (): Promise<BranchlineError<"STORE_BUSY">> => {
    const error: unknown = await other.acquire({ timeoutMs: 0 }).catch((reason) => reason);
    assert.ok(BranchlineError.is(error, "STORE_BUSY"));
    return error;
  };
  await lock.acquire();
  const unnamed = await busy();
  assert.equal(unnamed.fields.owner, null);
  assert.match(unnamed.message, /another process/);
  lock.release();
  const named = lock.acquire({ named: true });
  assert.equal(await Promise.race([named.then(() => "named"), immediate("waits")]), "waits");
  gate.resolve();
  await named;
  const { fields, message } = await busy();
  assert.equal(fields.owner?.pid, process.pid);
  assert.ok(message.includes(`(pid ${process.pid})`));
});

test("a lock that was closed is not held, and its connection is gone", async (t) => {
  const path = freshPath();
  const lock = lockOn(path);
  await lock.acquire();
  await lock.close();
  assert.equal(lock.held, false);
  const untouched = freshPath();
  const closed = lockOn(untouched);
  await closed.close();
  await assert.rejects(closed.acquire(), code("STORE_CLOSED"));
  assert.equal(existsSync(`${untouched}.lock`), false);
  if (!existsSync("/proc/self/fd")) return t.skip("no /proc");
  const late = freshPath();
  let looks = 0;
  const closing: FileSystem = {
    ...real,
    lstat: async (place) => {
      const stat = await real.lstat(place);
      if (++looks === 2) await second.close();
      return stat;
    },
  };
  const second = lockOn(late, { fileSystem: closing });
  await assert.rejects(second.acquire(), code("STORE_CLOSED"));
  const open = readdirSync("/proc/self/fd").flatMap((fd) => {
    const link = join("/proc/self/fd", fd);
    return existsSync(link) ? [readlinkSync(link)] : [];
  });
  assert.deepEqual(
    open.filter((place) => place.endsWith(".lock") && place.includes(root)),
    [],
  );
});

test("a lock file that another made first is used, one that vanishes again is refused", async () => {
  const path = freshPath();
  const racing: FileSystem = {
    ...real,
    link: async (from, to) => {
      writeFileSync(to, "");
      await real.link(from, to);
    },
  };
  await using lock = lockOn(path, { fileSystem: racing });
  await lock.acquire();
  assert.equal(lock.held, true);
  const gone = freshPath();
  const vanishing: FileSystem = { ...real, lstat: async () => undefined };
  await assert.rejects(lockOn(gone, { fileSystem: vanishing }).acquire(), (error) => {
    assert.ok(BranchlineError.is(error, "FILE_UNSAFE"));
    return error.fields.path === `${gone}.lock`;
  });
  const garbage = freshPath();
  writeFileSync(`${garbage}.lock`, "x".repeat(5000));
  await assert.rejects(lockOn(garbage).acquire(), (error) => {
    assert.ok(BranchlineError.is(error, "IO_FAILED"));
    return error.fields.operation === "lock" && error.fields.path === `${garbage}.lock`;
  });
});
