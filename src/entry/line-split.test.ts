import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeLine } from "./line-decode.ts";
import { type SplitLine, splitRecords } from "./line-split.ts";

const A = {
  type: "message",
  id: "a",
  parentId: null,
  timestamp: "t",
  message: { role: "user", content: '{"}' },
};
const B = { ...A, id: "b", parentId: "a" };
const [TEXT_A, TEXT_B] = [JSON.stringify(A), JSON.stringify(B)];

const ids = (split: SplitLine): unknown[] =>
  split.parts.map((part) => (part.kind === "object" ? part.value.id : part.lost));

test("a complete record behind a torn one is found, wherever it is torn (M6, F003)", () => {
  for (let cut = 1; cut < TEXT_A.length; cut++) {
    const split = splitRecords(TEXT_A.slice(0, cut) + TEXT_B);
    assert.deepEqual(split.codes, ["LINE_NOT_JSON", "LINE_GLUED"], String(cut));
    assert.equal(split.parts.length, 2, String(cut));
    assert.equal(ids(split)[1], "b", String(cut));
  }
});

test("a torn record tells its id and parent as far as they stand there", () => {
  const lost = (text: string): unknown => ids(splitRecords(text))[0];
  const frame = '{"type":"message","id":"x","parentId":"p","timestamp":"t","message":{"id":"no"';
  assert.deepEqual(lost(frame), { id: "x", parentId: "p" });
  assert.deepEqual(lost('{"type":"message","id":"x","parentId":null,"mess'), {
    id: "x",
    parentId: null,
  });
  assert.deepEqual(lost('{"type":"message","id":"x","parentId":"p'), {
    id: "x",
    parentId: undefined,
  });
  assert.deepEqual(lost('{"type":"message","id":"x'), { id: null, parentId: undefined });
  assert.deepEqual(lost('{"type":"message","id":"",'), { id: null, parentId: undefined });
  assert.deepEqual(lost('{"message":{"id":"no"},"id":"x"'), { id: null, parentId: undefined });
  assert.deepEqual(lost('{"type":"custom","data":{"id":"no","parentId":"no"'), {
    id: null,
    parentId: undefined,
  });
});

test("blocks inside a torn message are no records", () => {
  const block = '{"type":"text","text":"x"}';
  const call = `{"type":"toolCall","id":"t","name":"n","arguments":${TEXT_B}}`;
  const torn = `{"type":"message","id":"a","parentId":null,"message":{"content":[${block},${call},${block}`;
  const split = splitRecords(torn);
  assert.deepEqual(ids(split), [{ id: "a", parentId: null }]);
  assert.deepEqual(split.codes, ["LINE_NOT_JSON"]);
  const many = splitRecords(`${torn}${`,${block}`.repeat(5000)}${TEXT_B}`);
  assert.deepEqual(ids(many), [{ id: "a", parentId: null }, "b"]);
});

test("a header behind a torn record is found; text inside a string is not", () => {
  const header = { type: "session", id: "s", version: 3 };
  assert.deepEqual(ids(splitRecords(`{"type":"mess${JSON.stringify(header)}`))[1], "s");
  const quoted = JSON.stringify({ ...A, message: { role: "user", content: TEXT_B } });
  assert.equal(splitRecords(quoted.slice(0, -1)).parts.length, 1);
});

test("what follows a record decides nothing about it; rubbish between records is lost", () => {
  assert.deepEqual(ids(splitRecords(`${TEXT_A}J${TEXT_B}`)), [
    "a",
    { id: null, parentId: undefined },
    "b",
  ]);
  assert.deepEqual(ids(splitRecords(`${TEXT_A}J`)), ["a", { id: null, parentId: undefined }]);
  assert.deepEqual(splitRecords(" \r").parts, []);
});

test("hostile lines take linear time (M6, reliability.md §3 row 27)", () => {
  // Counting coverage makes each step of a loop many times slower, so the lines are shorter then.
  const megabyte = 1024 * (process.env.NODE_V8_COVERAGE === undefined ? 1024 : 64);
  const megabytes = (text: string, count: number): string =>
    text.repeat(Math.ceil((count * megabyte) / text.length));
  const lines = [
    megabytes('{"type":"', 8),
    megabytes('{"type":"a","b":', 8),
    megabytes("[", 5),
    megabytes("{", 5),
    megabytes('{"a":', 5),
    `${megabytes('{"type":"x","y":[', 4)}${megabytes("]}", 4)}`,
    `{"a":${megabytes('{"type":"","id":"","parentId":null},', 8)}`,
    megabytes('"', 8),
    megabytes("\\", 8),
    megabytes(" \r", 8),
  ];
  for (const line of lines) {
    const start = performance.now();
    decodeLine(new TextEncoder().encode(line));
    const took = performance.now() - start;
    assert.ok(took < 2000, `${line.slice(0, 20)} took ${took} ms`);
  }
});
