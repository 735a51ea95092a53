/** What the tests of the adapters share: asking a model and the context that they ask with. */
import assert from "node:assert/strict";
import type { AssistantMessage, Message } from "../src/entry/message.ts";
import type {
  ModelContext,
  ModelEvent,
  ModelInfo,
  ModelProvider,
  StreamOptions,
  ToolSpec,
} from "../src/model/model.ts";
import type { StubAnswer } from "../test/stub-server/stub-reply.ts";

export const KEY = "sk-stub-SECRET-0123456789abcdef";

export const READ: ToolSpec = {
  name: "read",
  description: "Reads a file.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  },
};

export const CONTEXT: ModelContext = {
  messages: [
    { role: "system", content: "Be brief.", timestamp: 1 },
    { role: "user", content: "读取 a.txt", timestamp: 2 },
  ],
  tools: [READ],
};

/** An answer with everything in it. */
export const FULL: StubAnswer = {
  thinking: "I look first.",
  text: "Reading 文件 now.",
  calls: [
    { id: "call_1", name: "read", arguments: { path: "a.txt" } },
    { id: "call_2", name: "read", arguments: { path: "b.txt" } },
  ],
  usage: { input: 100_000, output: 10_000, cacheRead: 500_000, cacheWrite: 0, reasoning: 0 },
};

export interface Asked {
  readonly events: readonly ModelEvent[];
  readonly message: AssistantMessage;
}

export interface Question {
  readonly models: ModelProvider;
  readonly model: ModelInfo;
  readonly context?: ModelContext;
  readonly options?: StreamOptions;
  /** Called with each event. */
  readonly onEvent?: (event: ModelEvent) => void;
}

export async function ask({ models, model, context, options, onEvent }: Question): Promise<Asked> {
  const events: ModelEvent[] = [];
  for await (const event of models.stream(model, context ?? CONTEXT, options)) {
    events.push(event);
    onEvent?.(event);
  }
  const last = events.at(-1);
  assert.equal(events.filter(({ type }) => type === "start").length, 1);
  return { events, message: last?.type === "done" ? last.message : assert.fail("no end") };
}

/** Context after the answer, with a result for each of its calls. */
export function answered(message: AssistantMessage): ModelContext {
  const results = message.content.flatMap((block): readonly Message[] =>
    block.type === "toolCall" && "id" in block
      ? [
          {
            role: "toolResult",
            toolCallId: String(block.id),
            toolName: "read",
            content: [{ type: "text", text: `result of ${block.id}` }],
            isError: false,
            timestamp: 3,
          },
        ]
      : [],
  );
  return { ...CONTEXT, messages: [...CONTEXT.messages, message, ...results] };
}

/** Deltas of a type, joined. */
export function joined(events: readonly ModelEvent[], type: ModelEvent["type"]): string {
  return events
    .flatMap((event) => (event.type === type && "delta" in event ? [event.delta] : []))
    .join("");
}

/** Pi's shape, member by member. */
export function assertPiShape(message: AssistantMessage): void {
  assert.equal(message.role, "assistant");
  for (const member of ["api", "provider", "model", "stopReason"] as const) {
    assert.equal(typeof message[member], "string", member);
  }
  assert.equal(typeof message.timestamp, "number");
  const { usage } = message;
  for (const member of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const) {
    assert.equal(typeof usage?.[member], "number", member);
  }
  for (const member of ["input", "output", "cacheRead", "cacheWrite", "total"] as const) {
    assert.equal(typeof usage?.cost?.[member], "number", `cost.${member}`);
  }
  for (const block of message.content) assert.match(block.type, /^(text|thinking|toolCall)$/);
}
