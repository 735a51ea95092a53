import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  BREAK,
  countPhrase,
  countTokens,
  hasPhrase,
  MAX_TOKEN_LENGTH,
  normalizeText,
  termParts,
  termTokens,
  tokenizeText,
} from "./tokens.ts";

const words = (text: string): string => tokenizeText(text).words;
const parts = (text: string): string => tokenizeText(text).parts;
const found = (text: string, term: string): boolean => hasPhrase(words(text), termTokens(term));

test("words in lower case, each CJK character a token, breaks where they are no neighbours", () => {
  assert.equal(words("Foo, bar-BAZ 12"), " foo bar baz 12 ");
  assert.equal(words("缓存。方案"), " 缓 存 ¶ 方 案 ");
  assert.equal(words("缓存 方案"), " 缓 存 ¶ 方 案 ");
  assert.equal(words("用index方案"), " 用 index 方 案 ");
  assert.equal(words("한국어かなカナ"), " 한 국 어 か な カ ナ ");
  assert.equal(words("𠀀𪚥一"), " 𠀀 𪚥 一 ");
  assert.equal(words("好😀👍🏽"), " 好 😀 👍 🏽 ");
  for (const none of ["", " ", "…!?", "。，", "¶", "\ud800"]) assert.equal(words(none), " ", none);
});

test("characters of the blocks that are known without an expression are letters of their script", () => {
  const isSingle = /^[[\p{scx=Han}\p{scx=Hangul}]&&\p{L}]$/v;
  for (const [first, last] of [
    [0x4e00, 0x9fa5],
    [0xac00, 0xd7a3],
  ] as const) {
    for (let code = first; code <= last; code++)
      assert.ok(isSingle.test(String.fromCodePoint(code)), code.toString(16));
    const border = String.fromCodePoint(first, last);
    assert.equal(words(border), ` ${[...border].join(" ")} `);
  }
});

test("what looks alike is alike: full-width, half-width kana, marks, hidden characters", () => {
  assert.equal(words("ＡＢＣ１"), " abc1 ");
  assert.equal(words("ｶﾞｯ"), words("ガッ"));
  assert.equal(words("cafe\u0301"), words("Café"));
  assert.equal(words("pass\u200bword so\u00adft"), " password soft ");
  assert.equal(words("❤️"), words("❤"));
  assert.equal(words("\u1112\u1161\u11ab"), words("한"));
});

test("parts of camelCase and snake_case beside the whole words", () => {
  assert.equal(words("getLeafId"), " getleafid ");
  assert.equal(
    parts("getLeafId(XMLHttpRequest) MAX_SIZE"),
    " get leaf id ¶ xml http request ¶ max size ",
  );
  assert.equal(parts("取getLeaf值"), " get leaf ");
  assert.equal(parts("getLeaf getLeaf"), " get leaf ");
  for (const none of ["word", "7DED75B8", "ABC", "sha256", "_", "__", `${"a".repeat(80)}B`]) {
    assert.equal(parts(none), " ", none);
  }
  assert.deepEqual(termParts("leafId"), ["leaf", "id"]);
  assert.deepEqual(termParts(" leaf_id "), ["leaf", "id"]);
  for (const none of ["leaf", "leafId x", "叶Id", ""]) assert.deepEqual(termParts(none), []);
  // Lower case of İ is longer: names stay whole, words are found.
  assert.equal(words("İstanbul getLeaf"), ` ${"İ".toLowerCase()}stanbul getleaf `);
});

test("tokens of a term have no breaks at their ends", () => {
  assert.deepEqual(termTokens("。缓存，方案。"), ["缓", "存", BREAK, "方", "案"]);
  assert.deepEqual(termTokens('"*('), []);
});

test("phrases are counted, also where they overlap", () => {
  assert.equal(countPhrase(words("好好好"), ["好", "好"]), 2);
  assert.equal(countPhrase(words("a a b a"), ["a"]), 3);
  assert.equal(countPhrase(" ", []), 0);
  assert.equal(hasPhrase(" a ", []), false);
  assert.equal(countTokens(" "), 0);
  assert.equal(countTokens(words("a 好 b")), 3);
});

const CJK = fc.constantFrom(..."缓存方案设计的一是あカ한𠀀");
const MIXED = fc.oneof({ weight: 6, arbitrary: CJK }, fc.constantFrom(..."，。 \n！a7"));

test("F101: a phrase of CJK characters finds what a plain search of the text finds", () => {
  const text = fc.array(MIXED, { maxLength: 60 }).map((all) => all.join(""));
  const phrase = fc.array(CJK, { minLength: 1, maxLength: 3 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text, phrase, (whole, part) => {
      assert.equal(found(whole, part), normalizeText(whole).includes(normalizeText(part)));
    }),
    { numRuns: 2000 },
  );
});

test("F101: every part of a text that starts and ends at a border is found in it", () => {
  const any = fc.string({ unit: "grapheme", maxLength: 40 });
  fc.assert(
    fc.property(any, any, any, (before, middle, after) => {
      const phrase = termTokens(middle);
      const text = `${before} ${middle} ${after}`;
      if (phrase.length > 0) assert.equal(hasPhrase(words(text), phrase), true);
    }),
    { numRuns: 1000 },
  );
});

test("Latin words are found whole, whatever stands around them", () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), word, (all, one) => {
      assert.equal(found(all.join("-"), one), all.includes(one));
      assert.equal(found(`${all.join("“，")}。`, one), all.includes(one));
    }),
  );
});

test("perf: linear for hostile texts, long words count by their beginning", () => {
  const long = "x".repeat(MAX_TOKEN_LENGTH);
  assert.equal(words(`${long}tail`), ` ${long} `);
  assert.equal(found(`好${long}tail`, `${long}other`), true);
  const hostile = [
    "A".repeat(1e6),
    "_".repeat(1e6),
    "aB".repeat(5e5),
    "一，".repeat(5e5),
    " ".repeat(1e6),
  ];
  const started = performance.now();
  for (const text of hostile) tokenizeText(text);
  assert.ok(performance.now() - started < 5000);
});
