import type { EntryDraft } from "../entry/entry.ts";
import type { Content, Message } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import type { QueuedMessage, QueueName } from "./queue.ts";
import { type RunScope, type StoredMessage, storedMessage } from "./run-scope.ts";

/** What a run takes from by itself, in this order. */
export const RUN_QUEUES = ["steer", "followUp"] as const;

/** What waits in a queue for this run, oldest first. */
export function waitingFor({ kit, log }: RunScope, queue: QueueName): readonly QueuedMessage[] {
  const { branches } = log;
  return kit.queues
    .list(queue)
    .filter(({ branch }) => branch === null || branches.includes(branch));
}

/** What of a queue is delivered at a time, by its mode. */
export function nextOf(scope: RunScope, queue: "steer" | "followUp"): readonly QueuedMessage[] {
  const waiting = waitingFor(scope, queue);
  return scope.kit.options.queueModes[queue] === "all" ? waiting : waiting.slice(0, 1);
}

/** Writes what a person said, with what has to stand before it in the same commit. */
export async function writePrompt(
  scope: RunScope,
  content: Content,
  before: readonly EntryDraft[],
): Promise<StoredMessage> {
  const message = userMessage(scope, content);
  const entries = await scope.log.append([...before, { type: "message", message }]);
  return storedMessage(entries.at(-1), message);
}

/**
 * Makes waiting messages part of the path, each in one commit with the row that takes it out of its
 * queue (F090, F094): after any crash it is in exactly one of the two places, and of two runs that want
 * it one gets it. What somebody took, edited or removed meanwhile is left to them.
 */
export async function deliver(
  scope: RunScope,
  queued: readonly QueuedMessage[],
  before: readonly EntryDraft[] = [],
): Promise<readonly StoredMessage[]> {
  const delivered: StoredMessage[] = [];
  let first = before;
  for (const { id } of queued) {
    const stored = await deliverOne(scope, id, first);
    if (stored === null) continue;
    delivered.push(stored);
    first = [];
  }
  if (delivered.length > 0) await scope.kit.tellQueues();
  return delivered;
}

async function deliverOne(
  scope: RunScope,
  id: string,
  before: readonly EntryDraft[],
): Promise<StoredMessage | null> {
  const { kit, log, journal } = scope;
  for (;;) {
    const outcome = kit.queues.outcomeOf(id, journal.identity.run);
    const queued = kit.queues.list().find((one) => one.id === id);
    if (outcome === null || queued === undefined) return null;
    const message = userMessage(scope, queued.content);
    const drafts: EntryDraft[] = [...before, { type: "message", message }, outcome.row];
    try {
      const entries = await log.append(drafts, outcome.key);
      await kit.queues.refresh();
      return storedMessage(entries[before.length], message);
    } catch (error) {
      // Edited or taken by somebody else: what waits now decides.
      if (!BranchlineError.is(error, "KEY_REUSED")) throw error;
      await kit.queues.refresh();
    }
  }
}

/** Tells of messages that are durable. */
export async function announce(
  { control, messages }: RunScope,
  stored: readonly StoredMessage[],
): Promise<void> {
  for (const { message, entryId } of stored) {
    messages.push(message);
    await control.tell({ type: "message_start", message });
    await control.tell({ type: "message_end", message, entryId });
  }
}

function userMessage({ kit }: RunScope, content: Content): Message {
  return { role: "user", content, timestamp: kit.options.clock.now() };
}
