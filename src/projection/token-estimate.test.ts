import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { Message } from "../entry/message.ts";
import { estimateContextTokens, estimateTokens, IMAGE_TOKENS } from "./token-estimate.ts";

const tokens = (message: Record<string, unknown>): number => estimateTokens(message as Message);
const user = (content: unknown): number => tokens({ role: "user", content });

test("text counts UTF-8 bytes / 4, rounded up, as Buffer counts them", (t) => {
  assert.equal(user("abcde"), 2);
  assert.equal(user("中文字符"), 3);
  const seed = Date.now() % 0x7fffffff;
  t.diagnostic(`seed ${seed}`);
  const property = fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
    assert.equal(user(text), Math.ceil(Buffer.byteLength(text) / 4));
  });
  fc.assert(property, { seed, numRuns: 2000 });
});

test("long texts count as short ones do, wherever a character falls", () => {
  for (const before of [16_381, 16_382, 16_383, 16_384, 32_766, 32_767])
    for (const character of ["a", "é", "界", "😀", "\ud83d", "\ude00"]) {
      const text = `${" ".repeat(before)}${character}${" b".repeat(10_000)}`;
      assert.equal(user(text), Math.ceil(Buffer.byteLength(text) / 4), `${before} ${character}`);
    }
  const wide = "😀界é ".repeat(20_000);
  assert.equal(user(wide), Math.ceil(Buffer.byteLength(wide) / 4));
});

test("lone surrogates count as the three bytes that they are written as", () => {
  for (const text of [
    "\ud800",
    "\udc00",
    "a\udc00",
    "\ud800\ud800\udc00",
    "\ud800\uffff",
    "\udc00\udc00",
  ])
    assert.equal(user(text.repeat(4)), Buffer.byteLength(text.repeat(4)) / 4, JSON.stringify(text));
});

test("long base64 in text counts 0.6 tokens a byte, rulers and long words do not", () => {
  const base64 = randomBytes(3000).toString("base64");
  assert.equal(user(base64), Math.ceil(base64.length * 0.6));
  assert.equal(user(`${base64} `), Math.ceil(base64.length * 0.6 + 0.25));
  assert.equal(user("=".repeat(400)), 100);
  assert.equal(user("a".repeat(400)), 100);
});

test("runs are found wherever they begin and end", (t) => {
  const seed = Date.now() % 0x7fffffff;
  t.diagnostic(`seed ${seed}`);
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "B", "7", "/"), minLength: 55, maxLength: 140 }),
    fc.constantFrom(" ", "\n", "中", "é", " a B 7 ", "x".repeat(64), ""),
  );
  const property = fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
    const text = parts.join("");
    const isMixed = (run: string) => [/[a-z]/, /[A-Z]/, /[0-9]/].every((kind) => kind.test(run));
    const runs = (text.match(/[A-Za-z0-9+/=]{64,}/g) ?? []).filter(isMixed);
    const dense = runs.join("").length;
    assert.equal(user(text), Math.ceil((Buffer.byteLength(text) - dense) / 4 + dense * 0.6));
  });
  fc.assert(property, { seed, numRuns: 2000 });
});

test("an image costs a flat figure, its base64 is never counted as text", () => {
  const data = randomBytes(9000).toString("base64");
  assert.equal(user([{ type: "image", data, mimeType: "image/png" }]), IMAGE_TOKENS);
});

test("each role counts what the model sees of it", () => {
  const content = [
    { type: "text", text: "abcd" },
    { type: "thinking", thinking: "abcd" },
    { type: "toolCall", id: "not counted", name: "read", arguments: { a: 1 } },
    { type: "novel", text: "not counted" },
  ];
  assert.equal(tokens({ role: "assistant", content }), Math.ceil((4 + 4 + 4 + 7) / 4));
  assert.equal(tokens({ role: "toolResult", content: [{ type: "text", text: "abcd" }] }), 1);
  assert.equal(tokens({ role: "compactionSummary", summary: "abcd" }), 1);
  assert.equal(tokens({ role: "branchSummary", summary: "abcd" }), 1);
  const system = { role: "system", content: "abcd", sections: { a: "abcd", b: null } };
  assert.equal(tokens(system), 2);
  assert.equal(tokens({ ...system, toolsAdded: ["abcd"] }), 4);
  assert.equal(tokens({ role: "system", content: "abcd" }), 1);
  const bash = { role: "bashExecution", command: "ls", output: "ab" };
  assert.equal(tokens(bash), 1);
  assert.equal(tokens({ ...bash, excludeFromContext: true }), 0);
  assert.equal(tokens({ role: "novel", content: "abcd" }), 0);
});

test("P7: members of wrong types count nothing and stop nothing", () => {
  const content = [null, 3, { type: "text", text: 5 }, { type: "toolCall" }];
  assert.equal(tokens({ role: "assistant", content }), 0);
  assert.equal(user(undefined), 0);
  assert.equal(estimateTokens(null as unknown as Message), 0);
});

test("a context is the sum of its messages", () => {
  const message: Message = { role: "user", content: "abcde" };
  assert.equal(estimateContextTokens([message, message]), 4);
  assert.equal(estimateContextTokens([]), 0);
});
