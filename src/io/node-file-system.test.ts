import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ErrorCode } from "../errors.ts";
import { BranchlineError } from "../errors.ts";
import { hasErrno } from "./io-failure.ts";
import { createNodeFileSystem } from "./node-file-system.ts";

const root = mkdtempSync(join(tmpdir(), "branchline-fs-"));
after(() => rmSync(root, { recursive: true }));
const fs = createNodeFileSystem();
const code = (expected: ErrorCode) => (error: unknown) => BranchlineError.is(error, expected);
const errno = (expected: string) => (error: unknown) => hasErrno(error, expected);

test("create, append, read, truncate and stat one file", async () => {
  const path = join(root, "one");
  const handle = await fs.open(path, "create");
  assert.equal(await handle.write(Buffer.from("hello ")), 6);
  assert.equal(await handle.write(Buffer.from("world")), 5);
  const buffer = new Uint8Array(32);
  assert.equal(await handle.read(buffer, 6), 5);
  assert.equal(Buffer.from(buffer.subarray(0, 5)).toString(), "world");
  assert.equal(await handle.read(buffer, 11), 0);
  await handle.datasync();
  await handle.truncate(5);
  await handle.sync();
  const stat = await handle.stat();
  assert.deepEqual([stat.kind, stat.size, stat.mode, stat.links], ["file", 5, 0o600, 1]);
  await handle.close();
  await assert.rejects(handle.stat(), errno("EBADF"));
  const again = await fs.open(path, "append");
  await again.write(Buffer.from("!"));
  await again.close();
  assert.equal(readFileSync(path, "utf8"), "hello!");
  await assert.rejects(fs.open(path, "create"), errno("EEXIST"));
  const reader = await fs.open(path, "read");
  await assert.rejects(reader.write(Buffer.from("x")), errno("EBADF"));
  await reader.close();
});

test("syncs go through the pool or in place, as quick as they were; both tell what fails", async () => {
  for (const slowSyncMs of [0, Number.POSITIVE_INFINITY]) {
    const handle = await createNodeFileSystem({ slowSyncMs }).open(
      join(root, `paced-${slowSyncMs}`),
      "create",
    );
    for (let round = 0; round < 10; round++) {
      await handle.write(Buffer.from("x"));
      await handle.datasync();
    }
    await handle.close();
    await assert.rejects(handle.datasync(), errno("EBADF"));
    assert.equal(readFileSync(join(root, `paced-${slowSyncMs}`), "utf8"), "x".repeat(10));
  }
});

test("large and small pieces go to one file, in order", async () => {
  const handle = await fs.open(join(root, "pieces"), "create");
  const large = Buffer.alloc(1024 * 1024 + 1, "L");
  assert.equal(await handle.write(Buffer.from("small")), 5);
  assert.equal(await handle.write(large), large.byteLength);
  const all = new Uint8Array(large.byteLength + 10);
  let length = 0;
  for (let read = -1; read !== 0; length += read) {
    read = await handle.read(all.subarray(length), length);
  }
  assert.equal(length, large.byteLength + 5);
  assert.equal(Buffer.from(all.subarray(0, 7)).toString(), "smallLL");
  await handle.close();
  await assert.rejects(handle.write(Buffer.from("x")), errno("EBADF"));
  await assert.rejects(handle.read(new Uint8Array(1), 0), errno("EBADF"));
});

test("timers get their turn in a long row of small calls", async () => {
  const file = join(root, "row");
  writeFileSync(file, "x");
  let rang = false;
  setTimeout(() => {
    rang = true;
  }, 0);
  const until = performance.now() + 10_000;
  while (!rang && performance.now() < until) await fs.stat(file);
  assert.ok(rang, "the timer rang while nothing else was awaited");
});

test("what is not a regular file is refused (reliability §3 rows 46, 48, 49)", async () => {
  const fifo = join(root, "fifo.jsonl");
  execFileSync("mkfifo", [fifo]);
  symlinkSync("/dev/zero", join(root, "zero"));
  writeFileSync(join(root, "target"), "x");
  symlinkSync(join(root, "target"), join(root, "alias"));
  for (const path of [fifo, join(root, "zero"), join(root, "alias"), "/dev/zero", root]) {
    await assert.rejects(fs.open(path, "read"), code("FILE_UNSAFE"), path);
    await assert.rejects(fs.open(path, "append"), code("FILE_UNSAFE"), path);
  }
  await assert.rejects(fs.open(join(root, "absent"), "append"), errno("ENOENT"));
});

test("stat follows links, lstat does not, and absent is undefined (row 47)", async () => {
  writeFileSync(join(root, "plain"), "abc");
  symlinkSync("plain", join(root, "good"));
  symlinkSync("nowhere", join(root, "dangling"));
  assert.equal((await fs.stat(join(root, "good")))?.kind, "file");
  assert.equal((await fs.lstat(join(root, "good")))?.kind, "link");
  assert.equal(await fs.stat(join(root, "dangling")), undefined);
  assert.equal(await fs.stat(join(root, "plain", "below")), undefined);
  assert.equal((await fs.stat("/dev/null"))?.kind, "other");
  await assert.rejects(fs.stat(`${root}/${"x".repeat(300)}`), errno("ENAMETOOLONG"));
  assert.equal(await fs.realpath(join(root, "good")), await fs.realpath(join(root, "plain")));
  await assert.rejects(fs.realpath(join(root, "dangling")), errno("ENOENT"));
});

test("directories, names, times and removal", async () => {
  const top = join(root, "a");
  assert.equal(await fs.makeDirectory(join(top, "b", "c")), top);
  assert.equal(await fs.makeDirectory(join(top, "b", "c")), undefined);
  writeFileSync(join(top, "two"), "2");
  writeFileSync(join(top, "one"), "1");
  await fs.link(join(top, "one"), join(top, "three"));
  await assert.rejects(fs.link(join(top, "one"), join(top, "two")), errno("EEXIST"));
  assert.deepEqual(await fs.readDirectory(top), [
    { name: "b", kind: "directory" },
    { name: "one", kind: "file" },
    { name: "three", kind: "file" },
    { name: "two", kind: "file" },
  ]);
  await fs.rename(join(top, "three"), join(top, "two"));
  await fs.setTimes(join(top, "two"), 1_000, 2_500);
  assert.equal((await fs.stat(join(top, "two")))?.mtimeMs, 2_500);
  await fs.syncDirectory(top);
  assert.equal(await fs.removeFile(join(top, "one")), true);
  assert.equal(await fs.removeFile(join(top, "one")), false);
  await assert.rejects(fs.removeFile(top), (error: unknown) =>
    BranchlineError.is(error, "IO_FAILED"),
  );
  await assert.rejects(fs.readDirectory(join(root, "absent")), errno("ENOENT"));
});

test("names are sorted whatever order the directory has, and however large it is", async () => {
  const directory = join(root, "names");
  await fs.makeDirectory(directory);
  const some = [..."qwertyuiopasdfghjklzxcvbnm"];
  // Its own size, too, is more than a small one's on any file system.
  const many = Array.from({ length: 8000 }, (_, at) => `${(at * 7919) % 8000}-${"long".repeat(5)}`);
  for (const names of [some, [...some, ...many]]) {
    for (const name of names) writeFileSync(join(directory, name), "");
    const found = await fs.readDirectory(directory);
    assert.deepEqual(
      found.map(({ name }) => name),
      names.sort(),
    );
  }
});

test("a platform that cannot sync directories is tolerated, others are not", async () => {
  const windows = createNodeFileSystem({ platform: "win32" });
  await windows.syncDirectory("/dev/null");
  await assert.rejects(fs.syncDirectory("/dev/null"), errno("EINVAL"));
  await assert.rejects(windows.syncDirectory(join(root, "absent")), errno("ENOENT"));
});

test("readFile reads to the limit and refuses more", async () => {
  const path = join(root, "small");
  writeFileSync(path, "12345");
  const bytes = await fs.readFile(path, { maxBytes: 5 });
  assert.equal(Buffer.from(bytes).toString(), "12345");
  await assert.rejects(fs.readFile(path, { maxBytes: 4 }), code("FILE_UNSAFE"));
  writeFileSync(path, "");
  assert.equal((await fs.readFile(path, { maxBytes: 4 })).byteLength, 0);
});

test("modes are 0600 and 0700 under umask 000 and 077 (P10)", async () => {
  for (const mask of [0o000, 0o077]) {
    const before = process.umask(mask);
    try {
      const directory = join(root, `mask-${mask}`);
      await fs.makeDirectory(directory);
      await (await fs.open(join(directory, "file"), "create")).close();
      assert.equal((await fs.stat(directory))?.mode, 0o700);
      assert.equal((await fs.stat(join(directory, "file")))?.mode, 0o600);
    } finally {
      process.umask(before);
    }
  }
});

test("a file system that is full names the remedy (ENOSPC)", async () => {
  const file = join(root, "limited");
  const script = `
    import { createNodeFileSystem } from ${JSON.stringify(new URL("./node-file-system.ts", import.meta.url).href)};
    const handle = await createNodeFileSystem().open(${JSON.stringify(file)}, "create");
    await handle.write(Buffer.alloc(4096));
    await handle.write(Buffer.alloc(4096)).catch((error) => console.log(error.fields.errno, error.hint));`;
  const command = 'ulimit -f 4; exec "$0" --input-type=module -e "$1"';
  // Without coverage: the child could not write its report under this limit either.
  const env = { ...process.env, NODE_V8_COVERAGE: "" };
  const output = execFileSync("bash", ["-c", command, process.execPath, script], {
    encoding: "utf8",
    env,
  });
  assert.match(output, /^EFBIG .*space/);
});

test("a folder that cannot be made is an error at once, also below /proc and below a file", async () => {
  writeFileSync(join(root, "file"), "");
  for (const path of [join(root, "file", "below"), join(root, "file"), "/proc/branchline/none"]) {
    await assert.rejects(fs.makeDirectory(path), code("IO_FAILED"));
  }
  // Several at once make it once, and nobody fails.
  const deep = join(root, "at", "once", "deep");
  await Promise.all(Array.from({ length: 8 }, () => fs.makeDirectory(deep)));
  assert.equal((await fs.stat(deep))?.kind, "directory");
});
