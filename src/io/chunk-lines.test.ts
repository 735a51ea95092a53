import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { type ChunkRange, scanChunks } from "./chunk-lines.ts";

const MEBIBYTE = 1024 * 1024;

function fileOf(content: Buffer) {
  return {
    read: async (buffer: Uint8Array, position: number): Promise<number> => {
      const part = content.subarray(position, position + buffer.length);
      buffer.set(part);
      return part.length;
    },
  };
}

interface Seen {
  readonly lines: { readonly text: string; readonly start: number }[];
  readonly ranges: string[];
  chunks: number;
}

async function scan(
  content: Buffer,
  range: Partial<ChunkRange> = {},
  most = Number.POSITIVE_INFINITY,
): Promise<Seen & Awaited<ReturnType<typeof scanChunks>>> {
  const seen: Seen = { lines: [], ranges: [], chunks: 0 };
  const done = await scanChunks(
    fileOf(content),
    { from: 0, to: content.length, ...range },
    {
      line: (bytes, start) => seen.lines.push({ text: bytes.toString("latin1"), start }),
      range: (bytes) => seen.ranges.push(bytes.toString("latin1")),
      chunkEnd: () => ++seen.chunks < most,
    },
  );
  return { ...seen, ...done };
}

/** Lines of many lengths, some longer than a chunk. */
const lines = [3, 0, 700_000, 400_000, MEBIBYTE * 2 + 5, 1, MEBIBYTE - 3, 12].map((length, at) =>
  String.fromCharCode(97 + at).repeat(length),
);
const content = Buffer.from(`${lines.join("\n")}\nrest`);

test("lines come out whole with their places, and every range is made of whole lines", async () => {
  const { lines: found, ranges, rest, read, tooLong } = await scan(content);
  assert.deepEqual(
    found.map(({ text }) => text),
    lines,
  );
  for (const { text, start } of found)
    assert.equal(content.subarray(start, start + text.length).toString(), text);
  assert.equal(ranges.join("\n"), lines.join("\n"));
  assert.equal(rest.toString(), "rest");
  assert.deepEqual([read, tooLong], [content.length, false]);
});

test("a part of a file is read, and no more than is there", async () => {
  const { lines: found, rest } = await scan(content, { from: 4, to: content.length + 50 });
  assert.deepEqual(
    found.map(({ text }) => text),
    lines.slice(1),
  );
  assert.equal(rest.toString(), "rest");
});

test("nothing behind the end of the range is seen, nothing is read for nothing", async () => {
  const to = MEBIBYTE + 100_000;
  const reads: [position: number, bytes: number, room: number][] = [];
  const handle = {
    read: (buffer: Uint8Array, position: number): Promise<number> => {
      reads.push([position, buffer.length, buffer.buffer.byteLength]);
      return fileOf(content).read(buffer, position);
    },
  };
  let end = 0;
  const sink = {
    line: (bytes: Buffer, start: number): void => {
      end = start + bytes.length + 1;
    },
    range: (): void => undefined,
    chunkEnd: (): boolean => true,
  };
  const done = await scanChunks(handle, { from: 4, to }, sink);
  assert.equal(end + done.rest.length, to);
  assert.equal(done.read, to - 4);
  assert.deepEqual(reads, [
    [4, MEBIBYTE, MEBIBYTE],
    [4 + MEBIBYTE, 99_996, MEBIBYTE],
  ]);
  reads.length = 0;
  await scanChunks(handle, { from: 4, to: 54 }, sink);
  assert.deepEqual(reads, [[4, 50, 50]]);
});

test("reads that give less than there is lose nothing", async () => {
  for (const most of [1, 7, 1000]) {
    const short = content.subarray(0, 2_000);
    const handle = {
      read: (buffer: Uint8Array, position: number): Promise<number> =>
        fileOf(short).read(buffer.subarray(0, most), position),
    };
    const seen: number[] = [];
    const done = await scanChunks(
      handle,
      { from: 0, to: short.length },
      {
        line: (_, start) => seen.push(start),
        range: () => undefined,
        chunkEnd: () => true,
      },
    );
    assert.deepEqual([seen, done.rest.length, done.read], [[0, 4], 1_995, 2_000]);
  }
});

test("a range is all whole lines of a chunk at once, empty lines too", async () => {
  const ranges = async (text: string) => (await scan(Buffer.from(text))).ranges;
  assert.deepEqual(await ranges("a\nb\n\nc\nrest"), ["a\nb\n\nc"]);
  assert.deepEqual(await ranges("\n"), [""]);
  assert.deepEqual((await scan(Buffer.from("a\n\n"))).lines, [
    { text: "a", start: 0 },
    { text: "", start: 2 },
  ]);
  // A chunk that ends with a newline leaves nothing that the next one has to be joined to.
  const chunk = "x".repeat(MEBIBYTE - 1);
  assert.deepEqual(await ranges(`${chunk}\na\nb\n`), [chunk, "a\nb"]);
});

test("a file that ends with a newline has no rest, an empty one nothing", async () => {
  const whole = await scan(content.subarray(0, -4));
  assert.equal(whole.lines.length, lines.length);
  assert.equal(whole.rest.length, 0);
  assert.deepEqual((await scan(Buffer.alloc(0))).lines, []);
});

test("the scan ends where no more is wanted", async () => {
  const { lines: found, chunks, read } = await scan(content, {}, 1);
  assert.equal(chunks, 1);
  assert.ok(read < content.length);
  assert.deepEqual(
    found.map(({ text }) => text),
    lines.slice(0, 3),
  );
});

test("a line that is too long ends the scan (reliability.md rows 28, 29)", async () => {
  const { rest, tooLong, lines: found } = await scan(content, { maxLineBytes: MEBIBYTE });
  assert.deepEqual([rest.length, tooLong], [0, true]);
  assert.equal(found.length, 4);
});

test("a line as long as the limit is not too long; what was read is counted from the start", async () => {
  const unfinished = Buffer.from(`ab\n${"x".repeat(MEBIBYTE - 3)}`);
  const at = (maxLineBytes: number) => scan(unfinished, { from: 2, maxLineBytes });
  const { tooLong, rest, read } = await at(MEBIBYTE - 3);
  assert.deepEqual([tooLong, rest.length, read], [false, MEBIBYTE - 3, MEBIBYTE - 2]);
  const over = await at(MEBIBYTE - 4);
  assert.deepEqual([over.tooLong, over.rest.length, over.read], [true, 0, MEBIBYTE - 2]);
});

test("an aborted scan stops, and its last read has ended", async () => {
  const stop = new AbortController();
  stop.abort();
  const work = scan(content, { signal: stop.signal });
  await assert.rejects(work, (error) => BranchlineError.is(error, "ABORTED"));
});
