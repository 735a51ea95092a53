/** A whole run over the real SDKs: a refusal, the second attempt, a tool, the answer, all in the log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { fromLanguageModel } from "../src/adapters/ai-sdk/ai-sdk.ts";
import { createOpenAiCompatible } from "../src/adapters/openai-compatible/openai-compatible.ts";
import { loadPiAi } from "../src/adapters/pi-ai/pi-ai.ts";
import type { HarnessEvent } from "../src/harness/events.ts";
import { createHarness } from "../src/harness/harness.ts";
import type { Tool } from "../src/harness/tool.ts";
import type { ModelProvider } from "../src/model/model.ts";
import { Session } from "../src/session/session.ts";
import { createMemoryStore } from "../src/store/memory/memory-store.ts";
import type { ModelRef } from "../src/tree/fold.ts";
import { REFUSALS } from "../test/stub-server/stub-reply.ts";
import { StubServer } from "../test/stub-server/stub-server.ts";
import { KEY, READ } from "./model-stub.ts";

const READ_TOOL: Tool = {
  ...READ,
  async execute({ path }) {
    return { content: [{ type: "text", text: `contents of ${path}` }] };
  },
};

interface Provider {
  readonly name: string;
  connect(url: string): ModelProvider | Promise<ModelProvider>;
  readonly model: ModelRef;
}

const PROVIDERS: readonly Provider[] = [
  {
    name: "pi-ai, Anthropic",
    connect: (url) =>
      loadPiAi({
        import: (name) => import(name),
        apiKeys: { anthropic: KEY },
        baseUrls: { anthropic: url },
      }),
    model: { provider: "anthropic", modelId: "claude-sonnet-4-5" },
  },
  {
    name: "AI SDK, OpenAI-compatible",
    connect: (url) =>
      fromLanguageModel(
        createOpenAICompatible({ name: "stub", baseURL: `${url}/v1`, apiKey: KEY })("stub-1"),
        { provider: "stub" },
      ),
    model: { provider: "stub", modelId: "stub-1" },
  },
  {
    name: "our own OpenAI-compatible",
    connect: (url) =>
      createOpenAiCompatible({ baseUrl: `${url}/v1`, apiKey: KEY, model: "stub-1" }),
    model: { provider: "openai-compatible", modelId: "stub-1" },
  },
];

for (const { name, connect, model } of PROVIDERS) {
  test(`${name}: a run with a refusal, a tool and an answer`, async () => {
    await using stub = await StubServer.start(
      REFUSALS.rateLimit,
      { calls: [{ id: "call_1", name: "read", arguments: { path: "a.txt" } }] },
      { text: "It says: contents." },
    );
    await using store = createMemoryStore();
    const session = await Session.attach(await store.create({ cwd: "/project" }));
    const waits: number[] = [];
    const harness = await createHarness({
      session,
      models: await connect(stub.url),
      model,
      tools: [READ_TOOL],
      systemPrompt: "Be brief.",
      clock: {
        now: () => Date.now(),
        sleep: async (ms) => {
          waits.push(ms);
        },
      },
    });
    const events: HarnessEvent[] = [];
    harness.subscribe((event) => {
      events.push(event);
    });
    const { outcome } = await harness.prompt("读取 a.txt");
    await harness.close();
    assert.equal(outcome, "done");
    assert.ok(waits.includes(2000), `waits ${waits}`);
    assert.equal(stub.requests.length, 3);
    assert.match(JSON.stringify(stub.requests[2]?.body), /contents of a\.txt/);
    assert.doesNotMatch(JSON.stringify(stub.requests[2]?.body), /Rate limit/);
    const context = await session.context();
    assert.deepEqual(
      context.messages.map(({ role }) => role),
      ["system", "user", "assistant", "toolResult", "assistant"],
    );
    assert.ok(events.some(({ type }) => type === "retry_scheduled"));
    assert.doesNotMatch(JSON.stringify([events, context.messages]), /SECRET/);
  });
}
