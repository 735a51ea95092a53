import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "./en.ts";
import { fillText } from "./fill-text.ts";
import { zh } from "./zh.ts";

const places = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""))].toSorted();

test("English and Chinese have the same texts with the same values in them", () => {
  assert.deepEqual(Object.keys(zh), Object.keys(en));
  for (const [key, text] of Object.entries(en)) {
    const other = zh[key as keyof typeof en];
    const values = places(text).filter((name) => name !== "n");
    assert.deepEqual(
      places(other).filter((name) => name !== "n"),
      values,
      key,
    );
    if (!text.includes("|")) assert.deepEqual(places(other), places(text), key);
    assert.notEqual(other.trim(), "", key);
  }
});

test("Chinese texts are Chinese, but for field names", () => {
  for (const [key, text] of Object.entries(zh)) {
    if (key === "app.language" || key === "library.shown" || key === "tour.step") continue;
    assert.match(text, /\p{Script=Han}/u, key);
  }
});

test("values are filled in, plurals chosen by n, unknown places kept", () => {
  assert.equal(fillText("1 turn|{n} turns", { n: 1 }), "1 turn");
  assert.equal(fillText("1 turn|{n} turns", { n: 5 }), "5 turns");
  assert.equal(fillText("{n} 轮", { n: 1 }), "1 轮");
  assert.equal(fillText("{who}: {what}", { who: "$&" }), "$&: {what}");
});
