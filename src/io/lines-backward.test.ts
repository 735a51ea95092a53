import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { type BackwardLine, linesBackward } from "./lines-backward.ts";
import { seededRandom } from "./testing/seeded-random.ts";

type Line = Pick<BackwardLine, "start" | "end"> & { readonly text: string };

/** A file in memory whose reads give at most `most` bytes. */
function fileOf(content: Buffer, most = Number.POSITIVE_INFINITY) {
  return {
    read: async (buffer: Uint8Array, position: number): Promise<number> => {
      const part = content.subarray(position, position + Math.min(buffer.length, most));
      buffer.set(part);
      return part.length;
    },
  };
}

async function linesOf(content: Buffer, most?: number): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const batch of linesBackward(fileOf(content, most), content.length)) {
    for (const { bytes, start, end } of batch.lines) {
      lines.push({ start, end, text: Buffer.from(bytes).toString("latin1") });
    }
  }
  return lines;
}

/** The same, from the beginning. */
function expected(content: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(10, start);
    lines.push({ start, end, text: content.subarray(start, end).toString("latin1") });
    start = end + 1;
  }
  return lines.reverse();
}

test("lines come out from the last to the first, wherever the reads begin", async () => {
  for (const seed of [1, 2, 3]) {
    const random = seededRandom(seed);
    const lengths = [0, 1, 7, 500, 200_000, 128 * 1024 - 1, 128 * 1024, 700_000, 3];
    const lines = Array.from({ length: 30 }, () => {
      const [pick = 0, letter = 0] = random.bytes(2);
      return `${String.fromCharCode(97 + (letter % 26)).repeat(lengths[pick % lengths.length] as number)}\n`;
    });
    const content = Buffer.from(lines.join(""));
    assert.deepEqual(await linesOf(content), expected(content), `seed ${seed}`);
    assert.deepEqual(
      await linesOf(content, 70_001),
      expected(content),
      `seed ${seed}, short reads`,
    );
  }
});

test("a file of one newline has no lines before it, an empty first line is a line", async () => {
  assert.deepEqual(await linesOf(Buffer.from("\n")), []);
  const content = Buffer.from("\n\nab\n");
  assert.deepEqual(await linesOf(content), expected(content));
});

test("whoever has seen enough has read no more than that", async () => {
  const content = Buffer.from("0123456789abcde\n".repeat(100_000));
  const reads: number[] = [];
  for await (const { read } of linesBackward(fileOf(content), content.length)) {
    reads.push(read);
    if (reads.length === 3) break;
  }
  const first = 128 * 1024;
  assert.deepEqual(reads, [first + 1, 3 * first + 1, 7 * first + 1]);
});

test("a file that became shorter shows NUL bytes where nothing is left", async () => {
  const lines: Line[] = [];
  for await (const batch of linesBackward(fileOf(Buffer.from("ab\ncd\n")), 9)) {
    for (const { bytes, start, end } of batch.lines)
      lines.push({ start, end, text: Buffer.from(bytes).toString("latin1") });
  }
  assert.deepEqual(lines[0], { start: 6, end: 8, text: "\0\0" });
});

test("bytes that a read did not give count as NUL, whatever the room held before", async () => {
  const read = async (buffer: Uint8Array): Promise<number> => {
    buffer.fill(120);
    return 0;
  };
  for await (const { lines } of linesBackward({ read }, 9))
    assert.deepEqual(
      lines.map(({ bytes }) => Buffer.from(bytes).toString("latin1")),
      ["\0".repeat(8)],
    );
});

test("large reads share one buffer, lines inside one read are no copies, no read is for nothing", async () => {
  const content = Buffer.from("0123456789abcde\n".repeat(600_000));
  const rooms: ArrayBufferLike[] = [];
  const file = fileOf(content);
  const handle = {
    read: (buffer: Uint8Array, position: number): Promise<number> => {
      assert.ok(buffer.length > 0);
      rooms.push(buffer.buffer);
      return file.read(buffer, position);
    },
  };
  for await (const { lines } of linesBackward(handle, content.length))
    assert.equal(lines[1]?.bytes.buffer, rooms.at(-1));
  // 128, 256, 512, 1,024 and then 2,048 KiB each.
  assert.ok(rooms.length > 7);
  assert.equal(new Set(rooms).size, 5);
});

test("an aborted reader stops before the next read", async () => {
  const content = Buffer.from("0123456789abcde\n".repeat(100_000));
  const stop = new AbortController();
  let batches = 0;
  const read = async (): Promise<void> => {
    for await (const { lines } of linesBackward(fileOf(content), content.length, stop.signal)) {
      batches += Math.min(lines.length, 1);
      stop.abort();
    }
  };
  await assert.rejects(read(), (error) => BranchlineError.is(error, "ABORTED"));
  assert.equal(batches, 1);
});
