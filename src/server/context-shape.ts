import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";
import type { ContextView } from "../protocol/tree.ts";
import { contentWords } from "../session/entry-preview.ts";

/** Providers whose request bodies can be shown. */
export type ContextShape = "pi" | "openai" | "anthropic";

type Members = Readonly<Record<string, unknown>>;

/** The context as the body of a request, to be looked at: tools and images are named, not sent. */
export function shapeContext(
  shape: ContextShape,
  { model }: ContextView,
  messages: readonly Message[],
): unknown {
  const name = model?.modelId ?? null;
  if (shape === "pi") return { model, messages };
  const lines: readonly Members[] = messages.map((message) => ({ ...message }));
  if (shape === "openai") return { model: name, messages: lines.flatMap(openAiMessage) };
  const system = lines
    .filter(({ role }) => role === "system")
    .map(textOf)
    .join("\n\n");
  return {
    model: name,
    ...(system === "" ? {} : { system }),
    messages: lines.filter(({ role }) => role !== "system").map(anthropicMessage),
  };
}

function textOf(message: Members): string {
  if (typeof message.summary === "string") return message.summary;
  if (message.role === "bashExecution") return `$ ${message.command}\n${message.output}`;
  return contentWords(message.content);
}

function blocksOf(message: Members, type: string): readonly Members[] {
  const content: unknown = message.content;
  if (!Array.isArray(content)) return [];
  return content.filter((block) => isObject(block) && block.type === type);
}

function spoken(message: Members): string {
  const content: unknown = message.content;
  if (typeof content === "string") return content;
  return blocksOf(message, "text")
    .map(({ text }) => String(text))
    .join("");
}

function openAiMessage(message: Members): readonly Members[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: textOf(message) }];
    case "assistant": {
      const calls = blocksOf(message, "toolCall").map(({ id, name, arguments: args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      }));
      const content = spoken(message);
      return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
    }
    case "toolResult":
      return [{ role: "tool", tool_call_id: message.toolCallId, content: textOf(message) }];
    default:
      return [{ role: "user", content: textOf(message) }];
  }
}

function anthropicMessage(message: Members): Members {
  if (message.role === "assistant") {
    const text = spoken(message);
    const calls = blocksOf(message, "toolCall").map(({ id, name, arguments: input }) => ({
      ...{ type: "tool_use", id, name, input },
    }));
    return {
      role: "assistant",
      content: [...(text === "" ? [] : [{ type: "text", text }]), ...calls],
    };
  }
  if (message.role === "toolResult") {
    const { toolCallId: tool_use_id, isError } = message;
    const result = { type: "tool_result", tool_use_id, content: textOf(message) };
    return { role: "user", content: [isError === true ? { ...result, is_error: true } : result] };
  }
  return { role: "user", content: [{ type: "text", text: textOf(message) }] };
}
