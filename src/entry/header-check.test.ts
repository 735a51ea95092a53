import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHeader, isHeader, madeUpHeader } from "./header-check.ts";

const HEADER = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/p",
};
const codes = (value: Readonly<Record<string, unknown>>): string[] =>
  checkHeader(value).findings.map((finding) => finding.code);

test("a header is an object of type session with a text id", () => {
  assert.equal(isHeader(HEADER), true);
  assert.equal(isHeader({ ...HEADER, type: "message" }), false);
  for (const id of [1, null, undefined, {}]) assert.equal(isHeader({ ...HEADER, id }), false);
});

test("a good header stays as it is, its unknown members too", () => {
  const header = {
    ...HEADER,
    parentSession: "/x.jsonl",
    branchline: { format: 1, more: 2 },
    metadata: { a: 1 },
  };
  assert.deepEqual(checkHeader(header), { header, version: 3, newer: false, findings: [] });
});

test("versions: what each is read as (reliability.md §3 row 24)", () => {
  const table: readonly (readonly [unknown, number, boolean, readonly string[]])[] = [
    [undefined, 1, false, []],
    [1, 1, false, []],
    [2, 2, false, []],
    [3, 3, false, []],
    [4, 3, true, ["VERSION_NEWER"]],
    [99, 3, true, ["VERSION_NEWER"]],
    [0, 1, false, ["HEADER_INVALID"]],
    [-7, 1, false, ["HEADER_INVALID"]],
    [2.5, 2, false, ["HEADER_INVALID"]],
    [null, 1, false, ["HEADER_INVALID"]],
    ["3", 3, false, ["HEADER_INVALID"]],
    ["4", 3, true, ["HEADER_INVALID", "VERSION_NEWER"]],
    ["x", 3, false, ["HEADER_INVALID"]],
    [true, 3, false, ["HEADER_INVALID"]],
    [{}, 3, false, ["HEADER_INVALID"]],
  ];
  for (const [version, readAs, newer, findings] of table) {
    const checked = checkHeader({ ...HEADER, version });
    assert.equal(checked.version, readAs, String(version));
    assert.equal(checked.newer, newer, String(version));
    assert.deepEqual(
      checked.findings.map((finding) => finding.code),
      findings,
      String(version),
    );
    assert.equal(checked.header.version, 3);
  }
});

test("a newer format of our own is read-only, an odd one is left out", () => {
  assert.equal(checkHeader({ ...HEADER, branchline: { format: 2 } }).newer, true);
  for (const branchline of [{ format: "2" }, {}, [], 5, null]) {
    const checked = checkHeader({ ...HEADER, branchline });
    assert.equal(checked.newer, false);
    assert.equal("branchline" in checked.header, false);
  }
});

test("members of wrong types are replaced and reported, never refused", () => {
  const { header } = checkHeader({ ...HEADER, timestamp: 5, cwd: null, parentSession: {} });
  assert.deepEqual(header, { ...HEADER, timestamp: "", cwd: "" });
  assert.deepEqual(codes({ ...HEADER, timestamp: 5, cwd: null, parentSession: {} }), [
    "HEADER_INVALID",
    "HEADER_INVALID",
    "HEADER_INVALID",
  ]);
  assert.deepEqual(codes({ type: "session", id: "s", version: 3 }), []);
});

test("an id that would leave a folder is replaced (P10, reliability.md §3 row 51)", () => {
  for (const id of ["../../etc/passwd", "CON", "a..b", "x".repeat(300), ""]) {
    const checked = checkHeader({ ...HEADER, id });
    assert.match(checked.header.id, /^invalid-[0-9a-f]{8}$/);
    assert.deepEqual(codes({ ...HEADER, id }), ["HEADER_INVALID"]);
  }
});

test("a made-up header is safe whatever the id (reliability.md §3 row 22)", () => {
  assert.deepEqual(madeUpHeader("a"), {
    type: "session",
    version: 3,
    id: "a",
    timestamp: "",
    cwd: "",
  });
  assert.match(madeUpHeader("../a").id, /^invalid-/);
});
