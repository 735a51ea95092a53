/** The adapter against a double of Pi's `Models`; against the real one in interop-tests/. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../entry/message.ts";
import { BranchlineError } from "../../errors.ts";
import type { ModelEvent, StreamOptions, ToolSpec } from "../../model/model.ts";
import { fromPiModels, loadPiAi, type PiAiOptions } from "./pi-ai.ts";
import type { PiContext, PiEvent, PiModel, PiModels, PiStreamOptions } from "./pi-ai-types.ts";

const MODEL: PiModel = {
  id: "m",
  name: "M",
  api: "bedrock-converse-stream",
  provider: "p",
  baseUrl: "https://p.example",
  input: ["text", "image"],
  contextWindow: 1000,
  maxTokens: 100,
  cost: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
};

interface Sent {
  readonly model: PiModel;
  readonly context: PiContext;
  readonly options: PiStreamOptions | undefined;
}

/** Pi's collection with one model, whose streams give these events. */
class FakeModels implements PiModels {
  readonly sent: Sent[] = [];
  readonly #events: readonly PiEvent[] | Error;

  constructor(events: readonly PiEvent[] | Error) {
    this.#events = events;
  }

  getModels(): readonly PiModel[] {
    return [MODEL];
  }

  getModel(provider: string, id: string): PiModel | undefined {
    return provider === "p" && id === "m" ? MODEL : undefined;
  }

  async *streamSimple(
    model: PiModel,
    context: PiContext,
    options?: PiStreamOptions,
  ): AsyncGenerator<PiEvent> {
    this.sent.push({ model, context, options });
    if (this.#events instanceof Error) throw this.#events;
    yield* this.#events;
  }
}

const answer = (members: object = {}): object => ({
  role: "assistant",
  content: [],
  api: "x",
  provider: "p",
  model: "m",
  stopReason: "stop",
  timestamp: 1,
  ...members,
});

interface Asked {
  readonly messages?: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly options?: StreamOptions;
}

interface Run {
  readonly fake: FakeModels;
  readonly events: readonly ModelEvent[];
}

async function run(
  events: readonly PiEvent[] | Error,
  asked: Asked = {},
  options?: PiAiOptions,
): Promise<Run> {
  const fake = new FakeModels(events);
  const models = fromPiModels(fake, options);
  const [model] = await models.list();
  const got: ModelEvent[] = [];
  const context = { messages: asked.messages ?? [], tools: asked.tools ?? [] };
  for await (const event of models.stream(model!, context, asked.options)) got.push(event);
  return { fake, events: got };
}

test("Pi's live answer becomes values; starts and ends of blocks are passed over", async () => {
  const live = { ...answer({ stopReason: "pending" }), content: [{ type: "text", text: "a" }] };
  const { events } = await run([
    { type: "start", partial: live },
    { type: "text_start", contentIndex: 0, partial: live },
    { type: "text_delta", contentIndex: 0, delta: "a", partial: live },
    { type: "odd" },
    { type: "done", message: answer({ diagnostics: [{ stack: "at /home/x" }] }) },
  ]);
  live.content[0]!.text = "changed";
  assert.deepEqual(events[1], {
    type: "text_delta",
    index: 0,
    delta: "a",
    partial: {
      ...{ role: "assistant", api: "x", provider: "p", model: "m", timestamp: 1 },
      content: [{ type: "text", text: "a" }],
    },
  });
  assert.deepEqual(
    events.map(({ type }) => type),
    ["start", "text_delta", "done"],
  );
  assert.deepEqual(events[2], { type: "done", message: answer() });
});

test("an error before the start, a throw, an end that is missing: always start and one end, no key", async () => {
  const key = "plain-SECRET";
  const options = { apiKeys: { p: key }, now: () => 9 };
  const failed = answer({ stopReason: "error", errorMessage: `bad key ${key}` });
  for (const events of [
    [{ type: "error", error: failed }],
    new RangeError(`bad key ${key}`),
    [{ type: "done" }],
    [],
    [{ type: "start", partial: answer() }],
  ]) {
    const { events: got } = await run(events, {}, options);
    assert.deepEqual(
      got.map(({ type }) => type),
      ["start", "done"],
    );
    const [, last] = got;
    assert.ok(last?.type === "done" && last.message.stopReason === "error");
    assert.ok(last.message.errorMessage);
    assert.doesNotMatch(JSON.stringify(got), /SECRET/);
  }
});

test("a throw after an abort is an abort", async () => {
  const { events } = await run(new RangeError("x"), { options: { signal: AbortSignal.abort() } });
  const last = events.at(-1);
  assert.equal(last?.type === "done" && last.message.stopReason, "aborted");
});

test("the prompt, later instructions, options; Pi does not try again by itself", async () => {
  const messages: readonly Message[] = [
    { role: "system", content: "rules" },
    { role: "user", content: "hi" },
    { role: "system", content: "more" },
  ];
  const { signal } = new AbortController();
  const asked = { signal, thinkingLevel: "high", maxTokens: 5, sessionId: "s" };
  const done: readonly PiEvent[] = [{ type: "done", message: answer() }];
  const base = { baseUrls: { p: "http://stub" }, apiKeys: { p: "k" } };
  const tools = [{ name: "read", description: "Reads.", parameters: {} }];
  const { fake } = await run(done, { messages, tools, options: asked }, base);
  const [sent] = fake.sent;
  assert.deepEqual(sent?.context.tools, tools);
  assert.equal(sent?.context.systemPrompt, "rules");
  assert.deepEqual(
    sent.context.messages.map((message) => (message as { readonly role: string }).role),
    ["user", "system"],
  );
  assert.equal(sent.model.baseUrl, "http://stub");
  assert.deepEqual(sent.options, {
    signal,
    apiKey: "k",
    reasoning: "high",
    maxTokens: 5,
    sessionId: "s",
    maxRetries: 0,
  });
  const plain = await run(done);
  assert.deepEqual(plain.fake.sent[0]?.options, { maxRetries: 0 });
  assert.equal(plain.fake.sent[0]?.model.baseUrl, MODEL.baseUrl);
});

test("the catalogue; a model that Pi does not know", async () => {
  const fake = new FakeModels([]);
  const models = fromPiModels(fake);
  const [model] = await models.list();
  assert.deepEqual(model, {
    provider: "p",
    modelId: "m",
    name: "M",
    contextWindow: 1000,
    maxOutput: 100,
    prices: MODEL.cost,
    takesImages: true,
    isOffline: false,
  });
  assert.deepEqual(await models.find({ provider: "p", modelId: "m" }), model);
  assert.equal(await models.find({ provider: "p", modelId: "n" }), null);
  let last: ModelEvent | undefined;
  const unknown = { ...model!, modelId: "n" };
  for await (const event of models.stream(unknown, { messages: [], tools: [] })) last = event;
  assert.match((last?.type === "done" && last.message.errorMessage) || "", /knows no model/);
  assert.deepEqual(fake.sent, []);
});

test("the package is loaded on demand; where it is missing that is said", async () => {
  const asked: string[] = [];
  const models = await loadPiAi({
    import: async (name) => {
      asked.push(name);
      return { builtinModels: () => new FakeModels([]) };
    },
  });
  assert.equal((await models.list()).length, 1);
  assert.deepEqual(asked, ["@earendil-works/pi-ai/providers/all"]);
  const isMissing = (error: unknown): boolean => BranchlineError.is(error, "NOT_SUPPORTED");
  await assert.rejects(loadPiAi(), isMissing);
  await assert.rejects(loadPiAi({ import: async () => ({}) }), isMissing);
});
