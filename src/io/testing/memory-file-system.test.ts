import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../../errors.ts";
import { hasErrno } from "../io-failure.ts";
import { MemoryFileSystem } from "./memory-file-system.ts";

const errno = (expected: string) => (error: unknown) => hasErrno(error, expected);

test("behaves like the real one for names, links and directories", async () => {
  const fs = new MemoryFileSystem();
  assert.equal(await fs.makeDirectory("/a/b"), "/a");
  assert.equal(await fs.makeDirectory("/a/b"), undefined);
  const handle = await fs.open("/a/f", "create");
  await handle.write(Buffer.from("abc"));
  await handle.close();
  await assert.rejects(fs.open("/a/f", "create"), errno("EEXIST"));
  await assert.rejects(fs.open("/x/f", "create"), errno("ENOENT"));
  await assert.rejects(fs.open("/a", "read"), (e: unknown) => BranchlineError.is(e, "FILE_UNSAFE"));
  fs.place("/a/l", "link", "f");
  fs.place("/a/loop", "link", "loop");
  fs.place("/abs", "link", "/a/f");
  assert.equal(await fs.realpath("/a/l"), "/a/f");
  assert.equal(await fs.realpath("/abs"), "/a/f");
  assert.equal((await fs.lstat("/a/l"))?.kind, "link");
  assert.equal((await fs.stat("/a/loop"))?.kind, "link");
  await fs.link("/a/f", "/a/g");
  await assert.rejects(fs.link("/a/f", "/a/g"), errno("EEXIST"));
  assert.equal((await fs.stat("/a/g"))?.links, 2);
  await fs.setTimes("/a/g", 1, 2);
  assert.equal((await fs.stat("/a/f"))?.mtimeMs, 2);
  const names = (await fs.readDirectory("/a")).map(({ name }) => name);
  assert.deepEqual(names, ["b", "f", "g", "l", "loop"]);
  assert.equal(await fs.removeFile("/a/g"), true);
  assert.equal(await fs.removeFile("/a/g"), false);
  await fs.rename("/a/f", "/a/z");
  await fs.syncDirectory("/a");
  assert.equal(Buffer.from(await fs.readFile("/a/z", { maxBytes: 3 })).toString(), "abc");
  const unsafe = (e: unknown) => BranchlineError.is(e, "FILE_UNSAFE");
  await assert.rejects(fs.readFile("/a/z", { maxBytes: 2 }), unsafe);
  await assert.rejects(fs.readFile("/a", { maxBytes: 2 }), unsafe);
});

test("files cut, extend with NUL, and sync", async () => {
  const fs = new MemoryFileSystem();
  fs.place("/f", "file", new Uint8Array([65, 66, 67]));
  const handle = await fs.open("/f", "append");
  await handle.truncate(1);
  await handle.truncate(3);
  await handle.sync();
  assert.equal(fs.text("/f"), "A\0\0");
  assert.equal(await handle.read(new Uint8Array(4), 10), 0);
  assert.deepEqual(fs.ops.map(({ operation, length }) => [operation, length]).slice(1), [
    ["truncate", 1],
    ["truncate", 3],
    ["sync", undefined],
  ]);
});

test("faults hit the asked operation, path and turn; pauses stop it", async () => {
  const fs = new MemoryFileSystem();
  fs.place("/a", "file", "a");
  fs.failNext("stat", { errno: "EIO", path: "/a", after: 1, times: 2 });
  await fs.stat("/b");
  await fs.stat("/a");
  await assert.rejects(fs.stat("/a"), errno("EIO"));
  await assert.rejects(fs.stat("/a"), errno("EIO"));
  await fs.stat("/a");
  const pause = fs.pauseNext("stat", "/a");
  const log: string[] = [];
  await fs.stat("/b");
  const stat = fs.stat("/a").then(() => log.push("done"));
  await pause.reached;
  assert.deepEqual(log, []);
  pause.resume();
  await stat;
  assert.deepEqual(log, ["done"]);
});
