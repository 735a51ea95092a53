import type { Message } from "../src/entry/message.ts";
import { GAP_TYPE } from "../src/entry/own-state.ts";

/** One text for each message of a context, as the sidecars of the damaged files have them. */
export function contextTexts(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => textOf(message as Readonly<Record<string, unknown>>));
}

function textOf(message: Readonly<Record<string, unknown>>): string {
  const { role, content, details, customType, summary, toolCallId } = message;
  if (customType === GAP_TYPE) return "<gap>";
  if (role === "toolResult" && isSynthetic(details)) return `<no result ${toolCallId}>`;
  if (typeof summary === "string") return summary;
  if (typeof content === "string") return content;
  return (content as readonly Readonly<Record<string, unknown>>[]).map(blockText).join(" ");
}

function isSynthetic(details: unknown): boolean {
  const own = (details as { readonly branchline?: { readonly synthetic?: unknown } } | undefined)
    ?.branchline;
  return own?.synthetic === true;
}

function blockText(block: Readonly<Record<string, unknown>>): string {
  if (block.type === "text") return block.text as string;
  return block.type === "toolCall" ? `<call ${block.id}>` : `<${block.type}>`;
}
