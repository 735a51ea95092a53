import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOf } from "../../test/builders/read-lines.ts";
import type { Entry } from "./entry.ts";
import { checkCrc, type DecodedLine, decodeLine } from "./line-decode.ts";
import { encodeEntry } from "./line-encode.ts";

const ENTRY: Entry = { type: "custom", id: "a", parentId: null, timestamp: "t", customType: "c" };
const JSON_LINE = JSON.stringify(ENTRY);
const OURS = new TextDecoder().decode(encodeEntry(ENTRY, { key: "k" })).trimEnd();

const decode = (content: string | Uint8Array): DecodedLine => decodeLine(bytesOf(content));
const codes = (line: DecodedLine): string[] => line.findings.map((finding) => finding.code);
const values = (line: DecodedLine): unknown[] =>
  line.parts.map((part) => (part.kind === "record" ? part.value : null));

function joined(...pieces: readonly (string | readonly number[])[]): Uint8Array {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? bytesOf(piece) : Uint8Array.from(piece))),
  );
}

test("a plain line is one record without findings; CRLF makes no difference (row 9)", () => {
  for (const line of [JSON_LINE, `${JSON_LINE}\r`, `  ${JSON_LINE}\t`]) {
    assert.deepEqual(codes(decode(line)), []);
    assert.deepEqual(values(decode(line)), [ENTRY]);
  }
});

test("a line of ours gives up its key and crc, also behind CRLF", () => {
  for (const line of [OURS, `${OURS}\r`]) {
    const [part] = decode(line).parts;
    assert.deepEqual(part, {
      kind: "record",
      value: ENTRY,
      crc: "right",
      key: "k",
      commit: undefined,
    });
  }
});

test("a wrong crc never hides the entry, but its key no longer counts (P7)", () => {
  const changed = OURS.replace('"customType":"c"', '"customType":"d"');
  const [part] = decode(changed).parts;
  const value = { ...ENTRY, customType: "d" };
  assert.deepEqual(part, {
    kind: "record",
    value,
    crc: "wrong",
    key: undefined,
    commit: undefined,
  });
});

test("a damaged crc member is recognised by its value or its name", () => {
  const odd = [OURS.replace('"crc"', '"csc"'), OURS.replace(/[0-9a-f]"\}$/, 'Z"}')];
  for (const line of odd) {
    const [part] = decode(line).parts;
    assert.deepEqual(part, {
      kind: "record",
      value: ENTRY,
      crc: "wrong",
      key: undefined,
      commit: undefined,
    });
  }
});

test("lines of others keep members that only look like ours", () => {
  const lines = [
    '{"key":"k","crc":"12345678","id":"a"}',
    '{"id":"a","sum":"12345678"}',
    '{"id":"a","b":"x"}',
  ];
  for (const line of [
    ...lines,
    '{"key":1,"commit":{"id":"g","i":1,"n":2}}',
    '{"id":"a","crc":5}',
  ]) {
    assert.deepEqual(values(decode(line)), [JSON.parse(line)]);
    assert.deepEqual(checkCrc(bytesOf(line), line), { verdict: "none", member: "crc" });
  }
});

test("blank lines hold nothing", () => {
  for (const line of ["", " ", "\t \r", " ".repeat(4096)])
    assert.deepEqual(decode(line), { parts: [], findings: [], blank: true });
});

test("BOM before a record, at the start or in the middle of a file (rows 7, 8)", () => {
  for (const line of [`\uFEFF${OURS}`, `\uFEFF\uFEFF${OURS}`, ` \uFEFF ${OURS}`]) {
    assert.deepEqual(codes(decode(line)), ["LINE_BOM"]);
    assert.deepEqual(values(decode(line)), [ENTRY]);
    const [part] = decode(line).parts;
    assert.equal(part?.kind === "record" && part.crc, "right");
  }
  assert.deepEqual([codes(decode("\uFEFF")), decode("\uFEFF").blank], [["LINE_BOM"], true]);
  const inside = JSON.stringify({ text: "\uFEFF" });
  assert.deepEqual(codes(decode(inside)), []);
});

test("NUL runs before, behind and alone (rows 10, 11)", () => {
  const nuls = "\u0000".repeat(511);
  for (const line of [`${nuls}${OURS}`, `${OURS}${nuls}`, `${nuls}${OURS}${nuls}`]) {
    assert.deepEqual(codes(decode(line)), ["LINE_NUL"]);
    assert.deepEqual(values(decode(line)), [ENTRY]);
  }
  assert.deepEqual([codes(decode(nuls)), decode(nuls).blank], [["LINE_NUL"], true]);
});

test("invalid UTF-8 is flagged and readable (row 12)", () => {
  const bad = [
    [0xff],
    [0xc0, 0xaf],
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
  ];
  for (const bytes of bad) {
    const line = decode(joined('{"id":"a', bytes, 'b"}'));
    assert.deepEqual(codes(line), ["LINE_INVALID_UTF8"]);
    assert.match(String((values(line)[0] as { id: string }).id), /^a\uFFFD+b$/);
  }
  const utf16 = Buffer.from(`${JSON_LINE}\r`, "utf16le");
  assert.deepEqual(values(decode(utf16)), [ENTRY]);
});

test("JSON that is no object is no entry (rows 18, 19)", () => {
  for (const line of [
    "null",
    "true",
    "42",
    '"s"',
    "[]",
    "[{}]",
    "1e400",
    "-0",
    "[".repeat(9) + "]".repeat(9),
  ]) {
    assert.deepEqual(codes(decode(line)), ["LINE_NOT_ENTRY"], line);
    assert.deepEqual(decode(line).parts, [{ kind: "lost", id: null, parentId: undefined }]);
  }
});

test("no JSON: nothing to recover", () => {
  const lines = [
    "{",
    "}",
    "nonsense",
    "{'id':'a'}",
    '{"id":NaN}',
    '{"a":1,}',
    "// c",
    "\u000b",
    '{"id":"a"',
  ];
  for (const line of lines) {
    assert.deepEqual(codes(decode(line)), ["LINE_NOT_JSON"], line);
    assert.deepEqual(decode(line).parts, [{ kind: "lost", id: null, parentId: undefined }]);
  }
});

test("nesting: 1,000 levels are read, more are lost but keep their place (row 31)", () => {
  const at = (depth: number): string =>
    `{"type":"custom","id":"a","parentId":"p","data":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  assert.deepEqual(codes(decode(at(1000))), []);
  for (const depth of [1001, 10_000, 100_000]) {
    assert.deepEqual(codes(decode(at(depth))), ["LINE_TOO_DEEP"]);
    assert.deepEqual(decode(at(depth)).parts, [{ kind: "lost", id: "a", parentId: "p" }]);
  }
  assert.deepEqual(codes(decode(`${at(1001)}${JSON_LINE}`)), ["LINE_NOT_JSON", "LINE_GLUED"]);
});

test("what is lost tells its id and parent only where they are text (P7)", () => {
  const deep = "[".repeat(1001) + "]".repeat(1001);
  const lost = (members: string): unknown => {
    const { parts, blank } = decode(`{${members}"data":${deep}}`);
    assert.equal(blank, false);
    return parts.map((part) => (part.kind === "lost" ? [part.id, part.parentId] : part));
  };
  assert.deepEqual(lost('"id":"a","parentId":"p",'), [["a", "p"]]);
  assert.deepEqual(lost('"id":"a","parentId":null,'), [["a", null]]);
  assert.deepEqual(lost('"id":"","parentId":7,'), [[null, undefined]]);
  assert.deepEqual(lost('"id":7,"parentId":{},'), [[null, undefined]]);
  assert.deepEqual(lost(""), [[null, undefined]]);
});

test("a byte order mark is seen beside invalid UTF-8, and each finding says something", () => {
  const lines = [
    joined([0xef, 0xbb, 0xbf], '{"id":"a', [0xff], '"}'),
    bytesOf(`${JSON_LINE}${JSON_LINE}x`),
    bytesOf(`${JSON_LINE}\r${JSON_LINE}`),
    bytesOf(`\u0000${JSON_LINE}`),
  ];
  assert.deepEqual(lines.map(decode).map(codes), [
    ["LINE_INVALID_UTF8", "LINE_BOM"],
    ["LINE_NOT_JSON", "LINE_GLUED"],
    ["LINE_CR_ONLY"],
    ["LINE_NUL"],
  ]);
  for (const line of lines)
    for (const { message } of decode(line).findings) assert.match(message, /\.$/);
});

test("the key __proto__ stays an own member and touches no prototype (row 15)", () => {
  const line = encodeEntry(JSON.parse(`{"__proto__":{"x":1},${JSON_LINE.slice(1)}`));
  for (const content of [line, bytesOf(new TextDecoder().decode(line).replace('"c"', '"d"'))]) {
    const [value] = values(decodeLine(content)) as [Record<string, unknown>];
    assert.equal(Object.hasOwn(value, "__proto__"), true);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(value.x, undefined);
  }
  assert.equal(({} as Record<string, unknown>).x, undefined);
});

test("of a key that stands twice the last one counts (row 26)", () => {
  assert.deepEqual(values(decode('{"id":"a","id":"b"}')), [{ id: "b" }]);
});

test("glued records are split and keep their own check sums (F003)", () => {
  const line = decode(`${OURS}${JSON_LINE} ${OURS}`);
  assert.deepEqual(codes(line), ["LINE_GLUED"]);
  assert.deepEqual(values(line), [ENTRY, ENTRY, ENTRY]);
  assert.deepEqual(
    line.parts.map((part) => part.kind === "record" && part.crc),
    ["right", "none", "right"],
  );
  assert.deepEqual(codes(decode(`${JSON_LINE}${JSON_LINE}\r`)), ["LINE_GLUED"]);
  const inside = decode(`${JSON_LINE}\uFEFF${JSON_LINE}`);
  assert.deepEqual([codes(inside), values(inside)], [["LINE_GLUED"], [ENTRY, ENTRY]]);
});

test("records separated by CR alone are split and reported (row 9)", () => {
  const line = decode(`${JSON_LINE}\r${JSON_LINE}\r`);
  assert.deepEqual([codes(line), values(line)], [["LINE_CR_ONLY"], [ENTRY, ENTRY]]);
});

test("any bytes: no throw, and blank lines have no parts", () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .constantFrom(OURS, JSON_LINE, '{"type":"', "\u0000", "\uFEFF", "\r", "}", '"', "[", "\\")
      .map(bytesOf),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const line = decodeLine(Buffer.concat(pieces));
      assert.equal(line.blank, line.parts.length === 0);
    }),
    { numRuns: 2000 },
  );
});
