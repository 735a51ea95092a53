import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import type { FileHandle } from "./file-system.ts";
import type { ScannedLine, ScanOptions } from "./line-scanner.ts";
import { scanLines } from "./line-scanner.ts";
import { MemoryFileSystem } from "./testing/memory-file-system.ts";
import { seededRandom } from "./testing/seeded-random.ts";

async function open(content: string | Uint8Array): Promise<FileHandle> {
  const fs = new MemoryFileSystem();
  fs.place("/f", "file", content);
  return fs.open("/f", "read");
}

async function scan(content: string | Uint8Array, options: Partial<ScanOptions> = {}) {
  const lines: ScannedLine[] = [];
  for await (const batch of scanLines(await open(content), { from: 0, ...options })) {
    assert.ok(batch.length > 0);
    for (const line of batch) lines.push(line);
  }
  return lines;
}

const texts = (lines: readonly ScannedLine[]) =>
  lines.map(({ bytes }) => (bytes === null ? null : Buffer.from(bytes).toString()));

test("splits on 0x0A only: CR, U+2028 and NUL are content (rows 9, 14)", async () => {
  const lines = await scan("a\r\nb\u2028c\n\n\0d");
  assert.deepEqual(texts(lines), ["a\r", "b\u2028c", "", "\0d"]);
  assert.deepEqual(
    lines.map((line) => [line.line, line.byteStart, line.byteEnd, line.terminated]),
    [
      [1, 0, 2, true],
      [2, 3, 8, true],
      [3, 9, 9, true],
      [4, 10, 12, false],
    ],
  );
  assert.deepEqual(await scan(""), []);
});

test("every chunk size gives the same lines, and the bytes stay valid", async () => {
  const seed = 20_240_917;
  console.log(`seed ${seed}`);
  const random = seededRandom(seed);
  const content = Array.from({ length: 40 }, () => "x".repeat(Math.floor(random.float() * 9))).join(
    "\n",
  );
  const expected = content.split("\n").filter((text, i, all) => i < all.length - 1 || text !== "");
  for (let chunkBytes = 1; chunkBytes <= 17; chunkBytes += 1) {
    const lines = await scan(content, { chunkBytes });
    assert.deepEqual(texts(lines), expected);
    for (const { bytes, byteStart, byteEnd } of lines) {
      assert.equal(Buffer.from(bytes ?? []).toString(), content.slice(byteStart, byteEnd));
    }
  }
});

test("from, to, firstLine and progress", async () => {
  const heard: number[] = [];
  const lines = await scan("one\ntwo\nthree\n", {
    from: 4,
    to: 10,
    firstLine: 2,
    chunkBytes: 4,
    onProgress: (bytes) => heard.push(bytes),
  });
  assert.deepEqual(texts(lines), ["two", "th"]);
  assert.deepEqual([lines[0]?.line, lines[0]?.byteStart, lines[1]?.byteEnd], [2, 4, 10]);
  assert.equal(lines[1]?.terminated, false);
  assert.deepEqual(heard, [4, 6]);
});

test("a line over the limit is reported by its range only (rows 28, 29)", async () => {
  const lines = await scan(`ok\n${"x".repeat(50)}\nend\n${"y".repeat(20)}`, {
    maxLineBytes: 10,
    chunkBytes: 8,
  });
  assert.deepEqual(texts(lines), ["ok", null, "end", null]);
  assert.deepEqual(
    lines.map((line) => [line.byteStart, line.byteEnd]),
    [
      [0, 2],
      [3, 53],
      [54, 57],
      [58, 78],
    ],
  );
});

test("a giant line costs linear time (row 27)", async () => {
  const cost = async (mebibytes: number) => {
    const handle = await open(Buffer.alloc(mebibytes * 1024 * 1024, "x"));
    const start = performance.now();
    for await (const [line] of scanLines(handle, { from: 0, chunkBytes: 64 * 1024 })) {
      assert.equal(line?.byteEnd, mebibytes * 1024 * 1024);
    }
    return performance.now() - start;
  };
  await cost(8);
  const [small, large] = [await cost(8), await cost(64)];
  // Quadratic work would take 64 times as long; the slack is for a busy machine.
  assert.ok(large < 32 * small + 50, `8 MiB ${small} ms, 64 MiB ${large} ms`);
});

test("an aborted scan ends with ABORTED before the next read", async () => {
  const stop = new AbortController();
  const batches = scanLines(await open("a\nb\nc\n"), {
    from: 0,
    chunkBytes: 2,
    signal: stop.signal,
  });
  assert.equal((await batches.next()).done, false);
  stop.abort();
  await assert.rejects(batches.next(), (error: unknown) => BranchlineError.is(error, "ABORTED"));
});
