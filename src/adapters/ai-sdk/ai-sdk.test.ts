/** The adapter against doubles of a language model; against the SDK's own packages in interop-tests/. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage, Message } from "../../entry/message.ts";
import { BranchlineError } from "../../errors.ts";
import { retryAfterMs } from "../../model/failure.ts";
import type { ModelEvent, StreamOptions, ToolSpec } from "../../model/model.ts";
import { type AiSdkOptions, fromLanguageModel } from "./ai-sdk.ts";
import type { AiSdkLanguageModel, CallOptions } from "./ai-sdk-types.ts";

const FINISH = { type: "finish", finishReason: { unified: "stop" }, usage: {} };

const TOOL: ToolSpec = { name: "read", description: "Reads.", parameters: {} };

class FakeModel implements AiSdkLanguageModel {
  readonly specificationVersion = "v4";
  readonly provider = "p";
  readonly modelId = "m";
  readonly calls: CallOptions[] = [];
  readonly #parts: readonly unknown[] | Error;

  constructor(parts: readonly unknown[] | Error) {
    this.#parts = parts;
  }

  async doStream(options: CallOptions): Promise<{ readonly stream: ReadableStream<unknown> }> {
    this.calls.push(options);
    if (this.#parts instanceof Error) throw this.#parts;
    return { stream: ReadableStream.from(this.#parts) };
  }
}

interface Asked {
  readonly messages?: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly stream?: StreamOptions;
  readonly options?: AiSdkOptions;
}

async function run(
  parts: readonly unknown[] | Error,
  asked: Asked = {},
): Promise<{ readonly message: AssistantMessage; readonly call: CallOptions | undefined }> {
  const fake = new FakeModel(parts);
  const models = fromLanguageModel(fake, asked.options);
  const [model] = await models.list();
  let last: ModelEvent | undefined;
  const context = { messages: asked.messages ?? [], tools: asked.tools ?? [] };
  for await (const event of models.stream(model!, context, asked.stream)) last = event;
  const message = last?.type === "done" ? last.message : assert.fail("no end");
  return { message, call: fake.calls[0] };
}

test("calls in pieces, whole, or both; those that the provider runs are none of ours", async () => {
  const { message } = await run([
    { type: "tool-input-start", id: "a", toolName: "read" },
    { type: "tool-input-delta", id: "a", delta: '{"x"' },
    { type: "tool-call", toolCallId: "a", toolName: "read", input: '{"x":1}' },
    { type: "tool-input-start", id: "b", toolName: "list" },
    { type: "tool-call", toolCallId: "b", toolName: "list", input: "{}" },
    { type: "tool-call", toolCallId: "c", toolName: "bare", input: "" },
    { type: "tool-input-start", id: "d", toolName: "odd" },
    { type: "tool-input-delta", id: "d", delta: "{}" },
    { type: "tool-call", toolCallId: "d", toolName: "odd", input: '{"other":1}' },
    { type: "tool-input-start", id: "w", toolName: "web", providerExecuted: true },
    { type: "tool-input-delta", id: "w", delta: "{}" },
    { type: "tool-call", toolCallId: "w", toolName: "web", input: "{}", providerExecuted: true },
    { ...FINISH, finishReason: { unified: "tool-calls" } },
  ]);
  const calls = message.content.map((block) => "name" in block && [block.name, block.arguments]);
  assert.deepEqual(calls, [
    ["read", { x: 1 }],
    ["list", {}],
    ["bare", {}],
    ["odd", {}],
  ]);
  assert.equal(message.stopReason, "toolUse");
});

test("what the provider wants back is kept with its part, redacted thoughts too", async () => {
  const providerMetadata = { x: { s: 1 } };
  const { message } = await run([
    { type: "reasoning-start", id: "r", providerMetadata },
    { type: "reasoning-end", id: "r" },
    { type: "reasoning-start", id: "q" },
    { type: "reasoning-delta", id: "q", delta: "hm" },
    { type: "reasoning-end", id: "q", providerMetadata },
    { type: "text-start", id: "t", providerMetadata },
    { type: "text-delta", id: "t", delta: "a" },
    { type: "text-end", id: "t", providerMetadata },
    { type: "tool-call", toolCallId: "c", toolName: "read", input: "{}", providerMetadata },
    FINISH,
  ]);
  const signature = JSON.stringify(providerMetadata);
  assert.deepEqual(message.content, [
    { type: "thinking", thinking: "", thinkingSignature: signature },
    { type: "thinking", thinking: "hm", thinkingSignature: signature },
    { type: "text", text: "a", textSignature: signature },
    { type: "toolCall", id: "c", name: "read", arguments: {}, thoughtSignature: signature },
  ]);
});

test("reasons and usage; parts of any shape are passed over", async () => {
  const ended = async (finishReason: unknown): Promise<AssistantMessage> =>
    (await run([null, { type: "ping" }, { type: 5 }, { ...FINISH, finishReason }])).message;
  assert.equal((await ended({ unified: "length" })).stopReason, "length");
  assert.equal((await ended("stop")).stopReason, "stop");
  assert.match((await ended({ unified: "content-filter" })).errorMessage ?? "", /content-filter/);
  assert.match((await ended(undefined)).errorMessage ?? "", /other/);
  const usage = {
    inputTokens: { total: 10, cacheRead: 4, cacheWrite: 1 },
    outputTokens: { total: 5, reasoning: 2 },
  };
  const { message } = await run([{ ...FINISH, usage }]);
  const { input, cacheRead, cacheWrite, output, reasoning } = message.usage ?? {};
  assert.deepEqual([input, cacheRead, cacheWrite, output, reasoning], [5, 4, 1, 5, 2]);
  const bare = (await run([{ ...FINISH, usage: undefined }])).message;
  assert.equal(bare.usage?.totalTokens, 0);
});

test("failures are messages without keys, with the time to wait; what was counted stands", async () => {
  const error = Object.assign(new RangeError("slow down, plain-SECRET"), {
    statusCode: 429,
    responseHeaders: { "retry-after": "2", odd: 5 },
  });
  const options = { secrets: ["plain-SECRET"] };
  const { message } = await run(error, { options });
  assert.match(message.errorMessage ?? "", /^429 slow down, \[redacted\] \(retry after 2 s\)$/);
  assert.equal(retryAfterMs(message), 2000);
  const usage = { inputTokens: { noCache: 3 } };
  const late = (
    await run([
      { ...FINISH, usage },
      { type: "error", error: "late" },
    ])
  ).message;
  assert.deepEqual([late.errorMessage, late.usage?.input], ["late", 3]);
  const cut = (await run([{ type: "text-delta", id: "t", delta: "a" }])).message;
  assert.deepEqual([cut.stopReason, cut.content.length], ["error", 1]);
  const odd = Object.assign(new RangeError("x"), { responseHeaders: { "retry-after": 5 } });
  assert.equal((await run(odd)).message.errorMessage, "x");
});

test("an abort is an abort, also where the provider ends quietly", async () => {
  const stream = { signal: AbortSignal.abort() };
  for (const parts of [new RangeError("x"), [FINISH]]) {
    const { message } = await run(parts, { stream });
    assert.deepEqual(
      [message.stopReason, message.errorMessage],
      ["aborted", "Request was aborted"],
    );
  }
});

test("the prompt: results together, images, signatures only to the model that made them", async () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const own = { role: "assistant", provider: "p", model: "m", api: "ai-sdk" };
  const signed = '{"x":{"s":1}}';
  const content = [
    { type: "thinking", thinking: "hm", thinkingSignature: signed },
    { type: "text", text: "a", textSignature: "no json" },
    { type: "toolCall", id: "c", name: "read", arguments: {}, thoughtSignature: signed },
    { type: "toolCall", id: "d", name: "read", arguments: {} },
  ];
  const result = { role: "toolResult", toolName: "read", isError: false };
  const messages: readonly Message[] = [
    { role: "system", content: "rules" },
    { role: "user", content: [{ type: "text", text: "hi" }, image] },
    { ...own, content },
    { ...result, toolCallId: "c", content: "one", isError: true },
    { ...result, toolCallId: "d", content: [image] },
    { ...own, api: "other", content: [content[0]] },
    { ...own, api: "other", content: content.slice(0, 2) },
  ];
  const options = { maxOutput: 7, providerOptions: { p: { cache: true } } };
  const stream = { thinkingLevel: "low" };
  const { call } = await run([FINISH], { messages, options, stream, tools: [TOOL] });
  const providerOptions = { x: { s: 1 } };
  const file = { type: "file", data: { type: "data", data: "AAAA" }, mediaType: "image/png" };
  const toolCall = { type: "tool-call", toolName: "read", input: {} };
  const toolResult = { type: "tool-result", toolName: "read" };
  assert.deepEqual(call, {
    prompt: [
      { role: "system", content: "rules" },
      { role: "user", content: [{ type: "text", text: "hi" }, file] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions },
          { type: "text", text: "a" },
          { ...toolCall, toolCallId: "c", providerOptions },
          { ...toolCall, toolCallId: "d" },
        ],
      },
      {
        role: "tool",
        content: [
          { ...toolResult, toolCallId: "c", output: { type: "error-text", value: "one" } },
          { ...toolResult, toolCallId: "d", output: { type: "content", value: [file] } },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "a" }] },
    ],
    tools: [{ type: "function", name: "read", description: "Reads.", inputSchema: {} }],
    maxOutputTokens: 7,
    reasoning: "low",
    providerOptions: { p: { cache: true } },
  });
});

test("it names one model; models of another specification are refused", async () => {
  const models = fromLanguageModel(new FakeModel([]), { provider: "q", name: "n" });
  const [info] = await models.list();
  assert.deepEqual([info?.provider, info?.modelId, info?.name], ["q", "m", "n"]);
  assert.equal(await models.find({ provider: "q", modelId: "m" }), info);
  assert.equal(await models.find({ provider: "p", modelId: "m" }), null);
  const old = { ...new FakeModel([]), specificationVersion: "v2", provider: "p", modelId: "m" };
  assert.throws(
    () => fromLanguageModel({ ...old, doStream: () => Promise.reject(new RangeError("x")) }),
    (error) => BranchlineError.is(error, "NOT_SUPPORTED"),
  );
});
