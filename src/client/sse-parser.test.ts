import assert from "node:assert/strict";
import { test } from "node:test";
import { SseParser } from "./sse-parser.ts";

const STREAM =
  'retry: 1000\n\n: alive\n\nid: 7\nevent: a\ndata: {"x":1}\n\nid: 8\r\nevent: b\r\ndata: one\r\ndata: 二\r\n\r\ndata:bare\n\nid: 9\nevent: c\n\ndata: open';

test("messages are whole wherever the pieces end", () => {
  const expected = [
    { id: "7", event: "a", data: '{"x":1}' },
    { id: "8", event: "b", data: "one\n二" },
    { id: "8", event: "message", data: "bare" },
  ];
  for (let size = 1; size < STREAM.length; size++) {
    const parser = new SseParser();
    const found: unknown[] = [];
    for (let at = 0; at < STREAM.length; at += size) {
      found.push(...parser.push(STREAM.slice(at, at + size)));
    }
    assert.deepEqual(found, expected, `pieces of ${size}`);
  }
});

test("a line without a colon is a name without a value", () => {
  assert.deepEqual(
    [...new SseParser().push("data\n\n")],
    [{ id: null, event: "message", data: "" }],
  );
});
