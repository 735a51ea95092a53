import type { Message } from "../entry/message.ts";
import { estimateTokens } from "../projection/token-estimate.ts";
import { callsOf, imagesOf, textOf } from "./message-text.ts";
import { shortened } from "./sentences.ts";
import type { SourcedMessage } from "./summariser.ts";

/** Characters of a tool result, of its call's arguments, of a command's output that a summary is made from. */
export const MAX_RESULT_TEXT = 2000;
/** A request is cut into steps with room for this share of it left, since estimates are not exact. */
const FILL = 0.8;

function withText(label: string, ...texts: readonly string[]): string {
  return [label, ...texts.filter((text) => text !== "")].join("\n");
}

function assistantText(message: Message, content: unknown): string {
  const calls = callsOf(message).map(
    ({ name, arguments: args }) => `[calls ${name} ${shortened(jsonOf(args), MAX_RESULT_TEXT)}]`,
  );
  return withText("[assistant]", textOf(content), ...calls);
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

/** One message as text: its role, what it says, tool output cut (harness.md §6), no thoughts. */
export function messageText(message: Message): string {
  const members: Readonly<Record<string, unknown>> = { ...message };
  const { content } = members;
  switch (message.role) {
    case "user":
      return withText("[user]", textOf(content), imagesOf(content));
    case "assistant":
      return assistantText(message, content);
    case "toolResult": {
      const failed = members.isError === true ? ", failed" : "";
      const text = shortened(textOf(content), MAX_RESULT_TEXT);
      return withText(`[result of ${String(members.toolName)}${failed}]`, text, imagesOf(content));
    }
    case "bashExecution": {
      const output = shortened(String(members.output ?? ""), MAX_RESULT_TEXT);
      return withText(`[user ran] ${String(members.command)}`, output);
    }
    case "branchSummary":
      return withText("[summary of another branch]", String(members.summary));
    case "compactionSummary":
      return withText("[summary of what was before]", String(members.summary));
    default:
      return withText(`[note ${String(members.customType ?? message.role)}]`, textOf(content));
  }
}

/** Estimated tokens of a text. */
export function textTokens(text: string): number {
  return estimateTokens({ role: "user", content: text });
}

/** A text of at most about so many tokens; its middle is left out (F078: one giant message). */
function fitted(text: string, tokens: number): string {
  let fit = text;
  for (let have = textTokens(fit); have > tokens; have = textTokens(fit)) {
    // The mark of the cut takes room too, so each step goes a little further than it has to.
    fit = shortened(text, Math.floor((fit.length * tokens * 0.9) / have));
    if (fit.length <= 80) break;
  }
  return fit;
}

/**
 * The messages as texts that each fit into one request of `tokens` tokens, in their order. A message that
 * is too large on its own is shown with its middle left out. null = no limit.
 */
export function transcriptSteps(
  messages: readonly SourcedMessage[],
  tokens: number | null,
): readonly string[] {
  const most = tokens === null ? Number.POSITIVE_INFINITY : Math.floor(tokens * FILL);
  const steps: string[] = [];
  let step: string[] = [];
  let used = 0;
  for (const { message } of messages) {
    const text = fitted(messageText(message), most);
    const cost = textTokens(text) + 1;
    if (used + cost > most && step.length > 0) {
      steps.push(step.join("\n\n"));
      step = [];
      used = 0;
    }
    step.push(text);
    used += cost;
  }
  if (step.length > 0) steps.push(step.join("\n\n"));
  return steps;
}
