/** What servers send that is not quite the format, and what is sent to them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage, Message } from "../../entry/message.ts";
import { failureKind } from "../../model/failure.ts";
import type { ModelEvent, ModelInfo } from "../../model/model.ts";
import { chatRequest } from "./chat-request.ts";
import { createOpenAiCompatible } from "./openai-compatible.ts";

const MODEL = "m";
const chunk = (delta: object, more: object = {}): object => ({ choices: [{ delta, ...more }] });

/** The answer to a body of these events. */
async function answerTo(...events: readonly unknown[]): Promise<AssistantMessage> {
  const lines = events.map(
    (data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
  );
  const models = createOpenAiCompatible({
    baseUrl: "http://stub/v1",
    model: MODEL,
    idleTimeoutMs: 0,
    fetch: async () => new Response(lines.join("")),
  });
  const [model] = await models.list();
  let last: ModelEvent | undefined;
  for await (const event of models.stream(model!, { messages: [], tools: [] })) last = event;
  return last?.type === "done" ? last.message : assert.fail("no end");
}

test("chunks of any shape are passed over; an end without a reason, and a stream without an end", async () => {
  const odd = [null, 5, [], {}, { choices: 5 }, { choices: [null] }, { choices: [{ delta: 5 }] }];
  const ok = await answerTo(...odd, chunk({ content: "a", tool_calls: [null, {}] }), "[DONE]", "x");
  assert.equal(ok.stopReason, "toolUse");
  assert.equal((await answerTo(chunk({ content: "a" }), "[DONE]")).stopReason, "stop");
  const cut = await answerTo(chunk({ content: "a" }));
  assert.deepEqual([cut.stopReason, cut.content], ["error", [{ type: "text", text: "a" }]]);
  assert.equal((await answerTo("{")).stopReason, "error");
});

test("reasons as servers name them", async () => {
  const ended = async (reason: string): Promise<string | undefined> =>
    (await answerTo(chunk({ content: "a" }, { finish_reason: reason }))).stopReason;
  const reasons = ["stop", "STOP", "eos", "end_turn", "tool_calls", "length", "max_tokens"];
  assert.deepEqual(await Promise.all(reasons.map(ended)), [
    ...["stop", "stop", "stop", "stop", "stop", "length", "length"],
  ]);
  const filtered = await answerTo(chunk({}, { finish_reason: "content_filter" }));
  assert.match(filtered.errorMessage ?? "", /content_filter/);
});

test("thoughts in three members, refusals, arguments as an object, calls without an index", async () => {
  const message = await answerTo(
    chunk({ reasoning: "a", reasoning_content: "a" }),
    chunk({ reasoning_text: "b" }),
    chunk({ refusal: "no" }),
    chunk({
      tool_calls: [
        { id: "c", function: { name: "read", arguments: { path: "x" } } },
        { id: "d", function: { name: "list" } },
      ],
    }),
    chunk({}, { finish_reason: "stop" }),
  );
  assert.deepEqual(message.content, [
    { type: "thinking", thinking: "ab", thinkingSignature: "reasoning_text" },
    { type: "text", text: "no" },
    { type: "toolCall", id: "c", name: "read", arguments: { path: "x" } },
    { type: "toolCall", id: "d", name: "list", arguments: {} },
  ]);
  assert.equal(message.stopReason, "toolUse");
});

test("usage in the places where servers put it; nonsense counts nothing", async () => {
  const counted = async (usage: object): Promise<readonly unknown[]> => {
    const message = await answerTo(chunk({}, { finish_reason: "stop", usage }));
    const { input, output, cacheRead, totalTokens } = message.usage ?? {};
    return [input, output, cacheRead, totalTokens];
  };
  const base = { prompt_tokens: 100, completion_tokens: 5 };
  assert.deepEqual(await counted({ ...base, prompt_cache_hit_tokens: 60 }), [40, 5, 60, 105]);
  assert.deepEqual(
    await counted({ ...base, cached_tokens: 60, total_tokens: 106 }),
    [40, 5, 60, 106],
  );
  assert.deepEqual(await counted({ prompt_tokens: -1, completion_tokens: "5" }), [0, 0, 0, 0]);
  const none = await answerTo(chunk({}, { finish_reason: "stop" }));
  assert.equal(none.usage?.totalTokens, 0);
});

test("errors inside a stream, in several shapes; what was counted before them stands", async () => {
  const said = async (error: unknown): Promise<unknown> => (await answerTo({ error })).errorMessage;
  assert.equal(await said("plain"), "plain");
  assert.equal(await said({ message: "m", code: 5, type: "t" }), "5 t: m");
  assert.equal(await said({ message: "m t", type: "t" }), "m t");
  assert.equal(await said({ odd: 1 }), '{"odd":1}');
  const counted = await answerTo({ usage: { prompt_tokens: 7 } }, { error: "late" });
  assert.deepEqual([counted.errorMessage, counted.usage?.input], ["late", 7]);
  assert.equal((await answerTo({ error: null }, "[DONE]")).stopReason, "stop");
});

test("an answer without a body", async () => {
  const models = createOpenAiCompatible({
    baseUrl: "http://stub/v1",
    model: MODEL,
    fetch: async () => new Response(null, { status: 204 }),
  });
  const [model] = await models.list();
  let last: ModelEvent | undefined;
  for await (const event of models.stream(model!, { messages: [], tools: [] })) last = event;
  assert.match((last?.type === "done" && last.message.errorMessage) || "", /no body/);
});

test("images go where servers take them; thoughts only to the model that had them", () => {
  const info: ModelInfo = {
    provider: "p",
    modelId: MODEL,
    name: "m",
    contextWindow: null,
    maxOutput: null,
    prices: null,
    takesImages: true,
    isOffline: false,
  };
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const url = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "reasoning" };
  const call = { type: "toolCall", id: "c", name: "shot", arguments: {} };
  const own = { role: "assistant", provider: "p", model: MODEL };
  const messages: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "see" }, image] },
    { ...own, model: "other", content: [thinking] },
    { ...own, content: [thinking, { type: "text", text: "a" }, call] },
    { role: "toolResult", toolCallId: "c", toolName: "shot", content: [image], isError: false },
    { role: "user", content: "next" },
    { ...own, content: [{ ...thinking, thinkingSignature: "x" }, call] },
    { role: "toolResult", toolCallId: "c", toolName: "shot", content: [image], isError: false },
  ];
  const calls = [{ id: "c", type: "function", function: { name: "shot", arguments: "{}" } }];
  const result = { role: "tool", tool_call_id: "c", content: "(see the image below)" };
  const note = { type: "text", text: "Images of the tool results above:" };
  const shown = { role: "user", content: [note, url] };
  const { messages: sent, ...rest } = chatRequest(info, { messages, tools: [] }, { maxTokens: 9 });
  assert.deepEqual(sent, [
    { role: "user", content: [{ type: "text", text: "see" }, url] },
    { role: "assistant", content: "a", reasoning: "hm", tool_calls: calls },
    result,
    shown,
    { role: "user", content: "next" },
    { role: "assistant", content: null, tool_calls: calls },
    result,
    shown,
  ]);
  assert.deepEqual(rest, {
    model: MODEL,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 9,
  });
});

test("calls that all have the same index, or none, are told apart by id and name", async () => {
  for (const index of [{ index: 0 }, {}]) {
    const piece = (id: string | undefined, name: string | undefined, args: string): object => {
      const named = { ...(name === undefined ? {} : { name }), arguments: args };
      return chunk({ tool_calls: [{ ...index, ...(id ? { id } : {}), function: named }] });
    };
    const message = await answerTo(
      piece("a", "read", '{"path":'),
      piece(undefined, undefined, '"x"}'),
      piece("b", "list", "{"),
      // A server that makes an id for each piece, without a name: the call goes on.
      piece("other", undefined, "}"),
      chunk({}, { finish_reason: "tool_calls" }),
    );
    assert.deepEqual(message.content, [
      { type: "toolCall", id: "a", name: "read", arguments: { path: "x" } },
      { type: "toolCall", id: "b", name: "list", arguments: {} },
    ]);
  }
});

test("a key of one letter is none: what a server says of an overflow stays readable", async () => {
  const said = { error: { message: "maximum context length exceeded" } };
  const models = createOpenAiCompatible({
    ...{ baseUrl: "http://stub/v1", model: MODEL, apiKey: "x", idleTimeoutMs: 0 },
    fetch: async () => new Response(JSON.stringify(said), { status: 400 }),
  });
  const [model] = await models.list();
  let last: ModelEvent | undefined;
  for await (const event of models.stream(model!, { messages: [], tools: [] })) last = event;
  const message = last?.type === "done" ? last.message : assert.fail("no end");
  assert.equal(failureKind(message, model!), "overflow");
});
