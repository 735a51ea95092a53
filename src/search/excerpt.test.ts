import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasPhrase, termParts, termTokens, tokenizeText } from "../index/tokens.ts";
import { EXCERPT_COLUMNS, makeExcerpt } from "./excerpt.ts";
import { type TermFinder, termFinder } from "./term-place.ts";

const finder = (text: string): TermFinder =>
  termFinder({ text, phrase: termTokens(text), parts: termParts(text) });

/** What is marked in the excerpt of a text. */
function marked(text: string, ...terms: readonly string[]): readonly string[] {
  const { text: shown, marks } = makeExcerpt([text], terms.map(finder));
  return marks.map(({ start, end }) => shown.slice(start, end));
}

const columns = (text: string): number =>
  [...text].reduce((sum, character) => sum + (character < "\x80" ? 1 : 2), 0);

test("marks the words as they stand in the text", () => {
  assert.deepEqual(marked("Foo foobar FOO", "foo"), ["Foo", "FOO"]);
  assert.deepEqual(marked("the lock, file", "lock file"), ["lock, file"]);
  assert.deepEqual(marked("缓存。方案 缓存方案", "缓存方案"), ["缓存方案"]);
  assert.deepEqual(marked("用index方案", "index方"), ["index方"]);
  assert.deepEqual(marked("call getLeafId now", "leaf"), ["Leaf"]);
  assert.deepEqual(marked("call getLeafId now", "leaf_id"), ["LeafId"]);
  assert.deepEqual(marked("a -> b", "->"), ["->"]);
  assert.deepEqual(marked("b then a", "a", "b"), ["a"]);
  assert.deepEqual(marked("nothing", "x"), []);
  assert.deepEqual(marked("eafIx", "eafi"), ["eafI"]);
});

test("a word counts as whole beside signs and emoji, not beside letters of any plane", () => {
  const first = (text: string): number | undefined =>
    makeExcerpt([text], [finder("foo")]).marks[0]?.start;
  assert.equal(first("\u{10428}foo, foo"), 7);
  assert.equal(first("foo\u{10428}, 🙂foo🙂"), 9);
  assert.deepEqual(marked("a 🙂 b", "a b"), []);
  assert.deepEqual(marked("fix → bug", "fix bug"), ["fix → bug"]);
  assert.deepEqual(marked("fixbug", "fix bug"), ["fixbug"]);
});

test("marks fit where the compared form has another length", () => {
  assert.deepEqual(marked("½ İ ＦＵＬＬ width", "full"), ["ＦＵＬＬ"]);
  assert.deepEqual(marked("so\u00adft pass\u200bword end", "password"), ["password"]);
  assert.deepEqual(marked("cafe\u0301 ok", "café"), ["cafe\u0301"]);
  assert.deepEqual(marked("ﬁne ｶﾞｯ x", "ガッ"), ["ｶﾞｯ"]);
});

test("S16, P13: one line of 160 columns, no control characters, cut at code points", () => {
  const any = fc.string({ unit: "binary", maxLength: 600 });
  fc.assert(
    fc.property(any, any, (before, after) => {
      const { text, marks } = makeExcerpt([`${before} needle ${after}`], [finder("needle")]);
      assert.ok(columns(text) <= EXCERPT_COLUMNS, `${columns(text)}`);
      assert.equal(text.isWellFormed(), true);
      assert.doesNotMatch(text, /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u200b]/u);
      for (const { start, end } of marks) assert.ok(start < end && end <= text.length);
    }),
    { numRuns: 500 },
  );
  const wide = makeExcerpt([`${"前".repeat(500)}针${"後".repeat(500)}`], [finder("针")]);
  assert.ok(columns(wide.text) > 140 && columns(wide.text) <= EXCERPT_COLUMNS);
  assert.match(wide.text, /^…前+针後+…$/u);
  assert.equal(
    makeExcerpt(["a", "\u001b[31mred\u0007\r\n\tx 👩‍👩‍👧"], []).text,
    "a [31mred x 👩‍👩‍👧",
  );
  assert.equal(makeExcerpt(["x".repeat(500)], []).text, `${"x".repeat(158)}…`);
  assert.equal(makeExcerpt([], []).text, "");
});

test("wherever the tokens match, a place is found", () => {
  const text = fc.array(
    fc.constantFrom("foo", "Bar", "fooBar", " ", "-", "缓", "存", "，", "😀", "é", "x_y"),
    { maxLength: 12 },
  );
  const term = fc.array(fc.constantFrom("foo", "bar", "缓", "存", "😀", "é", " "), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(text, term, (all, some) => {
      const [whole, wanted] = [all.join(""), some.join("").trim()];
      const { words, parts } = tokenizeText(whole);
      const phrase = termTokens(wanted);
      if (!hasPhrase(words, phrase) && !hasPhrase(parts, phrase)) return;
      assert.notEqual(finder(wanted)(whole), null, JSON.stringify([whole, wanted]));
    }),
    { numRuns: 1000 },
  );
});

test("perf: places are found in linear time in hostile texts", () => {
  const started = process.cpuUsage();
  finder("a a a b")(`${"a ".repeat(200_000)}`);
  finder("缓存方")("缓存".repeat(300_000));
  finder("x y")(`x${" ".repeat(500_000)}`);
  const { user: own, system } = process.cpuUsage(started);
  assert.ok((own + system) / 1000 < 4000);
});
