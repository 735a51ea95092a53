import assert from "node:assert/strict";
import { test } from "node:test";
import { displayWidth, fit } from "./column-width.mjs";

test("ASCII takes one column a character", () => {
  assert.equal(displayWidth("branch"), 6);
});

test("Chinese takes two columns a character", () => {
  assert.equal(displayWidth("方案"), 4);
});

test("mixed text is the sum of its parts", () => {
  assert.equal(displayWidth("方案 A"), 6);
});

test("a combining accent takes no column", () => {
  assert.equal(displayWidth("cafe\u0301"), 4);
});

test("an emoji is one sign of two columns, however many code points it has", () => {
  assert.equal(displayWidth("👩‍💻"), 2);
});

test("columns stand below each other", () => {
  assert.equal(displayWidth(fit("方案 A", 10)), 10);
});
