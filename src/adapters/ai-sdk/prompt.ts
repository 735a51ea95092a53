import type { ImageBlock, TextBlock } from "../../entry/message.ts";
import type { ModelContext, ModelInfo, ToolSpec } from "../../model/model.ts";
import {
  messagesForModel,
  type WireAssistantMessage,
  type WireMessage,
  type WireToolResult,
} from "../../model/wire-messages.ts";
import type { PromptMessage, ProviderMetadata } from "./ai-sdk-types.ts";

/** A part of a message, or a tool, as the SDK has it. */
type PromptPart = Readonly<Record<string, unknown>>;

/** A message of the prompt that is being made. */
interface GrowingMessage extends PromptMessage {
  readonly content: string | PromptPart[];
}

/** The wire format that our messages name. */
export const AI_SDK_API = "ai-sdk";

/** What a provider added to a part, as a signature of Pi's blocks can hold it. */
export function signatureOf(metadata: ProviderMetadata): string {
  return JSON.stringify(metadata);
}

function metadataIn(signature: string | undefined): object {
  if (signature === undefined) return {};
  try {
    return { providerOptions: JSON.parse(signature) };
  } catch {
    // A signature that somebody else wrote under our name: the part goes without it.
    return {};
  }
}

const isText = (block: { readonly type: string }): block is TextBlock => block.type === "text";

function shownPart(block: TextBlock | ImageBlock): PromptPart {
  if (block.type === "text") return { type: "text", text: block.text };
  const data = { type: "data", data: block.data };
  return { type: "file", data, mediaType: block.mimeType };
}

/** Thoughts and signatures go back only to the model that made them, through the same adapter. */
function answerParts(message: WireAssistantMessage, model: ModelInfo): PromptPart[] {
  const { provider, model: modelId, api } = message;
  const isOwn = provider === model.provider && modelId === model.modelId && api === AI_SDK_API;
  const own = (signature: string | undefined): object => (isOwn ? metadataIn(signature) : {});
  const parts: PromptPart[] = [];
  for (const block of message.content) {
    if (block.type === "text") {
      parts.push({ type: "text", text: block.text, ...own(block.textSignature) });
    } else if (block.type === "toolCall") {
      const { id: toolCallId, name: toolName, arguments: input } = block;
      const call = { type: "tool-call", toolCallId, toolName, input };
      parts.push({ ...call, ...own(block.thoughtSignature) });
    } else if (isOwn) {
      const thought = { type: "reasoning", text: block.thinking };
      parts.push({ ...thought, ...own(block.thinkingSignature) });
    }
  }
  return parts;
}

function resultPart(message: WireToolResult): PromptPart {
  const { toolCallId, toolName, content, isError } = message;
  const output = content.every(isText)
    ? {
        type: isError ? "error-text" : "text",
        value: content.map(({ text }) => text).join("\n"),
      }
    : { type: "content", value: content.map(shownPart) };
  return { type: "tool-result", toolCallId, toolName, output };
}

function promptMessage(message: WireMessage, model: ModelInfo): GrowingMessage {
  if (message.role === "system") return { role: "system", content: message.content };
  if (message.role === "user") return { role: "user", content: message.content.map(shownPart) };
  if (message.role === "toolResult") return { role: "tool", content: [resultPart(message)] };
  return { role: "assistant", content: answerParts(message, model) };
}

/** The prompt of a call. The results of one answer are one message. */
export function promptOf(context: ModelContext, model: ModelInfo): readonly PromptMessage[] {
  const prompt: GrowingMessage[] = [];
  const wire = messagesForModel(context.messages, { takesImages: model.takesImages });
  for (const one of wire) {
    const message = promptMessage(one, model);
    const last = prompt.at(-1)?.content;
    const joins = one.role === "toolResult" && prompt.at(-1)?.role === "tool";
    if (joins && Array.isArray(last)) last.push(resultPart(one));
    else if (message.content.length > 0) prompt.push(message);
  }
  return prompt;
}

/** A tool as the SDK is told of it. */
export function toolPart({ name, description, parameters }: ToolSpec): PromptPart {
  return { type: "function", name, description, inputSchema: parameters };
}
