/** Pi's providers (the real SDKs of OpenAI and Anthropic in pi-ai 1.6.0) behind our port, against the stub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPiAi } from "../src/adapters/pi-ai/pi-ai.ts";
import { BranchlineError } from "../src/errors.ts";
import { failureKind, retryAfterMs } from "../src/model/failure.ts";
import type { ModelInfo, ModelProvider } from "../src/model/model.ts";
import { REFUSALS } from "../test/stub-server/stub-reply.ts";
import { StubServer } from "../test/stub-server/stub-server.ts";
import { answered, ask, assertPiShape, FULL, joined, KEY } from "./model-stub.ts";

/** One provider for each wire format. */
const FORMATS = [
  { api: "anthropic-messages", provider: "anthropic", path: "/v1/messages", base: "" },
  { api: "openai-responses", provider: "openai", path: "/v1/responses", base: "/v1" },
  { api: "openai-completions", provider: "deepseek", path: "/v1/chat/completions", base: "/v1" },
] as const;

type Format = (typeof FORMATS)[number];

async function connect(
  stub: StubServer,
  format: Format,
): Promise<{ readonly models: ModelProvider; readonly model: ModelInfo }> {
  const models = await loadPiAi({
    import: (name) => import(name),
    apiKeys: { [format.provider]: KEY },
    baseUrls: { [format.provider]: `${stub.url}${format.base}` },
  });
  const listed = (await models.list()).filter(({ provider }) => provider === format.provider);
  const { builtinModels } = await import("@earendil-works/pi-ai/providers/all");
  const catalogue = builtinModels();
  const model = listed.find(({ provider, modelId }) => {
    const known = catalogue.getModel(provider, modelId);
    return known?.api === format.api && known.reasoning;
  });
  return { models, model: model ?? assert.fail(`no model for ${format.api}`) };
}

for (const format of FORMATS) {
  test(`${format.api}: streams thinking, text and calls; usage with the cache and its cost`, async () => {
    await using stub = await StubServer.start(FULL, { text: "done" });
    const { models, model } = await connect(stub, format);
    assert.ok(model.contextWindow && model.maxOutput && model.prices);
    const options = { thinkingLevel: "high", sessionId: "s1" };
    const { events, message } = await ask({ models, model, options });
    assertPiShape(message);
    assert.equal(message.errorMessage, undefined);
    assert.equal(message.api, format.api);
    assert.deepEqual([message.provider, message.model], [model.provider, model.modelId]);
    assert.equal(message.stopReason, "toolUse");
    assert.equal(joined(events, "thinking_delta").trimEnd(), FULL.thinking);
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
    const cost = (100_000 * model.prices.input + 10_000 * model.prices.output) / 1_000_000;
    assert.ok((usage?.cost?.total ?? 0) >= cost, `cost ${usage?.cost?.total} of ${cost}`);
    const [request] = stub.requests;
    assert.equal(request?.path, format.path);
    assert.match(JSON.stringify(request.headers), /SECRET/);
    assert.match(JSON.stringify(request.body), /Be brief\..*读取 a\.txt|读取 a\.txt.*Be brief\./s);
    // The answer and its results are a context that Pi takes.
    const next = await ask({ models, model, context: answered(message) });
    assert.deepEqual([next.message.stopReason, next.message.errorMessage], ["stop", undefined]);
    assert.match(JSON.stringify(stub.requests[1]?.body), /result of call_1.*result of call_2/s);
  });

  test(`${format.api}: 429 then success, each attempt one request; 500; too long; a refused key`, async () => {
    await using stub = await StubServer.start(
      REFUSALS.rateLimit,
      { text: "ok" },
      REFUSALS.serverError,
      REFUSALS.contextLength,
      REFUSALS.badKey,
    );
    const { models, model } = await connect(stub, format);
    const limited = (await ask({ models, model })).message;
    assertPiShape(limited);
    assert.equal(failureKind(limited, model), "transient");
    assert.equal(retryAfterMs(limited), 2000);
    assert.equal(stub.requests.length, 1);
    const ok = (await ask({ models, model })).message;
    assert.deepEqual([ok.stopReason, ok.content.length], ["stop", 1]);
    assert.equal(failureKind((await ask({ models, model })).message, model), "transient");
    assert.equal(failureKind((await ask({ models, model })).message, model), "overflow");
    const refused = (await ask({ models, model })).message;
    assert.equal(failureKind(refused, model), "fatal");
    assert.doesNotMatch(JSON.stringify(refused), /SECRET/);
    assert.equal(stub.requests.length, 5);
  });

  test(`${format.api}: a stream that is cut, one with an error in it, unreadable arguments`, async () => {
    await using stub = await StubServer.start(
      { text: "one two three four", cutAfter: 6 },
      { text: "five", error: { type: "overloaded_error", message: "Overloaded" } },
      { calls: [{ id: "call_1", name: "read", arguments: '{"path": nothing}' }] },
    );
    const { models, model } = await connect(stub, format);
    const cut = (await ask({ models, model })).message;
    assert.equal(cut.stopReason, "error");
    assert.equal(failureKind(cut, model), "transient", `${cut.errorMessage}`);
    const failed = (await ask({ models, model })).message;
    assert.equal(failureKind(failed, model), "transient", `${failed.errorMessage}`);
    const [call] = (await ask({ models, model })).message.content;
    assert.deepEqual(call && "arguments" in call && call.arguments, {});
    assert.match(String(call && "argumentsError" in call && call.argumentsError), /nothing/);
  });

  test(`${format.api}: an abort in the middle ends the connection`, async () => {
    const gate = Promise.withResolvers<void>();
    await using stub = await StubServer.start({
      text: "slow answer of many pieces",
      gate: (event) => (event < 6 ? undefined : gate.promise),
    });
    const { models, model } = await connect(stub, format);
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
    assert.equal(await stub.left[0], true);
    gate.resolve();
  });
}

test("models that are not there, and a package that is not there", async () => {
  await using stub = await StubServer.start();
  const { models, model } = await connect(stub, FORMATS[0]);
  assert.equal(await models.find({ provider: "anthropic", modelId: "none" }), null);
  const unknown = { ...model, modelId: "none" };
  assert.equal((await ask({ models, model: unknown })).message.stopReason, "error");
  assert.equal(stub.requests.length, 0);
  for (const load of [() => Promise.reject(new RangeError("gone")), () => Promise.resolve({})]) {
    await assert.rejects(loadPiAi({ import: load }), (error) =>
      BranchlineError.is(error, "NOT_SUPPORTED"),
    );
  }
});
