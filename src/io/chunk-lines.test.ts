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

test("an aborted scan stops, and its last read has ended", async () => {
  const stop = new AbortController();
  stop.abort();
  const work = scan(content, { signal: stop.signal });
  await assert.rejects(work, (error) => BranchlineError.is(error, "ABORTED"));
});
