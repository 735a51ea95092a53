import assert from "node:assert/strict";
import { test } from "node:test";
import { detectFormat } from "./format.ts";

test("the first line tells the format", () => {
  const v3 = '{"type":"session","version":3,"id":"a"}';
  const v4 = '{"v":4,"kind":"header","id":"a"}';
  for (const line of [v3, '{"type":"session","id":"a"}', `\uFEFF${v3}`, `${v3}\r`])
    assert.equal(detectFormat(line), "pi-v3");
  for (const line of [v4, `\uFEFF${v4}`, `\u0000${v4}\r`])
    assert.equal(detectFormat(line), "pi-v4");
  const others = [
    '{"v":5,"kind":"header"}',
    '{"v":4}',
    '{"type":"user"}',
    '{"type":"session"}',
    "[]",
  ];
  for (const line of [...others, "", "null", "{"]) assert.equal(detectFormat(line), null, line);
});
