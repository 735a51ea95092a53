import assert from "node:assert/strict";
import { test } from "node:test";
import { safeJson, safeLine, safeText } from "./safe-text.ts";

const ESC = "\x1b";
const BEL = "\x07";
const ST = `${ESC}\\`;

/** Sequences seen in attacks on terminals, and one of each kind of invisible character. */
function corpus(): string[] {
  const sequences = [
    `${ESC}]52;c;aGk=${BEL}`,
    `${ESC}]52;c;?${ST}`,
    `${ESC}]0;title${BEL}`,
    `${ESC}]2;title${ST}`,
    `${ESC}]8;;http://evil.example${BEL}text${ESC}]8;;${BEL}`,
    `${ESC}]8;id=1;file:///etc/passwd${ST}x${ESC}]8;;${ST}`,
    `${ESC}]4;1;rgb:ff/00/00${BEL}`,
    `${ESC}]9;notification${BEL}`,
    `${ESC}]777;notify;a;b${BEL}`,
    `${ESC}]1337;File=inline=1:AAAA${BEL}`,
    `${ESC}P+q544e${ST}`,
    `${ESC}P$q"p${ST}`,
    `${ESC}_Gf=100;AAAA${ST}`,
    `${ESC}^privacy${ST}`,
    `${ESC}Xstring${ST}`,
    `${ESC}c`,
    `${ESC}7${ESC}8`,
    `${ESC}(0lqqk${ESC}(B`,
    `${ESC}#8`,
    `${ESC}%G`,
    `${ESC}=`,
    `${ESC}>`,
    `${ESC}M`,
    `${ESC}D`,
    `${ESC}Z`,
    "\u009b31m",
    "\u009d52;c;aGk=\u009c",
    "\u0090q\u009c",
    "\u0085next",
    "line\rover",
    "back\b\b\b\b",
    "\f\v",
    "\x0e\x0f",
    "a\u202egnp.exe",
    "\u2066isolate\u2069",
    "\u200bzero",
    "joined\u200dup",
    "\ufeffbom",
    "soft\u00adhyphen",
    "\u{e0001}tag\u{e0041}",
    " \ufe0f\ufe0fstray selectors",
    "\u2028line\u2029paragraph",
    "\ud800 lone",
    "lone \udfff",
    "\u3164filler",
    "\u115f\u1160",
  ];
  for (const final of "ABCDEFGHJKLMPSTXZ`abcdefghilmnpqrstu@") sequences.push(`${ESC}[1;2${final}`);
  for (const mode of ["?25l", "?1049h", "?1000h", "?2004h", "?5h", "6n", "c", ">c", "=c", "21t"]) {
    sequences.push(`${ESC}[${mode}`);
  }
  for (let code = 0; code < 0x20; code++) {
    if (code !== 9 && code !== 10) sequences.push(`x${String.fromCharCode(code)}y`);
  }
  for (let code = 0x7f; code <= 0x9f; code++) sequences.push(`x${String.fromCharCode(code)}y`);
  return sequences;
}

/** What may not reach a terminal from data. */
const HARMFUL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

test("S16 no sequence of the corpus reaches the terminal", () => {
  const all = corpus();
  assert.ok(all.length >= 100, `${all.length} sequences`);
  for (const sequence of all) {
    for (const around of [sequence, `你好${sequence}世界`, sequence.repeat(3)]) {
      const safe = safeText(around);
      assert.doesNotMatch(safe, HARMFUL, JSON.stringify(sequence));
      assert.notEqual(safe, around, JSON.stringify(sequence));
      assert.doesNotMatch(safeLine(around), HARMFUL, JSON.stringify(sequence));
    }
  }
});

test("S16 JSON keeps its meaning and loses its teeth", () => {
  for (const sequence of corpus()) {
    const json = safeJson(JSON.stringify({ text: sequence }));
    assert.doesNotMatch(json, HARMFUL, JSON.stringify(sequence));
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify({ text: sequence })));
  }
});

test("ordinary text stays as it is", () => {
  for (const text of [
    "plain",
    "你好，世界",
    "tab\tand\nline",
    "e\u0301",
    "👍🏽",
    "👨‍👩‍👧",
    "🏳️‍🌈",
    "❤️",
    "葛󠄀",
    "مرحبا",
    "café ✓ → ●",
  ]) {
    assert.equal(safeText(text), text);
  }
});

test("CR LF is a line end, a lone CR is shown", () => {
  assert.equal(safeText("a\r\nb\rc"), "a\nb\\x0dc");
  assert.equal(safeLine("  a\r\n\tb  "), "a b");
});
