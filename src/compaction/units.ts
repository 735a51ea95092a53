import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";

function callIds(message: Message): readonly string[] {
  const content: unknown = "content" in message ? message.content : undefined;
  if (message.role !== "assistant" || !Array.isArray(content)) return [];
  const blocks: readonly unknown[] = content;
  const ids: string[] = [];
  for (const block of blocks) {
    const isCall = isObject(block) && block.type === "toolCall" && typeof block.id === "string";
    if (isCall) ids.push(block.id as string);
  }
  return ids;
}

/** A result that the projection made because none is there yet (P9). */
function isMissing(message: Message): boolean {
  const details: unknown = "details" in message ? message.details : undefined;
  const mark = isObject(details) ? details.branchline : undefined;
  return isObject(mark) && mark.synthetic === true && mark.reason === "missing";
}

/** The last message where calls in it still wait for their results; null = none do. */
function openFrom(messages: readonly Message[]): number | null {
  let isOpen = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as Message;
    if (message.role !== "toolResult") return isOpen ? at : null;
    isOpen ||= isMissing(message);
  }
  return null;
}

/**
 * For each index of a context, its length included, whether a cut before it would part a call from its
 * results (P9, F063, F086). Calls at the end that have no results yet hold everything behind them
 * together, so that a result that comes later finds its call. Linear.
 */
export function tornPlaces(messages: readonly Message[]): readonly boolean[] {
  const change = new Int32Array(messages.length + 2);
  const open = new Map<string, number[]>();
  const hold = (from: number, to: number): void => {
    change[from + 1] = (change[from + 1] as number) + 1;
    change[to + 1] = (change[to + 1] as number) - 1;
  };
  for (const [at, message] of messages.entries()) {
    for (const id of callIds(message)) {
      const known = open.get(id);
      if (known === undefined) open.set(id, [at]);
      else known.push(at);
    }
    if (message.role !== "toolResult" || !("toolCallId" in message)) continue;
    const call = open.get(String(message.toolCallId))?.pop();
    if (call !== undefined) hold(call, at);
  }
  const waiting = openFrom(messages);
  if (waiting !== null) hold(waiting, messages.length);
  let depth = 0;
  return Array.from({ length: messages.length + 1 }, (_, at) => {
    depth += change[at] as number;
    return depth > 0;
  });
}
