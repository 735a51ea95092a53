/** Language models of the AI SDK 7 (the real provider packages) behind our port, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { fromLanguageModel } from "../src/adapters/ai-sdk/ai-sdk.ts";
import type { AiSdkLanguageModel } from "../src/adapters/ai-sdk/ai-sdk-types.ts";
import { BranchlineError } from "../src/errors.ts";
import { failureKind, retryAfterMs } from "../src/model/failure.ts";
import type { ModelInfo, ModelProvider } from "../src/model/model.ts";
import { REFUSALS } from "../test/stub-server/stub-reply.ts";
import { StubServer } from "../test/stub-server/stub-server.ts";
import { answered, ask, assertPiShape, FULL, joined, KEY } from "./model-stub.ts";

const PRICES = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 };

const FORMATS = {
  anthropic: {
    path: "/v1/messages",
    model: (stub: StubServer): AiSdkLanguageModel =>
      createAnthropic({ baseURL: `${stub.url}/v1`, apiKey: KEY })("claude-sonnet-4-5"),
  },
  "openai-compatible": {
    path: "/v1/chat/completions",
    model: (stub: StubServer): AiSdkLanguageModel =>
      createOpenAICompatible({
        name: "stub",
        baseURL: `${stub.url}/v1`,
        apiKey: KEY,
        includeUsage: true,
      })("stub-1"),
  },
} as const;

async function connect(
  model: AiSdkLanguageModel,
): Promise<{ readonly models: ModelProvider; readonly model: ModelInfo }> {
  const models = fromLanguageModel(model, { prices: PRICES, contextWindow: 1000 });
  const [info] = await models.list();
  return { models, model: info ?? assert.fail() };
}

for (const [name, format] of Object.entries(FORMATS)) {
  test(`${name}: streams thinking, text and calls; usage with the cache and its cost`, async () => {
    await using stub = await StubServer.start(FULL, { text: "done" });
    const { models, model } = await connect(format.model(stub));
    const { events, message } = await ask({ models, model, options: { thinkingLevel: "high" } });
    assertPiShape(message);
    assert.deepEqual([message.api, message.stopReason], ["ai-sdk", "toolUse"]);
    assert.equal(joined(events, "thinking_delta"), FULL.thinking);
    assert.equal(joined(events, "text_delta"), FULL.text);
    assert.deepEqual(
      message.content.map(({ type }) => type),
      ["thinking", "text", "toolCall", "toolCall"],
    );
    const calls = message.content.flatMap((block) =>
      "arguments" in block ? [block.arguments] : [],
    );
    assert.deepEqual(calls, [{ path: "a.txt" }, { path: "b.txt" }]);
    const { usage } = message;
    assert.deepEqual([usage?.input, usage?.output, usage?.cacheRead], [100_000, 10_000, 500_000]);
    assert.equal(usage?.cost?.total, 0.25);
    assert.equal(stub.requests[0]?.path, format.path);
    assert.match(JSON.stringify(stub.requests[0]?.body), /Be brief\./);
    const next = await ask({ models, model, context: answered(message) });
    assert.deepEqual([next.message.stopReason, next.message.errorMessage], ["stop", undefined]);
    const body = JSON.stringify(stub.requests[1]?.body);
    assert.match(body, /I look first.*result of call_1.*result of call_2/s);
    if (name === "anthropic") assert.match(body, /"signature":"c2lnbmVk"/);
  });

  test(`${name}: 429 then success, each attempt one request; 500; too long; a refused key`, async () => {
    await using stub = await StubServer.start(
      REFUSALS.rateLimit,
      { text: "ok" },
      REFUSALS.serverError,
      REFUSALS.contextLength,
      REFUSALS.badKey,
    );
    const { models, model } = await connect(format.model(stub));
    const limited = (await ask({ models, model })).message;
    assertPiShape(limited);
    assert.equal(failureKind(limited, model), "transient");
    assert.equal(retryAfterMs(limited), 2000);
    assert.equal(stub.requests.length, 1);
    assert.equal((await ask({ models, model })).message.stopReason, "stop");
    assert.equal(failureKind((await ask({ models, model })).message, model), "transient");
    assert.equal(failureKind((await ask({ models, model })).message, model), "overflow");
    const refused = (await ask({ models, model })).message;
    assert.equal(failureKind(refused, model), "fatal");
    assert.doesNotMatch(JSON.stringify(refused), /SECRET/);
    assert.equal(stub.requests.length, 5);
  });

  test(`${name}: a stream that is cut, one with an error in it, unreadable arguments`, async () => {
    await using stub = await StubServer.start(
      { text: "one two three four", cutAfter: 5 },
      { text: "five", error: { type: "overloaded_error", message: "Overloaded" } },
      { calls: [{ id: "call_1", name: "read", arguments: '{"path": nothing}' }] },
    );
    const { models, model } = await connect(format.model(stub));
    const cut = (await ask({ models, model })).message;
    assert.equal(failureKind(cut, model), "transient", `${cut.errorMessage}`);
    assert.equal(cut.content.length, 1);
    const failed = (await ask({ models, model })).message;
    assert.equal(failureKind(failed, model), "transient", `${failed.errorMessage}`);
    const [call] = (await ask({ models, model })).message.content;
    assert.deepEqual(call && "arguments" in call && call.arguments, {});
    assert.match(String(call && "argumentsError" in call && call.argumentsError), /nothing/);
  });

  test(`${name}: an abort in the middle ends the connection`, async () => {
    const gate = Promise.withResolvers<void>();
    await using stub = await StubServer.start({
      text: "slow answer of many pieces",
      gate: (event) => (event < 6 ? undefined : gate.promise),
    });
    const { models, model } = await connect(format.model(stub));
    const controller = new AbortController();
    const { message } = await ask({
      models,
      model,
      options: { signal: controller.signal },
      onEvent: ({ type }) => {
        if (type === "text_delta") controller.abort();
      },
    });
    assertPiShape(message);
    assert.equal(message.stopReason, "aborted");
    assert.equal(message.content.length, 1);
    assert.equal(await stub.left[0], true);
    gate.resolve();
  });
}

test("the SDK's own mock model; parts and metadata that only it can make", async () => {
  const usage = {
    inputTokens: { total: 10, noCache: undefined, cacheRead: 4, cacheWrite: undefined },
    outputTokens: { total: 5, text: 2, reasoning: 3 },
  };
  const mock = new MockLanguageModelV4({
    provider: "mock",
    modelId: "mock-1",
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "reasoning-start", id: "r", providerMetadata: { x: { redactedData: "abc" } } },
          { type: "reasoning-end", id: "r" },
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "hi" },
          { type: "text-end", id: "t", providerMetadata: { x: { itemId: "1" } } },
          { type: "tool-input-start", id: "web", toolName: "search", providerExecuted: true },
          { type: "tool-input-delta", id: "web", delta: "{}" },
          {
            type: "tool-call",
            toolCallId: "c",
            toolName: "read",
            input: '{"path":"a"}',
            providerMetadata: { x: { thoughtSignature: "s" } },
          },
          { type: "finish", finishReason: { unified: "tool-calls", raw: "x" }, usage },
        ],
      }),
    }),
  });
  const { models, model } = await connect(mock);
  const { message } = await ask({ models, model });
  assert.deepEqual(message.content, [
    { type: "thinking", thinking: "", thinkingSignature: '{"x":{"redactedData":"abc"}}' },
    { type: "text", text: "hi", textSignature: '{"x":{"itemId":"1"}}' },
    {
      type: "toolCall",
      id: "c",
      name: "read",
      arguments: { path: "a" },
      thoughtSignature: '{"x":{"thoughtSignature":"s"}}',
    },
  ]);
  assert.deepEqual([message.usage?.input, message.usage?.reasoning], [6, 3]);
  await ask({ models, model, context: answered(message) });
  const prompt = JSON.stringify(mock.doStreamCalls.at(-1)?.prompt);
  assert.match(prompt, /redactedData.*itemId.*thoughtSignature.*tool-result/);
  assert.throws(
    () =>
      fromLanguageModel({ ...mock, specificationVersion: "v2" } as unknown as AiSdkLanguageModel),
    (error) => BranchlineError.is(error, "NOT_SUPPORTED"),
  );
});
