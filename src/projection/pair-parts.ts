import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";

/** One tool call of an entry. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** True where an edit or a wrong shape keeps it from the model. */
  readonly hidden: boolean;
}

/** What an entry adds to the pairs of calls and results (P9). */
export interface PairParts {
  readonly calls: readonly Call[];
  /** `hidden` as for calls. */
  readonly result: { readonly id: string; readonly hidden: boolean } | null;
}

const NO_PARTS: PairParts = { calls: [], result: null };

const NO_CALLS: readonly Call[] = [];

function callsOf(message: Message | undefined): readonly Call[] {
  if (!isObject(message) || !Array.isArray(message.content)) return NO_CALLS;
  const blocks: readonly unknown[] = message.content;
  if (!blocks.some(isCall)) return NO_CALLS;
  return blocks.filter(isCall).map(({ id, name }) => {
    return { id, name: typeof name === "string" ? name : "", hidden: false };
  });
}

function isCall(block: unknown): block is { readonly id: string; readonly name: unknown } {
  return isObject(block) && block.type === "toolCall" && typeof block.id === "string";
}

/**
 * The calls and the result of an entry. `shown` = what the model sees of it. Pairs are made from what
 * was said, not from what is left of it: a result belongs to its call also where that is hidden, and
 * must not answer an older call with the same id.
 */
export function pairParts(entry: Entry, shown: Message | undefined): PairParts {
  if (!isEntry(entry, "message")) return NO_PARTS;
  const { message } = entry;
  if (message.role === "toolResult" && isObject(message)) {
    const { toolCallId: id } = message;
    return typeof id === "string"
      ? { calls: [], result: { id, hidden: shown === undefined } }
      : NO_PARTS;
  }
  if (message.role !== "assistant") return NO_PARTS;
  const calls = callsOf(shown);
  if (shown === message) return calls.length === 0 ? NO_PARTS : { calls, result: null };
  const ids = new Set(calls.map(({ id }) => id));
  const gone = callsOf(message).filter(({ id }) => !ids.has(id));
  return { calls: [...calls, ...gone.map((call) => ({ ...call, hidden: true }))], result: null };
}
