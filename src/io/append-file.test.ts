import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../errors.ts";
import { BranchlineError } from "../errors.ts";
import { AppendFile } from "./append-file.ts";
import { hasErrno } from "./io-failure.ts";
import { MemoryFileSystem } from "./testing/memory-file-system.ts";

const FULL = { durability: "full" } as const;
const code = (expected: ErrorCode) => (error: unknown) => BranchlineError.is(error, expected);
const errno = (expected: string) => (error: unknown) => hasErrno(error, expected);
const bytes = (text: string) => Buffer.from(text);

async function opened(content = "first\n") {
  const fs = new MemoryFileSystem();
  fs.place("/f", "file", content);
  const file = await AppendFile.open(fs, "/f");
  await drain(file);
  return { fs, file };
}

async function drain(file: AppendFile): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of file.scan()) {
    for (const line of batch) texts.push(Buffer.from(line.bytes ?? []).toString());
  }
  return texts;
}

test("opens by the real path, scans, appends with one write and one sync (P1)", async () => {
  const fs = new MemoryFileSystem();
  fs.place("/d", "directory");
  fs.place("/d/f", "file", "a\nb\ntail");
  fs.place("/link", "link", "d/f");
  await using file = await AppendFile.open(fs, "/link");
  assert.deepEqual([file.path, file.known, file.size], ["/d/f", 0, 8]);
  assert.deepEqual(await drain(file), ["a", "b", "tail"]);
  assert.equal(file.known, 4, "an unterminated tail is not known");
  await file.truncateTo(4);
  assert.equal(await file.check(), 4);
  const range = await file.append(bytes("c\n"), FULL);
  assert.deepEqual(range, { start: 4, end: 6 });
  assert.deepEqual([file.known, file.size, file.torn, file.failed], [6, 6, false, false]);
  const tail = fs.ops.slice(-2).map(({ operation }) => operation);
  assert.deepEqual(tail, ["write", "datasync"]);
  await file.append(bytes("d\n"), { durability: "process" });
  assert.equal(fs.ops.at(-1)?.operation, "write");
  assert.equal(await file.check(), 8);
  assert.equal(fs.text("/d/f"), "a\nb\nc\nd\n");
  assert.equal(Buffer.from(await file.read(6, 100)).toString(), "d\n");
});

test("open closes the handle when it cannot go on; read mode cannot write", async () => {
  const fs = new MemoryFileSystem();
  fs.place("/f", "file", "x\n");
  fs.failNext("stat", { errno: "EIO" });
  await assert.rejects(AppendFile.open(fs, "/f"), errno("EIO"));
  assert.equal(fs.ops.at(-1)?.operation, "close");
  const file = await AppendFile.open(fs, "/f", { mode: "read" });
  await assert.rejects(file.append(bytes("y\n"), FULL), errno("EBADF"));
  await file.close();
  await file.close();
  await assert.rejects(file.check(), code("STORE_CLOSED"));
});

test("a file removed under the writer is missing (row 44)", async () => {
  const { fs, file } = await opened();
  await fs.removeFile("/f");
  await assert.rejects(file.check(), code("FILE_MISSING"));
});

test("another file at the path, and other bytes in the same file, are noticed", async () => {
  const { fs, file } = await opened("aaaa\n");
  const original = fs.place("/f", "file", "aaaa\n");
  await assert.rejects(file.check(), code("FILE_REPLACED"));
  const again = await AppendFile.open(fs, "/f");
  await again.advance(5);
  original.resize(0);
  original.append(bytes("bbbb\nmore\n"));
  await assert.rejects(again.check(), code("FILE_REPLACED"));
});

test("a truncated file is noticed (row 45)", async () => {
  const { fs, file } = await opened("0123456789\n");
  fs.place("/g", "file");
  const handle = await fs.open("/f", "append");
  await handle.truncate(4);
  await assert.rejects(file.check(), (error: unknown) => {
    assert.ok(BranchlineError.is(error, "FILE_TRUNCATED"));
    assert.deepEqual([error.fields.known, error.fields.actual], [11, 4]);
    return true;
  });
});

test("foreign growth is read before, and found after, an append (file grown)", async () => {
  const { fs, file } = await opened();
  fs.appendForeign("/f", "foreign\n");
  assert.equal(await file.check(), 14);
  assert.deepEqual(await drain(file), ["foreign"]);
  const pause = fs.pauseNext("write");
  const appending = file.append(bytes("ours\n"), FULL);
  await pause.reached;
  fs.appendForeign("/f", "between\n");
  pause.resume();
  assert.equal(await appending, undefined);
  assert.equal(file.known, 14);
  assert.deepEqual(await drain(file), ["between", "ours"]);
  assert.equal(await file.check(), file.known);
});

test("bytes after an unread foreign tail do not become known by an append", async () => {
  const { fs, file } = await opened();
  fs.appendForeign("/f", "unfinished");
  await file.check();
  assert.deepEqual(await file.append(bytes("\n"), FULL), { start: 16, end: 17 });
  assert.equal(file.known, 6);
  assert.deepEqual(await drain(file), ["unfinished"]);
});

for (const fault of [{ errno: "ENOSPC", partialBytes: 3 }, { partialBytes: 3 }, { errno: "EIO" }]) {
  test(`a failed write changes nothing and a retry works (P5, row 40) ${JSON.stringify(fault)}`, async () => {
    const { fs, file } = await opened();
    fs.failNext("write", fault);
    await assert.rejects(file.append(bytes("second\n"), FULL), (error: unknown) => {
      assert.ok(BranchlineError.is(error, "IO_FAILED"));
      assert.equal(error.hint !== undefined, fault.errno !== "EIO", "full disks name the remedy");
      return true;
    });
    assert.deepEqual([fs.text("/f"), file.known, file.torn], ["first\n", 6, false]);
    await file.append(bytes("second\n"), FULL);
    assert.equal(fs.text("/f"), "first\nsecond\n");
    assert.equal(await file.check(), 13);
  });
}

test("bytes that cannot be taken back are cut before the next append (P5)", async () => {
  const { fs, file } = await opened();
  fs.failNext("write", { errno: "ENOSPC", partialBytes: 3 });
  fs.failNext("truncate", { errno: "EIO", times: 2 });
  await assert.rejects(file.append(bytes("second\n"), FULL), errno("ENOSPC"));
  assert.deepEqual([file.torn, fs.text("/f")], [true, "first\nsec"]);
  await assert.rejects(file.append(bytes("third\n"), FULL), errno("EIO"));
  assert.equal(file.torn, true);
  await file.append(bytes("third\n"), FULL);
  assert.deepEqual([file.torn, fs.text("/f")], [false, "first\nthird\n"]);
});

test("truncateTo cuts torn bytes too, and moves known back", async () => {
  const { fs, file } = await opened("one\ntwo\n");
  fs.failNext("write", { errno: "ENOSPC", partialBytes: 1 });
  fs.failNext("truncate", { errno: "EIO" });
  await assert.rejects(file.append(bytes("x\n"), FULL), errno("ENOSPC"));
  await file.truncateTo(4);
  assert.deepEqual([file.torn, file.known, file.size], [false, 4, 4]);
  assert.equal(await file.check(), 4);
  assert.equal(fs.ops.at(-1)?.operation, "datasync");
});

test("foreign bytes are never cut by taking back our own", async () => {
  const { fs, file } = await opened();
  const pause = fs.pauseNext("write");
  fs.failNext("write", { errno: "ENOSPC", partialBytes: 2 });
  const appending = assert.rejects(file.append(bytes("second\n"), FULL), errno("ENOSPC"));
  await pause.reached;
  fs.appendForeign("/f", "theirs\n");
  pause.resume();
  await appending;
  assert.deepEqual([file.torn, file.size, fs.text("/f")], [false, 15, "first\ntheirs\nse"]);
});

for (const operation of ["datasync", "stat"] as const) {
  test(`EIO on ${operation} after the write: unknown outcome, file given up (P5, R6)`, async () => {
    const { fs, file } = await opened();
    fs.failNext(operation, { errno: "EIO" });
    await assert.rejects(file.append(bytes("second\n"), FULL), code("APPEND_UNKNOWN"));
    assert.equal(file.failed, true);
    await assert.rejects(file.append(bytes("second\n"), FULL), code("STORE_CLOSED"));
    await assert.rejects(file.check(), code("STORE_CLOSED"));
    await assert.rejects(file.read(0, 1), code("STORE_CLOSED"));
    await assert.rejects(file.truncateTo(0), code("STORE_CLOSED"));
    await assert.rejects(file.advance(1), code("STORE_CLOSED"));
    await assert.rejects(drain(file), code("STORE_CLOSED"));
    await file.close();
  });
}

test("the fingerprint holds the last 64 bytes over many small appends", async () => {
  const { fs, file } = await opened();
  for (let i = 0; i < 50; i += 1) await file.append(bytes(`${i}\n`), { durability: "process" });
  assert.equal(await file.check(), file.known);
  await file.append(Buffer.alloc(200, "z"), { durability: "process" });
  assert.equal(await file.check(), file.known);
  const content = fs.text("/f");
  assert.equal(content.length, file.known);
});

test("a scan that stops early gives its last batch again", async () => {
  const { fs, file } = await opened();
  fs.appendForeign("/f", "a\nb\n");
  for await (const batch of file.scan({ chunkBytes: 2 })) {
    assert.equal(batch.length, 1);
    break;
  }
  assert.deepEqual(await drain(file), ["a", "b"]);
});

test("a check again asks the open file alone, and in full where that looks different", async () => {
  const { fs, file } = await opened();
  await file.check();
  const reads = () => fs.ops.filter(({ operation }) => operation === "read").length;
  const before = reads();
  assert.equal(await file.checkAgain(), 6);
  assert.equal(reads(), before, "no byte is read");
  fs.appendForeign("/f", "theirs\n");
  assert.equal(await file.checkAgain(), 13);
  fs.place("/g", "file", "another\n");
  await fs.rename("/g", "/f");
  await assert.rejects(file.checkAgain(), code("FILE_REPLACED"));
  await fs.removeFile("/f");
  await assert.rejects(file.checkAgain(), code("FILE_MISSING"));
  await file.close();
  await assert.rejects(file.checkAgain(), code("STORE_CLOSED"));
});

test("bytes in a file that has lost its name are no acknowledged append (F008, F011)", async () => {
  const { fs, file } = await opened();
  await file.check();
  await fs.removeFile("/f");
  assert.equal(await file.append(bytes("lost\n"), FULL), undefined);
  await assert.rejects(file.check(), code("FILE_MISSING"));
});
