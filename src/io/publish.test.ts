import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { errnoOf, hasErrno, ioFailed } from "./io-failure.ts";
import type { PublishOptions } from "./publish.ts";
import { publish } from "./publish.ts";
import type { Operation } from "./testing/fault-plan.ts";
import { MemoryFileSystem } from "./testing/memory-file-system.ts";
import { seededRandom } from "./testing/seeded-random.ts";

const errno = (expected: string) => (error: unknown) => hasErrno(error, expected);

function options(more: Partial<PublishOptions> = {}): PublishOptions {
  return {
    path: "/d/file",
    content: Buffer.from("new"),
    overwrite: "replace",
    random: seededRandom(1),
    ...more,
  };
}

function fileSystem(): MemoryFileSystem {
  const fs = new MemoryFileSystem();
  fs.place("/d", "directory");
  return fs;
}

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test("writes, syncs, renames, syncs the directory, in this order (power cut rows)", async () => {
  const fs = fileSystem();
  fs.place("/d/file", "file", "old");
  const stat = await publish(fs, options());
  const order = fs.ops.map(({ operation }) => operation);
  assert.deepEqual(order, ["open", "write", "sync", "close", "rename", "syncDirectory"]);
  assert.equal(fs.text("/d/file"), "new");
  assert.equal((await fs.stat("/d/file"))?.ino, stat.ino);
  assert.match(fs.ops[0]?.path ?? "", /^\/d\/\.file\.[0-9a-f]{16}\.tmp$/);
});

test("chunks are written one after the other, short writes are continued", async () => {
  const fs = fileSystem();
  fs.failNext("write", { partialBytes: 1 });
  await publish(fs, options({ content: chunks("abc", "def") }));
  assert.equal(fs.text("/d/file"), "abcdef");
});

const LONG = 9 * 1024 * 1024;

test("a long file is brought to the disk while it is written, once each 16 MiB", async () => {
  const fs = fileSystem();
  const content = (async function* () {
    for (let part = 0; part < 5; part++) yield Buffer.alloc(LONG, part);
  })();
  await publish(fs, options({ content }));
  const order = fs.ops.map(({ operation }) => operation);
  assert.equal(order.filter((operation) => operation === "write").length, 5);
  assert.equal(order.filter((operation) => operation === "sync").length, 3);
  assert.deepEqual(order.slice(-4), ["sync", "close", "rename", "syncDirectory"]);
  assert.equal(fs.bytes("/d/file").length, 5 * LONG);
});

for (const [after, written] of [
  [0, 3],
  [1, 4],
] as const) {
  test(`a sync that fails while a long file is written leaves no file (P1, R12): ${after}`, async () => {
    const fs = fileSystem();
    let given = 0;
    const content = (async function* () {
      for (; given < written; given++) yield Buffer.alloc(LONG);
    })();
    fs.failNext("sync", { errno: "EIO", after });
    await assert.rejects(publish(fs, options({ content })), errno("EIO"));
    assert.deepEqual(fs.paths(), ["/", "/d"]);
  });
}

test("durability process does not sync", async () => {
  const fs = fileSystem();
  await publish(fs, options({ durability: "process" }));
  assert.ok(!fs.ops.some(({ operation }) => operation.startsWith("sync")));
});

for (const [operation, fault] of [
  ["write", { errno: "ENOSPC", partialBytes: 2 }],
  ["write", { partialBytes: 0 }],
  ["sync", { errno: "EIO" }],
  ["stat", { errno: "EIO" }],
  ["close", { errno: "EIO" }],
  ["rename", { errno: "EXDEV" }],
] as const) {
  test(`a failed ${operation} leaves the old file and no temporary one (R12) ${JSON.stringify(fault)}`, async () => {
    const fs = fileSystem();
    fs.place("/d/file", "file", "old");
    fs.failNext(operation satisfies Operation, fault);
    await assert.rejects(publish(fs, options()), (error: unknown) =>
      BranchlineError.is(error, "IO_FAILED"),
    );
    assert.equal(fs.text("/d/file"), "old");
    assert.deepEqual(fs.paths(), ["/", "/d", "/d/file"]);
  });
}

test("the first failure is reported, also when cleaning up fails too", async () => {
  const fs = fileSystem();
  fs.failNext("rename", { errno: "EXDEV" });
  fs.failNext("removeFile", { errno: "EACCES" });
  await assert.rejects(publish(fs, options()), errno("EXDEV"));
});

test("never: an existing file is not replaced, by link or without", async () => {
  const fs = fileSystem();
  await publish(fs, options({ overwrite: "never" }));
  assert.deepEqual(fs.paths(), ["/", "/d", "/d/file"]);
  await assert.rejects(publish(fs, options({ overwrite: "never" })), errno("EEXIST"));
  fs.failNext("link", { errno: "EPERM" });
  await assert.rejects(publish(fs, options({ overwrite: "never" })), errno("EEXIST"));
  await fs.removeFile("/d/file");
  fs.failNext("link", { errno: "ENOTSUP" });
  await publish(fs, options({ overwrite: "never" }));
  fs.failNext("removeFile", { errno: "EACCES" });
  await publish(fs, options({ path: "/d/other", overwrite: "never" }));
  assert.equal(fs.text("/d/other"), "new");
});

test("ifUnchanged: only the file that was read is replaced (file replaced by a foreign process)", async () => {
  const fs = fileSystem();
  fs.place("/d/file", "file", "old");
  const ifUnchanged = await fs.stat("/d/file");
  assert.ok(ifUnchanged);
  await publish(fs, options({ ifUnchanged }));
  const replaced = (error: unknown) => BranchlineError.is(error, "FILE_REPLACED");
  await assert.rejects(publish(fs, options({ ifUnchanged })), replaced);
  const present = await fs.stat("/d/file");
  assert.ok(present);
  fs.appendForeign("/d/file", "x");
  await assert.rejects(publish(fs, options({ ifUnchanged: present })), replaced);
  const { mtimeMs: _old, ...same } = present;
  await assert.rejects(
    publish(fs, options({ ifUnchanged: { ...same, size: 4, mtimeMs: 1 } })),
    replaced,
  );
  await fs.removeFile("/d/file");
  await assert.rejects(publish(fs, options({ ifUnchanged: present })), replaced);
  assert.deepEqual(fs.paths(), ["/", "/d"]);
});

test("verify sees the finished temporary file and can stop", async () => {
  const fs = fileSystem();
  const stop = ioFailed({ operation: "verify", path: "/d/file" }, "EIO");
  const verify = async (temporary: string) => {
    assert.equal(fs.text(temporary), "new");
    throw stop;
  };
  await assert.rejects(publish(fs, options({ verify })), stop);
  assert.deepEqual(fs.paths(), ["/", "/d"]);
});

test("errno of native and other failures", () => {
  assert.equal(errnoOf(Object.assign(new Error("x"), { code: "EIO" })), "EIO");
  assert.equal(errnoOf(new Error("x")), "UNKNOWN");
  assert.equal(errnoOf("x"), "UNKNOWN");
  assert.equal(hasErrno(new Error("x"), "EIO"), false);
  assert.match(ioFailed({ operation: "write", path: "/f" }, "EDQUOT").hint ?? "", /space/);
  assert.equal(ioFailed({ operation: "write", path: "/f" }, "EIO").hint, undefined);
});
