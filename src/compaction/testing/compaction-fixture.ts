import type { EntryDraft } from "../../entry/entry.ts";
import type { Block } from "../../entry/message.ts";
import type { Session } from "../../session/session.ts";
import { add, NOW } from "../../session/testing/session-fixture.ts";
import type { Summariser, Summary, SummaryInput } from "../summariser.ts";

/** Prose of about so many tokens. */
export function prose(tokens: number, word = "word"): string {
  const unit = `${word} `;
  return unit.repeat(Math.ceil((tokens * 4) / unit.length)).trim();
}

/** A summary that passes the check. */
export const GOOD_SUMMARY = "## Goal\n- keep the engine going\n## Key Decisions\n- none so far";

/** A summariser that answers as it is told and keeps what it was given. */
export interface ToldSummariser extends Summariser {
  readonly inputs: SummaryInput[];
}

/** Answers with this text or summary, or with what the function makes of each input. */
export function told(
  answer: string | Summary | ((input: SummaryInput) => Summary | Promise<Summary>) = GOOD_SUMMARY,
): ToldSummariser {
  const inputs: SummaryInput[] = [];
  return {
    name: "told",
    isExtractive: false,
    inputs,
    async summarise(input) {
      inputs.push(input);
      if (typeof answer === "string") return { text: answer, stopReason: "stop" };
      return typeof answer === "function" ? answer(input) : answer;
    },
  };
}

/** A system prompt with tools. */
export function system(
  content: string,
  members: Readonly<Record<string, unknown>> = {},
): EntryDraft {
  return { type: "message", message: { role: "system", content, timestamp: NOW, ...members } };
}

/** A user message with any content. */
export function asking(content: string | readonly Block[]): EntryDraft {
  return { type: "message", message: { role: "user", content, timestamp: NOW } };
}

/** An answer with text, calls and usage. */
export function answering(
  text: string,
  more: {
    readonly calls?: readonly { id: string; name: string; args?: Record<string, unknown> }[];
    /** Tokens of the request and answer, as the provider counted them. */
    readonly used?: number;
    readonly model?: string;
    readonly stopReason?: string;
  } = {},
): EntryDraft {
  const { calls = [], used, model = "m", stopReason } = more;
  const content = [
    { type: "text" as const, text },
    ...calls.map(({ id, name, args = {} }) => {
      return { type: "toolCall" as const, id, name, arguments: args };
    }),
  ];
  const usage = { input: used ?? 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    type: "message",
    message: {
      ...{ role: "assistant" as const, content, provider: "p", model, timestamp: NOW },
      stopReason: stopReason ?? (calls.length > 0 ? "toolUse" : "stop"),
      ...(used === undefined ? {} : { usage }),
    },
  };
}

/** What a tool answered. */
export function resulting(
  toolCallId: string,
  content: string | readonly Block[],
  members: { readonly toolName?: string; readonly isError?: boolean } = {},
): EntryDraft {
  const { toolName = "bash", isError = false } = members;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return {
    type: "message",
    message: { role: "toolResult", toolCallId, toolName, content: blocks, isError, timestamp: NOW },
  };
}

/** Turns of one question of 10 tokens and one answer of `tokens` tokens each; gives the ids in order. */
export async function longTalk(session: Session, turns: number, tokens: number): Promise<string[]> {
  const ids: string[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    ids.push(await add(session, asking(`question ${turn} ${prose(8)}`)));
    ids.push(await add(session, answering(`answer ${turn} ${prose(tokens)}`)));
  }
  return ids;
}
