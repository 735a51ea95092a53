import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerBuilder } from "./answer-builder.ts";
import { createScriptedModel } from "./scripted-model.ts";
import { parseToolArguments } from "./tool-arguments.ts";

const { info: model } = createScriptedModel([]);
const build = (): AnswerBuilder => new AnswerBuilder({ model, api: "x", timestamp: 5 });
const end = (answer: AnswerBuilder) => {
  const event = answer.finish({ stopReason: "stop" });
  return event.type === "done" ? event.message : assert.fail();
};

test("without keys a new block begins when the kind changes; with keys blocks grow side by side", () => {
  const answer = build();
  answer.text("a");
  answer.text("b");
  answer.thinking("c");
  answer.text("d");
  answer.text("e", "k1");
  answer.text("f", "k2");
  answer.text("g", "k1");
  assert.deepEqual(end(answer).content, [
    { type: "text", text: "ab" },
    { type: "thinking", thinking: "c" },
    { type: "text", text: "d" },
    { type: "text", text: "eg" },
    { type: "text", text: "f" },
  ]);
  assert.deepEqual([answer.count("text"), answer.count("toolCall")], [4, 0]);
});

test("signatures go to the block of the key, or to the last of the kind, or nowhere", () => {
  const answer = build();
  answer.sign("text", { textSignature: "nowhere" });
  answer.thinking("a", "k");
  answer.thinking("b", "l");
  answer.sign("thinking", { thinkingSignature: "1" }, "k");
  answer.sign("thinking", { thinkingSignature: "2" });
  answer.sign("thinking", { thinkingSignature: "3" }, "unknown");
  assert.deepEqual(end(answer).content, [
    { type: "thinking", thinking: "a", thinkingSignature: "1" },
    { type: "thinking", thinking: "b", thinkingSignature: "2" },
  ]);
});

test("the first id and name of a call stand; a call without an id gets one of its own", () => {
  const answer = build();
  answer.call("0", { id: "", name: "read" });
  answer.call("0", { id: "c", name: "other", text: '{"a":' });
  answer.call("0", { id: "d", text: "1}" });
  answer.call("1", { name: "list" });
  assert.deepEqual(end(answer).content, [
    { type: "toolCall", id: "c", name: "read", arguments: { a: 1 } },
    { type: "toolCall", id: "call-5-1", name: "list", arguments: {} },
  ]);
});

test("an answer of 100,000 pieces takes no time", () => {
  const answer = build();
  for (let piece = 0; piece < 100_000; piece++) answer.call("0", { text: piece === 0 ? '"' : "x" });
  const [block] = end(answer).content;
  assert.ok(block && "argumentsError" in block);
});

test("arguments: nothing is none, an object is itself, all else is an error with the text", () => {
  assert.deepEqual(parseToolArguments(" "), { arguments: {} });
  assert.deepEqual(parseToolArguments('{"a":[1]}'), { arguments: { a: [1] } });
  for (const text of ["[1]", "null", '"x"', "{", "{'a':1}"]) {
    const { arguments: args, argumentsError } = parseToolArguments(text);
    assert.deepEqual(args, {});
    assert.ok(argumentsError?.endsWith(text));
  }
  const long = parseToolArguments(`{${"x".repeat(10_000)}`).argumentsError ?? "";
  assert.ok(long.length < 2200 && long.endsWith("…"));
});
