import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";

/** One call of a message. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

type Members = Readonly<Record<string, unknown>>;

function blocksOf(content: unknown): readonly Members[] {
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  return list.filter(isObject);
}

/** Text blocks of a content of any shape, one below the other; images and thoughts give nothing. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const { type, text } of blocksOf(content)) {
    if (type === "text" && typeof text === "string") texts.push(text);
  }
  return texts.join("\n");
}

/** The calls of a message. */
export function callsOf(message: Message): readonly CalledTool[] {
  const content: unknown = "content" in message ? message.content : undefined;
  if (message.role !== "assistant") return [];
  const calls: CalledTool[] = [];
  for (const { type, id, name, arguments: args } of blocksOf(content)) {
    if (type === "toolCall") calls.push({ id: String(id), name: String(name), arguments: args });
  }
  return calls;
}

/** What images a content holds, as text. */
export function imagesOf(content: unknown): string {
  const images: string[] = [];
  for (const { type, data, mimeType } of blocksOf(content)) {
    if (type !== "image") continue;
    const bytes = typeof data === "string" ? Math.floor((data.length * 3) / 4) : 0;
    images.push(`[image ${String(mimeType)}, ${bytes} bytes]`);
  }
  return images.join(" ");
}

/** Everything that a message says: text, calls with their arguments, output, summary. Thoughts left out. */
export function spokenText(message: Message): string {
  const { content, summary, command, output }: Record<string, unknown> = { ...message };
  const parts = [textOf(content)];
  for (const call of callsOf(message)) {
    parts.push(`${call.name} ${argumentText(call.arguments)}`);
  }
  for (const part of [summary, command, output]) if (typeof part === "string") parts.push(part);
  return parts.filter((part) => part !== "").join("\n");
}

/** The strings and numbers inside arguments, one below the other, without recursion. */
function argumentText(args: unknown): string {
  const texts: string[] = [];
  const stack: unknown[] = [args];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === "string" || typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value).reverse()) stack.push(inner);
    }
  }
  return texts.join("\n");
}

/** True for what a person or a model said, not a tool. */
export function isSpeech({ role }: Message): boolean {
  return role !== "toolResult" && role !== "bashExecution";
}
