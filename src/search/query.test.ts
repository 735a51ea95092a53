import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BranchlineError } from "../errors.ts";
import { dateRange } from "./date-range.ts";
import { MAX_QUERY_LENGTH, MAX_QUERY_WORDS, parseQuery, type Query, regexQuery } from "./query.ts";

const NOW = Date.parse("2026-11-29T12:00:00.000Z");
const parse = (text: string): Query => parseQuery(text, NOW);
const texts = (query: Query): readonly string[] => query.terms.map((term) => term.text);
const isUsage = (error: unknown): boolean => BranchlineError.is(error, "USAGE");

test("words, phrases in any quotes, a quote without its end", () => {
  assert.deepEqual(texts(parse('foo "bar baz" “缓存 方案” 「は」 "open end')), [
    "foo",
    "bar baz",
    "缓存 方案",
    "は",
    "open end",
  ]);
  assert.deepEqual(texts(parse('a "" b')), ["a", "b"]);
  assert.deepEqual(texts(parse(' "" ')), ['""']);
  assert.deepEqual(parse("getLeaf").terms[0]?.parts, ["get", "leaf"]);
  assert.deepEqual(parse('"getLeaf"').terms[0]?.parts, []);
});

test("a minus leaves out; arrows, flags and negative numbers of nothing are text", () => {
  const query = parse('-foo -"bar baz" a -> --flag - b');
  assert.deepEqual(
    query.without.map((term) => term.text),
    ["foo", "bar baz"],
  );
  assert.deepEqual(texts(query), ["a", "->", "--flag", "-", "b"]);
});

test("filters, also negated, with several and quoted values", () => {
  const query = parse('role:user,Tool -tool:"read file" MODEL:gpt label:x session:1 cwd:/a/');
  assert.deepEqual(query.fields, [
    { field: "role", values: ["user", "toolResult"], negated: false },
    { field: "tool", values: ["read file"], negated: true },
    { field: "model", values: ["gpt"], negated: false },
  ]);
  assert.deepEqual(
    query.places.map(({ kind }) => kind),
    ["label", "session", "cwd"],
  );
  assert.deepEqual(parse("role：user").fields[0]?.values, ["user"]);
});

test("what only looks like a filter is text", () => {
  for (const text of [
    "x:",
    "http://a/b",
    "role:",
    "NEAR(a",
    "{a}:b",
    "a:b:c",
    "10:30",
    'x:"y z"',
  ]) {
    const query = parse(text);
    assert.deepEqual([texts(query), query.fields, query.places], [[text], [], []], text);
  }
});

test("regular expressions between slashes; paths are text", () => {
  assert.deepEqual(parse("/a b/i c").regexes, [{ pattern: "a b", flags: "i" }]);
  assert.deepEqual(parse("/[/]\\/x/").regexes, [{ pattern: "[/]\\/x", flags: "" }]);
  assert.deepEqual(texts(parse("/usr/local/bin /etc")), ["/usr/local/bin", "/etc"]);
  assert.deepEqual(regexQuery("a+", "i").regexes, [{ pattern: "a+", flags: "i" }]);
});

test("S7, S8: what cannot be is refused with USAGE", () => {
  const bad = ["", "  ", "/(/", "/a/gx", "branch:none", "date:soon", "date:..", "date:2026-13"];
  bad.push("x".repeat(MAX_QUERY_LENGTH + 1), "a ".repeat(MAX_QUERY_WORDS + 1));
  for (const text of bad) assert.throws(() => parse(text), isUsage, text.slice(0, 20));
  for (const text of ["", "(", "x".repeat(MAX_QUERY_LENGTH + 1)]) {
    assert.throws(() => regexQuery(text), isUsage);
  }
});

test("S8: any text is a query or USAGE", () => {
  const typed = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'"/\\:-“「[](),role a') }),
  );
  fc.assert(
    fc.property(typed, (text) => {
      try {
        parse(text);
      } catch (error) {
        assert.ok(isUsage(error));
      }
    }),
    { numRuns: 1000 },
  );
});

test("dates: year, month, day, time, range, length; both ends included; UTC", () => {
  const range = (text: string): string => {
    const found = dateRange(text, NOW);
    return found === null ? "none" : `${found.from}|${found.to}`;
  };
  assert.equal(range("2026"), "2026-01-01T00:00:00.000Z|2027-01-01T00:00:00.000Z");
  assert.equal(range("2026-12"), "2026-12-01T00:00:00.000Z|2027-01-01T00:00:00.000Z");
  assert.equal(range("2026-02-28"), "2026-02-28T00:00:00.000Z|2026-03-01T00:00:00.000Z");
  assert.equal(range("2026-10..2026-11"), "2026-10-01T00:00:00.000Z|2026-12-01T00:00:00.000Z");
  assert.equal(range("2026-10.."), "2026-10-01T00:00:00.000Z|");
  assert.equal(range("..2026-10-05"), "|2026-10-06T00:00:00.000Z");
  assert.equal(range("2d"), "2026-11-27T12:00:00.000Z|");
  assert.equal(range("2026-11-29T10:00:00Z"), "2026-11-29T10:00:00.000Z|2026-11-29T10:00:00.001Z");
  for (const bad of [
    "",
    "..",
    "x",
    "2026-02-30",
    "2026-1",
    "0099",
    "1..2..3",
    "2026-10..x",
    "x..",
    "2026-11-29Tx",
  ]) {
    assert.equal(range(bad), "none", bad);
  }
});
