import assert from "node:assert/strict";
import { test } from "node:test";
import { REFUSALS } from "../../../test/stub-server/stub-reply.ts";
import { StubServer } from "../../../test/stub-server/stub-server.ts";
import type { AssistantMessage, Message } from "../../entry/message.ts";
import { BranchlineError } from "../../errors.ts";
import { failureKind, retryAfterMs } from "../../model/failure.ts";
import type { ModelContext, ModelEvent, ModelProvider, StreamOptions } from "../../model/model.ts";
import { createOpenAiCompatible, type OpenAiCompatibleOptions } from "./openai-compatible.ts";

const KEY = "sk-test-SECRET-0123456789abcdef";
const PRICES = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 };
const READ = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};
const HELLO: ModelContext = { messages: [{ role: "user", content: "hello" }], tools: [] };

interface Asked {
  readonly events: readonly ModelEvent[];
  readonly message: AssistantMessage;
}

async function ask(
  models: ModelProvider,
  context: ModelContext = HELLO,
  options?: StreamOptions,
): Promise<Asked> {
  const [model] = await models.list();
  assert.ok(model);
  const events: ModelEvent[] = [];
  for await (const event of models.stream(model, context, options)) events.push(event);
  const last = events.at(-1);
  return { events, message: last?.type === "done" ? last.message : assert.fail("no end") };
}

const connect = (stub: StubServer, options: Partial<OpenAiCompatibleOptions> = {}): ModelProvider =>
  createOpenAiCompatible({
    baseUrl: `${stub.url}/v1/`,
    apiKey: KEY,
    model: "stub-1",
    prices: PRICES,
    contextWindow: 1000,
    now: () => 7,
    ...options,
  });

const kind = async (models: ModelProvider, message: AssistantMessage): Promise<string> =>
  failureKind(message, (await models.list())[0] ?? assert.fail());

test("streams thinking, text and calls; usage with the cache and its cost; the request as sent", async () => {
  await using stub = await StubServer.start({
    thinking: "想一想",
    text: "Reading 文件 now.",
    calls: [
      { id: "c1", name: "read", arguments: { path: "a.txt" } },
      { id: "c2", name: "read", arguments: { path: "b.txt" } },
    ],
    usage: {
      input: 100_000,
      output: 10_000,
      cacheRead: 500_000,
      cacheWrite: 125_000,
      reasoning: 9000,
    },
  });
  const models = connect(stub, { maxOutput: 500 });
  const { events, message } = await ask(
    models,
    { messages: [{ role: "system", content: "Be brief." }, ...HELLO.messages], tools: [READ] },
    { thinkingLevel: "high" },
  );
  assert.deepEqual(message, {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "想一想", thinkingSignature: "reasoning_content" },
      { type: "text", text: "Reading 文件 now." },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.txt" } },
      { type: "toolCall", id: "c2", name: "read", arguments: { path: "b.txt" } },
    ],
    api: "openai-completions",
    provider: "openai-compatible",
    model: "stub-1",
    usage: {
      input: 100_000,
      output: 10_000,
      cacheRead: 500_000,
      cacheWrite: 125_000,
      reasoning: 9000,
      totalTokens: 735_000,
      cost: { input: 0.1, output: 0.1, cacheRead: 0.05, cacheWrite: 0.25, total: 0.5 },
    },
    stopReason: "toolUse",
    timestamp: 7,
  });
  const deltas = events.filter((event) => "delta" in event);
  const joined = (type: string): string =>
    deltas.flatMap((event) => (event.type === type ? [event.delta] : [])).join("");
  assert.deepEqual(events[0]?.type, "start");
  assert.equal(joined("thinking_delta"), "想一想");
  assert.equal(joined("text_delta"), "Reading 文件 now.");
  assert.equal(joined("toolcall_delta"), '{"path":"a.txt"}{"path":"b.txt"}');
  assert.deepEqual([...new Set(deltas.map(({ index }) => index))], [0, 1, 2, 3]);
  const [request] = stub.requests;
  assert.equal(request?.path, "/v1/chat/completions");
  assert.equal(request.headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual(request.body, {
    model: "stub-1",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello" },
    ],
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: "function", function: READ }],
    max_tokens: 500,
    reasoning_effort: "high",
  });
});

test("calls, results and thoughts go back as they came; the same context gives the same bytes (P8)", async () => {
  await using stub = await StubServer.start(
    { thinking: "hm", calls: [{ id: "c1", name: "read", arguments: {} }] },
    { text: "done" },
    { text: "done" },
  );
  const models = connect(stub);
  const { message } = await ask(models);
  const messages: readonly Message[] = [
    ...HELLO.messages,
    message,
    { role: "toolResult", toolCallId: "c1", toolName: "read", content: "", isError: false },
  ];
  await ask(models, { messages, tools: [] });
  await ask(models, { messages: structuredClone(messages), tools: [] });
  assert.equal(JSON.stringify(stub.requests[1]?.body), JSON.stringify(stub.requests[2]?.body));
  assert.deepEqual(stub.requests[1]?.body.messages, [
    { role: "user", content: "hello" },
    {
      role: "assistant",
      content: null,
      reasoning_content: "hm",
      tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "(no output)" },
  ]);
});

test("429 with retry-after, 500, then success: each attempt is one request", async () => {
  await using stub = await StubServer.start(
    REFUSALS.rateLimit,
    { ...REFUSALS.rateLimit, headers: { "retry-after-ms": "1500" } },
    { ...REFUSALS.rateLimit, headers: { "retry-after": new Date(61_000).toUTCString() } },
    { ...REFUSALS.rateLimit, headers: { "retry-after": "soon" } },
    REFUSALS.serverError,
    { text: "ok" },
  );
  const models = connect(stub, { now: () => 1000 });
  const waits: unknown[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const { events, message } = await ask(models);
    assert.equal(await kind(models, message), "transient");
    assert.deepEqual([events.length, message.stopReason, message.content], [2, "error", []]);
    waits.push(retryAfterMs(message));
  }
  assert.deepEqual(waits, [2000, 1500, 60_000, null, null]);
  const { message } = await ask(models);
  assert.equal(message.stopReason, "stop");
  assert.equal(stub.requests.length, 6);
});

test("a request that does not fit is an overflow; a refused key is fatal and in no text", async () => {
  await using stub = await StubServer.start(REFUSALS.contextLength, {
    ...REFUSALS.badKey,
    body: { error: { message: `Incorrect API key provided: ${KEY}.`, code: "invalid_api_key" } },
  });
  const models = connect(stub);
  const overflow = (await ask(models)).message;
  assert.equal(await kind(models, overflow), "overflow");
  assert.match(overflow.errorMessage ?? "", /^400 context_length_exceeded/);
  const refused = (await ask(models)).message;
  assert.equal(await kind(models, refused), "fatal");
  assert.doesNotMatch(JSON.stringify(refused), /SECRET/);
  assert.match(refused.errorMessage ?? "", /^401 invalid_api_key: Incorrect API key provided/);
});

test("a stream that is cut, or fails in the middle, keeps what came and may be tried again", async () => {
  await using stub = await StubServer.start(
    { text: "one two three", cutAfter: 3 },
    { text: "four", error: { type: "overloaded_error", message: "Overloaded" } },
  );
  const models = connect(stub);
  const cut = (await ask(models)).message;
  assert.deepEqual(cut.content, [{ type: "text", text: "one two " }]);
  assert.equal(await kind(models, cut), "transient");
  const failed = (await ask(models)).message;
  assert.deepEqual(failed.content, [{ type: "text", text: "four" }]);
  assert.equal(failed.errorMessage, "overloaded_error: Overloaded");
  assert.equal(await kind(models, failed), "transient");
});

test("an abort in the middle ends the connection and keeps what came", async () => {
  const gate = Promise.withResolvers<void>();
  await using stub = await StubServer.start({
    text: "slow answer",
    gate: (event) => (event < 2 ? undefined : gate.promise),
  });
  const models = connect(stub);
  const controller = new AbortController();
  const [model] = await models.list();
  const events: ModelEvent[] = [];
  for await (const event of models.stream(model!, HELLO, { signal: controller.signal })) {
    events.push(event);
    if (event.type === "text_delta") controller.abort();
  }
  const last = events.at(-1);
  assert.equal(last?.type, "done");
  assert.deepEqual(last.message.content, [{ type: "text", text: "slow" }]);
  assert.equal(last.message.stopReason, "aborted");
  assert.equal(await stub.left[0], true);
  gate.resolve();
});

test("an abort before the answer begins; a reader that stops ends the connection", async () => {
  const gate = Promise.withResolvers<void>();
  await using stub = await StubServer.start({
    text: "a",
    gate: (n) => (n > 1 ? gate.promise : undefined),
  });
  const models = connect(stub);
  const { message } = await ask(models, HELLO, { signal: AbortSignal.abort() });
  assert.deepEqual([message.stopReason, message.content], ["aborted", []]);
  const [model] = await models.list();
  for await (const event of models.stream(model!, HELLO)) if (event.type === "text_delta") break;
  assert.equal(await stub.left.at(-1), true);
  gate.resolve();
});

test("nothing for too long is a failure that may be tried again", async () => {
  const gate = Promise.withResolvers<void>();
  await using stub = await StubServer.start({ text: "a", gate: () => gate.promise });
  const models = connect(stub, { idleTimeoutMs: 20 });
  const { message } = await ask(models);
  assert.match(message.errorMessage ?? "", /timed out/);
  assert.equal(await kind(models, message), "transient");
  gate.resolve();
});

test("unreadable arguments are a call with argumentsError; a full answer ends for its length", async () => {
  await using stub = await StubServer.start(
    { calls: [{ id: "c1", name: "read", arguments: '{"path": "a' }], stop: "length" },
    { text: "x", stop: "length", usage: { input: 5, output: 500 } },
  );
  const models = connect(stub, { maxOutput: 500 });
  const { message } = await ask(models);
  const [call] = message.content;
  assert.equal(message.stopReason, "length");
  assert.deepEqual(call && "arguments" in call && call.arguments, {});
  assert.match(String(call && "argumentsError" in call && call.argumentsError), /"path": "a/);
  assert.equal(await kind(models, (await ask(models)).message), "none");
});

test("a server that is not there, a page in the place of an answer, a redirect", async () => {
  await using stub = await StubServer.start(
    { status: 502, body: "<html><h1>Bad Gateway</h1></html>" },
    { status: 307, headers: { location: "/v1/elsewhere" }, body: "" },
    { status: 418, body: {} },
  );
  const models = connect(stub);
  const page = (await ask(models)).message;
  assert.equal(page.errorMessage, "502 Bad Gateway");
  assert.equal((await ask(models)).message.stopReason, "error");
  assert.equal(stub.requests.length, 2);
  assert.equal((await ask(models)).message.errorMessage, "418 {}");
  const nobody = createOpenAiCompatible({ baseUrl: "http://127.0.0.1:1", model: "m" });
  const { message } = await ask(nobody);
  assert.match(message.errorMessage ?? "", /^fetch failed/);
  assert.equal(await kind(nobody, message), "transient");
});

test("the key in the other header, no key, further headers, a model of another name", async () => {
  await using stub = await StubServer.start({ text: "a" }, { text: "b" });
  const named = connect(stub, { authHeader: "api-key", provider: "mine", headers: { "x-a": "b" } });
  await ask(named);
  await ask(createOpenAiCompatible({ baseUrl: `${stub.url}/v1`, model: "m", apiKey: KEY }));
  const [first, second] = stub.requests;
  assert.deepEqual(
    [first?.headers["api-key"], first?.headers.authorization, first?.headers["x-a"]],
    [KEY, undefined, "b"],
  );
  assert.equal(second?.headers.authorization, `Bearer ${KEY}`);
  assert.equal((await named.find({ provider: "mine", modelId: "stub-1" }))?.name, "stub-1");
  assert.equal(await named.find({ provider: "mine", modelId: "x" }), null);
  assert.doesNotMatch(JSON.stringify(await named.list()), /SECRET/);
});

test("a base URL that is none is refused", () => {
  for (const baseUrl of ["", "localhost", "ftp://a/v1", "file:///v1"]) {
    assert.throws(
      () => createOpenAiCompatible({ baseUrl, model: "m" }),
      (error) => BranchlineError.is(error, "USAGE"),
    );
  }
});
