import assert from "node:assert/strict";
import { test } from "node:test";
import { eventData } from "./event-data.ts";

async function data(...pieces: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const encoder = new TextEncoder();
  const bytes = pieces.map((piece) => (typeof piece === "string" ? encoder.encode(piece) : piece));
  const found: string[] = [];
  for await (const one of eventData(ReadableStream.from(bytes))) found.push(one);
  return found;
}

test("events by their empty lines: LF, CRLF, CR; comments, names and ids are passed over", async () => {
  const odd = ": hi\nevent: x\nid: 1\ndata: a\ndata:b\n\ndata\n\n\n\nretry: 5\n\n";
  assert.deepEqual(await data(odd), ["a\nb", ""]);
  assert.deepEqual(await data("data: a\r\n\r\ndata: b\r\rdata:  c\n\n"), ["a", "b", " c"]);
});

test("cut anywhere, inside a character or a CRLF, the events are the same", async () => {
  const text = "data: 读取\r\n\r\ndata: b\r\rdata: {}\n\n";
  const bytes = new TextEncoder().encode(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(await data(bytes.subarray(0, cut), bytes.subarray(cut)), ["读取", "b", "{}"]);
  }
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  assert.deepEqual(await data(...single), ["读取", "b", "{}"]);
});

test("an event whose end is missing counts", async () => {
  assert.deepEqual(await data("data: a\n"), ["a"]);
  assert.deepEqual(await data("data: a\n\ndata: b"), ["a", "b"]);
  assert.deepEqual(await data("data: a\r"), ["a"]);
  assert.deepEqual(await data(""), []);
});

test("a line without an end is refused before it fills the memory; large events are linear", async () => {
  const piece = "x".repeat(4 * 1024 * 1024);
  await assert.rejects(data("data: ", ...Array.from({ length: 9 }, () => piece)), /no end/);
  const [event] = await data("data: ", ...Array.from({ length: 7 }, () => piece), "\n\n");
  assert.equal(event?.length, 7 * piece.length);
});

test("an event of endless lines is refused too; a long line in small pieces is put together once", async () => {
  const line = `data: ${"x".repeat(1024 * 1024)}\n`;
  await assert.rejects(data(...Array.from({ length: 40 }, () => line)), /no end/);
  const pieces = Array.from({ length: 30_000 }, () => "y".repeat(1000));
  const start = performance.now();
  const [event] = await data("data: ", ...pieces, "\n\n");
  assert.equal(event?.length, 30_000_000);
  assert.ok(performance.now() - start < 5000, `${performance.now() - start} ms`);
});
