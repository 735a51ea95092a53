import type { ImageBlock, TextBlock, ThinkingBlock } from "../../entry/message.ts";
import type { ModelContext, ModelInfo, StreamOptions, ToolSpec } from "../../model/model.ts";
import {
  isToolCall,
  messagesForModel,
  type WireAssistantMessage,
  type WireMessage,
} from "../../model/wire-messages.ts";

/** JSON. */
type Json = Readonly<Record<string, unknown>>;

/** Members in which servers send, and want back, what the model thought. */
export const THINKING_MEMBERS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

const isText = (block: { readonly type: string }): block is TextBlock => block.type === "text";
const isImage = (block: { readonly type: string }): block is ImageBlock => block.type === "image";
const isThinking = (block: { readonly type: string }): block is ThinkingBlock =>
  block.type === "thinking";

/** A plain text where there is nothing but text: many servers take no parts. */
function userContent(blocks: readonly (TextBlock | ImageBlock)[]): unknown {
  if (blocks.every(isText)) return blocks.map(({ text }) => text).join("\n");
  return blocks.map((block) =>
    isText(block)
      ? { type: "text", text: block.text }
      : { type: "image_url", image_url: { url: `data:${block.mimeType};base64,${block.data}` } },
  );
}

/**
 * What the same model thought goes back in the member that it came in: with tools some models refuse their
 * own calls without it. Thoughts of other models mean nothing to this one.
 */
function thoughts(message: WireAssistantMessage, model: ModelInfo): Json {
  if (message.provider !== model.provider || message.model !== model.modelId) return {};
  const blocks = message.content.filter(isThinking);
  const member = THINKING_MEMBERS.find((name) => blocks[0]?.thinkingSignature === name);
  if (member === undefined) return {};
  return { [member]: blocks.map(({ thinking }) => thinking).join("\n") };
}

function assistantMessage(message: WireAssistantMessage, model: ModelInfo): Json | null {
  const text = message.content.filter(isText).map((block) => block.text);
  const calls = message.content.filter(isToolCall).map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  if (text.length === 0 && calls.length === 0) return null;
  return {
    role: "assistant",
    content: text.length === 0 ? null : text.join("\n"),
    ...thoughts(message, model),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Images of results have no place in a result: they follow in a user message after all results of the answer. */
function imagesMessage(images: readonly ImageBlock[]): readonly Json[] {
  if (images.length === 0) return [];
  const note: TextBlock = { type: "text", text: "Images of the tool results above:" };
  return [{ role: "user", content: userContent([note, ...images]) }];
}

function chatMessages(messages: readonly WireMessage[], model: ModelInfo): readonly Json[] {
  const sent: Json[] = [];
  let images: ImageBlock[] = [];
  for (const message of messages) {
    if (message.role !== "toolResult") {
      for (const one of imagesMessage(images)) sent.push(one);
      images = [];
    }
    if (message.role === "system") sent.push({ role: "system", content: message.content });
    else if (message.role === "user") {
      sent.push({ role: "user", content: userContent(message.content) });
    } else if (message.role === "assistant") {
      const answer = assistantMessage(message, model);
      if (answer !== null) sent.push(answer);
    } else {
      for (const block of message.content.filter(isImage)) images.push(block);
      const content = message.content.filter(isText).map(({ text }) => text);
      const shown = content.length === 0 ? "(see the image below)" : content.join("\n");
      sent.push({ role: "tool", tool_call_id: message.toolCallId, content: shown });
    }
  }
  return [...sent, ...imagesMessage(images)];
}

const toolOf = ({ name, description, parameters }: ToolSpec): Json => ({
  type: "function",
  function: { name, description, parameters },
});

/**
 * The body of a streaming chat completion. Members that a server may not know are sent only where they
 * are asked for. Pure: the same context gives the same bytes (P8).
 */
export function chatRequest(
  model: ModelInfo,
  context: ModelContext,
  options: StreamOptions,
): Readonly<Record<string, unknown>> {
  const { thinkingLevel = "off", maxTokens = model.maxOutput } = options;
  const wire = messagesForModel(context.messages, { takesImages: model.takesImages });
  return {
    model: model.modelId,
    messages: chatMessages(wire, model),
    stream: true,
    stream_options: { include_usage: true },
    ...(context.tools.length > 0 && { tools: context.tools.map(toolOf) }),
    ...(maxTokens !== null && { max_tokens: maxTokens }),
    ...(thinkingLevel !== "off" && { reasoning_effort: thinkingLevel }),
  };
}
