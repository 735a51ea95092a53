import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../entry/message.ts";
import { tornPlaces } from "./units.ts";

const says = (...calls: readonly string[]): Message => {
  const content = calls.map((id) => ({ type: "toolCall", id, name: "t", arguments: {} }));
  return { role: "assistant", content, provider: "p", model: "m" };
};
const gives = (toolCallId: string, details?: unknown): Message => {
  return { role: "toolResult", toolCallId, toolName: "t", content: [], isError: false, details };
};
const user: Message = { role: "user", content: "u" };
const missing = { branchline: { synthetic: true, reason: "missing" } };
const torn = (...messages: readonly Message[]): string =>
  tornPlaces(messages)
    .map((isTorn) => (isTorn ? "x" : "."))
    .join("");

test("P9 a place is torn between a call and its last result, whatever stands between", () => {
  assert.equal(torn(), ".");
  assert.equal(torn(user, says("a"), gives("a"), user), "..x..");
  assert.equal(torn(says("a", "b"), gives("a"), user, gives("b"), user), ".xxx..");
  assert.equal(torn(says("a"), says("b"), gives("b"), gives("a")), ".xxx.");
});

test("P9 ids that are used again pair with the nearest call", () => {
  assert.equal(torn(says("a"), gives("a"), says("a"), gives("a")), ".x.x.");
  assert.equal(torn(gives("a"), says("a")), "...");
});

test("F086 calls at the end without results hold everything behind them", () => {
  assert.equal(torn(user, says("a", "b"), gives("a"), gives("b", missing)), "..xxx");
  assert.equal(torn(user, says("a"), gives("a", missing), user), "..x..");
  assert.equal(
    torn(says("a"), gives("a", { branchline: { synthetic: true, reason: "hidden" } })),
    ".x.",
  );
  assert.equal(torn(gives("a", missing)), "..");
});

test("P7 messages of any shape tear nothing", () => {
  const odd: readonly Message[] = [
    { role: "assistant", content: "text" },
    { role: "assistant", content: [null, { type: "toolCall", id: 5 }] },
    { role: "toolResult" },
    { role: "unheard of" },
  ];
  assert.equal(torn(...odd), ".....");
});
