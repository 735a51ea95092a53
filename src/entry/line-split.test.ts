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

test("brackets and quotes inside texts are text, lists and objects nest", () => {
  const contents: readonly unknown[] = ["}", "{", "[", "]", '"', '\\"}', "\\", [], [1, ["x"], {}]];
  for (const content of contents) {
    const text = JSON.stringify({ ...A, message: { role: "user", content } });
    const split = splitRecords(`${text}${TEXT_B}${text}`);
    assert.deepEqual([ids(split), split.codes], [["a", "b", "a"], ["LINE_GLUED"]], text);
  }
});

test("1,000 levels are read from a glued line, more are lost (reliability.md §3 row 31)", () => {
  const deep = (depth: number): string =>
    `{"type":"x","id":"d","parentId":null,"data":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  assert.deepEqual(ids(splitRecords(`${deep(1000)}${TEXT_B}`)), ["d", "b"]);
  for (const behind of ["x", " "])
    assert.deepEqual(splitRecords(`${deep(1001)}${behind}`), {
      parts: [{ kind: "lost", lost: { id: "d", parentId: null } }],
      codes: ["LINE_NOT_JSON"],
    });
});

test("a list is no record, nor is an object without the members of one", () => {
  const nothing = { id: null, parentId: undefined };
  assert.deepEqual(ids(splitRecords(`[{"id":"a"}]${TEXT_B}`)), [nothing, "b"]);
  const odd = [
    { type: "text", id: "x" },
    { type: "text", id: 5, parentId: null },
    { type: "text", parentId: "p" },
    { type: "session", id: 5 },
  ];
  for (const value of odd) {
    const { parts } = splitRecords(`rubbish ${JSON.stringify(value)}`);
    assert.deepEqual(parts, [{ kind: "lost", lost: nothing }], JSON.stringify(value));
  }
});

test("all records behind a torn one are found; carriage returns before the first say nothing", () => {
  const torn = TEXT_A.slice(0, 30);
  assert.deepEqual(ids(splitRecords(`${torn}${TEXT_B}${TEXT_A} ${TEXT_B}`)).slice(1), [
    "b",
    "a",
    "b",
  ]);
  assert.deepEqual(splitRecords(`\r${TEXT_A}${TEXT_B}`).codes, ["LINE_GLUED"]);
  assert.deepEqual(splitRecords(`\r${TEXT_A}`).codes, []);
});

test("a line with too many false starts is given up, one with a few is not (M6, row 27)", () => {
  const starts = (count: number): string => '{"type":"x","y":['.repeat(count) + TEXT_B;
  assert.equal(ids(splitRecords(starts(10)))[1], "b");
  assert.deepEqual(ids(splitRecords(starts(1000))), [{ id: null, parentId: undefined }]);
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
