import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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

test("a line as long as the limit is kept, also in pieces (rows 28, 29)", async () => {
  const longest = "0123456789";
  for (const chunkBytes of [4, 10, 64]) {
    const options = { maxLineBytes: 10, chunkBytes };
    assert.deepEqual(texts(await scan(`${longest}\n${longest}`, options)), [longest, longest]);
    assert.deepEqual(texts(await scan(`${longest}x\n`, options)), [null]);
  }
});

interface Read {
  readonly buffer: ArrayBufferLike;
  readonly bytes: number;
}

/** Hears what is asked of the handle. */
function heard(handle: FileHandle): { readonly handle: FileHandle; readonly reads: Read[] } {
  const reads: Read[] = [];
  const read = (buffer: Uint8Array, position: number): Promise<number> => {
    reads.push({ buffer: buffer.buffer, bytes: buffer.byteLength });
    return handle.read(buffer, position);
  };
  return { handle: { ...handle, read }, reads };
}

test("a read asks for 1 MiB, and nothing is read behind the end of the range", async () => {
  const { handle, reads } = heard(await open("one\ntwo\nthree\n"));
  for await (const batch of scanLines(handle, { from: 0, to: 8, chunkBytes: 4 }))
    assert.equal(batch.length, 1);
  assert.deepEqual(
    reads.map(({ bytes }) => bytes),
    [4, 4],
  );
  reads.length = 0;
  for await (const [line] of scanLines(handle, { from: 0 })) assert.equal(line?.byteEnd, 3);
  assert.deepEqual(
    reads.map(({ bytes }) => bytes),
    [1024 * 1024, 1024 * 1024],
  );
});

test("without a limit of their own lines of megabytes are kept", async () => {
  const [line] = await scan(Buffer.alloc(3 * 1024 * 1024, "x"));
  assert.equal(line?.bytes?.byteLength, 3 * 1024 * 1024);
});

test("a line inside one read is no copy", async () => {
  const { handle, reads } = heard(await open("one\ntwo\n"));
  for await (const batch of scanLines(handle, { from: 0 }))
    for (const { bytes } of batch) assert.equal(bytes?.buffer, reads[0]?.buffer);
  // The newline ends one read, the next line stands in the next one as a whole.
  const second = heard(await open("one\ntwo\n"));
  const seen: unknown[] = [];
  for await (const [line] of scanLines(second.handle, { from: 0, chunkBytes: 4 }))
    seen.push(line?.bytes?.buffer);
  assert.deepEqual(
    seen.map((buffer) => second.reads.findIndex((read) => read.buffer === buffer)),
    [0, 1],
  );
});

test("a line over the limit is not kept in memory (rows 28, 29)", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const mebibyte = 1024 * 1024;
  let reads = 0;
  const read = async (buffer: Uint8Array): Promise<number> => {
    buffer.fill(120);
    return ++reads > 48 ? 0 : mebibyte;
  };
  const handle = { ...(await open("")), read };
  collect();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const onProgress = (): void => {
    collect();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  };
  for await (const [line] of scanLines(handle, { from: 0, maxLineBytes: mebibyte, onProgress }))
    assert.deepEqual([line?.bytes, line?.byteEnd], [null, 48 * mebibyte]);
  assert.ok(most < 16 * mebibyte, `${most} bytes`);
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
