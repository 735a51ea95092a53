import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage } from "../entry/message.ts";
import type { ModelContext, ModelEvent, StreamOptions } from "./model.ts";
import { createScriptedModel, type ScriptedModel } from "./scripted-model.ts";

const CONTEXT: ModelContext = { messages: [{ role: "user", content: "hello" }], tools: [] };

async function ask(model: ScriptedModel, options?: StreamOptions): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(model.info, CONTEXT, options)) events.push(event);
  return events;
}

function final(events: readonly ModelEvent[]): AssistantMessage {
  const last = events.at(-1);
  assert.equal(last?.type, "done");
  return last.type === "done" ? last.message : assert.fail();
}

test("a step streams thinking, text and calls in order and ends in Pi's shape", async () => {
  const model = createScriptedModel([
    {
      thinking: "hm",
      text: "读取文件",
      calls: [{ name: "read", arguments: { path: "a" } }],
      chunk: 2,
      usage: { input: 500_000, output: 500_000, cacheRead: 100 },
    },
  ]);
  const events = await ask(model);
  assert.deepEqual(
    events.map((event) => ("delta" in event ? `${event.type} ${event.delta}` : event.type)),
    [
      "start",
      "thinking_delta hm",
      "text_delta 读取",
      "text_delta 文件",
      'toolcall_delta {"',
      "toolcall_delta pa",
      "toolcall_delta th",
      'toolcall_delta ":',
      'toolcall_delta "a',
      'toolcall_delta "}',
      "done",
    ],
  );
  assert.deepEqual(final(events), {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "读取文件" },
      { type: "toolCall", id: "call-1", name: "read", arguments: { path: "a" } },
    ],
    api: "scripted",
    provider: "scripted",
    model: "scripted-1",
    usage: {
      input: 500_000,
      output: 500_000,
      cacheRead: 100,
      cacheWrite: 0,
      totalTokens: 1_000_100,
      cost: { input: 0.5, output: 1, cacheRead: 1e-5, cacheWrite: 0, total: 1.50001 },
    },
    stopReason: "toolUse",
    timestamp: Date.UTC(2026, 0, 1) + 1000,
  });
});

test("an event keeps the answer as it was", async () => {
  const events = await ask(createScriptedModel([{ text: "abcd", chunk: 2 }]));
  const texts = events.flatMap((event) => ("partial" in event ? [event.partial.content] : []));
  assert.deepEqual(texts, [[], [{ type: "text", text: "ab" }], [{ type: "text", text: "abcd" }]]);
});

test("a function makes its step from the request; requests are copies; ids count on", async () => {
  const call = { name: "list", arguments: {} };
  const model = createScriptedModel([{ calls: [call, call] }]);
  model.push(({ messages, options }) => ({
    text: `${messages.length} ${options.thinkingLevel}`,
    calls: [{ ...call, id: "own" }, call],
  }));
  assert.equal(model.remaining, 2);
  const first = final(await ask(model));
  const second = final(await ask(model, { thinkingLevel: "high" }));
  const ids = [...first.content, ...second.content].map((block) => ("id" in block ? block.id : 0));
  assert.deepEqual(ids, ["call-1", "call-2", 0, "own", "call-4"]);
  assert.deepEqual(second.content[0], { type: "text", text: "1 high" });
  assert.equal(model.remaining, 0);
  assert.notEqual(model.requests[0]?.messages[0], CONTEXT.messages[0]);
  assert.deepEqual(model.requests[0]?.messages, CONTEXT.messages);
});

test("failures are messages: a text before the error, an overflow, a script at its end, a throw", async () => {
  const model = createScriptedModel([
    { text: "half", error: "terminated" },
    { overflow: true },
    () => {
      throw new RangeError("no");
    },
  ]);
  const cut = final(await ask(model));
  assert.deepEqual([cut.stopReason, cut.errorMessage], ["error", "terminated"]);
  assert.deepEqual(cut.content, [{ type: "text", text: "half" }]);
  assert.deepEqual([cut.usage?.totalTokens, cut.usage?.cost?.total], [0, 0]);
  assert.match(final(await ask(model)).errorMessage ?? "", /context_length_exceeded/);
  assert.match(final(await ask(model)).errorMessage ?? "", /failed: no/);
  assert.match(final(await ask(model)).errorMessage ?? "", /no answer 4/);
});

test("unreadable arguments are a call with argumentsError", async () => {
  const message = final(
    await ask(createScriptedModel([{ calls: [{ name: "read", arguments: '{"path": "a' }] }])),
  );
  const [block] = message.content;
  assert.equal(message.stopReason, "toolUse");
  assert.deepEqual(block && "arguments" in block && block.arguments, {});
  assert.match(String(block && "argumentsError" in block && block.argumentsError), /"path": "a/);
});

test("a gate holds the stream; an abort goes past it and past a step that never comes", async () => {
  const gate = Promise.withResolvers<void>();
  const seen: number[] = [];
  const model = createScriptedModel([
    { text: "ab", chunk: 1, gate: gate.promise },
    { text: "abcd", chunk: 1, gate: (delta) => (seen.push(delta) < 3 ? undefined : never()) },
    () => never<{ text: string }>(),
  ]);
  const held = ask(model);
  gate.resolve();
  assert.deepEqual(final(await held).content, [{ type: "text", text: "ab" }]);
  for (const content of [[{ type: "text", text: "ab" }], []]) {
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    const options = { signal: controller.signal };
    for await (const event of model.stream(model.info, CONTEXT, options)) {
      events.push(event);
      if (events.length === 1 + content.length * 2) setImmediate(() => controller.abort());
    }
    assert.deepEqual(final(events).stopReason, "aborted");
    assert.deepEqual(final(events).content, content);
  }
  assert.deepEqual(seen, [0, 1, 2]);
});

test("an abort before the first delta leaves nothing", async () => {
  const model = createScriptedModel([{ text: "a" }]);
  const message = final(await ask(model, { signal: AbortSignal.abort() }));
  assert.deepEqual([message.stopReason, message.content], ["aborted", []]);
});

test("it names one model", async () => {
  const model = createScriptedModel([], { info: { modelId: "m" }, now: () => 7 });
  assert.deepEqual(await model.list(), [model.info]);
  assert.equal(await model.find({ provider: "scripted", modelId: "m" }), model.info);
  assert.equal(await model.find({ provider: "scripted", modelId: "n" }), null);
  assert.equal(final(await ask(model)).timestamp, 7);
});

/** A promise that stays pending. */
const never = <T = void>(): Promise<T> => Promise.withResolvers<T>().promise;
