import assert from "node:assert/strict";
import { test } from "node:test";
import { displayWidth, fit, fitRight, truncate } from "./width.ts";

test("columns: wide characters two, marks and joiners none", () => {
  const widths: readonly (readonly [string, number])[] = [
    ["", 0],
    ["abc", 3],
    ["方案", 4],
    ["方案 A", 6],
    ["ｆｕｌｌ", 8],
    ["ﾊﾝｶｸ", 5 - 1],
    ["한국", 4],
    ["ひらがな", 8],
    ["é", 1],
    ["e\u0301", 1],
    ["👍", 2],
    ["👍🏽", 2],
    ["👨‍👩‍👧", 2],
    ["🇨🇳", 2],
    ["❤️", 2],
    ["●├─", 3],
    ["，。", 4],
    ["𠀀", 2],
  ];
  for (const [text, width] of widths) assert.equal(displayWidth(text), width, text);
});

test("cutting and filling count columns and cut no character in two", () => {
  assert.equal(truncate("方案设计", 8), "方案设计");
  assert.equal(truncate("方案设计", 7), "方案设…");
  assert.equal(truncate("方案设计", 6), "方案…");
  assert.equal(truncate("abc", 0), "");
  assert.equal(truncate("e\u0301".repeat(5), 3), "e\u0301e\u0301…");
  assert.equal(fit("方案", 6), "方案  ");
  assert.equal(displayWidth(fit("方案设计方案", 7)), 7);
  assert.equal(fitRight("方案", 6), "  方案");
  assert.equal(fitRight("abc", 2), "abc");
});

test("a text of megabytes is cut without measuring all of it", () => {
  const started = performance.now();
  assert.equal(displayWidth(truncate("树".repeat(5_000_000), 80)), 79);
  assert.ok(performance.now() - started < 1000);
});
