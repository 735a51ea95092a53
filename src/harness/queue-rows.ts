import type { Entry, EntryDraft } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import type { Block } from "../entry/message.ts";
import { ownData, QUEUE_TYPE } from "../entry/own-state.ts";
import type { QueueName, QueueOutcome } from "./queue.ts";

/** A message was accepted. */
export interface AddedRow {
  readonly event: "add";
  readonly id: string;
  readonly queue: QueueName;
  readonly content: string | readonly Block[];
  readonly branch: string | null;
}

/**
 * Something happened to an accepted message. `version` is how often it had been edited when that was
 * decided: a row for another version is too late and has no effect.
 */
export type ChangedRow =
  | {
      readonly event: "edit";
      readonly id: string;
      readonly version: number;
      readonly content: string | readonly Block[];
      readonly by?: string;
    }
  | {
      readonly event: QueueOutcome;
      readonly id: string;
      readonly version: number;
      /** Tells this decision from any other one. */
      readonly by?: string;
      /** The run that it was delivered to. */
      readonly run?: string;
      /** Why it failed. */
      readonly reason?: string;
    };

/** Data of a `branchline.queue` entry, besides its session. */
export type QueueRow = AddedRow | ChangedRow;

const QUEUES: ReadonlySet<unknown> = new Set<QueueName>(["steer", "followUp", "nextTurn"]);
const OUTCOMES: ReadonlySet<unknown> = new Set<QueueOutcome>([
  "delivered",
  "returned",
  "removed",
  "failed",
]);

/** The entry of a row. */
export function queueDraft(session: string, row: QueueRow): EntryDraft {
  return { type: "custom", customType: QUEUE_TYPE, data: { session, ...row } };
}

/** Text, or blocks each of which says its type. */
export function isQueueContent(content: unknown): content is string | readonly Block[] {
  return typeof content === "string" || isBlockList(content);
}

/** A list of which every member says its type. */
export function isBlockList(content: unknown): content is readonly Block[] {
  if (!Array.isArray(content)) return false;
  return content.every((block) => isObject(block) && typeof block.type === "string");
}

/** The row, or null where the entry is none of this session or not whole. */
export function queueRow(entry: Entry, session: string): QueueRow | null {
  const data = ownData(entry, QUEUE_TYPE, session);
  if (data === null || typeof data.id !== "string") return null;
  return data.event === "add" ? addedRow(data, data.id) : changedRow(data, data.id);
}

function addedRow(data: Readonly<Record<string, unknown>>, id: string): AddedRow | null {
  const { queue, content, branch } = data;
  if (!isQueueName(queue) || !isQueueContent(content)) return null;
  return { event: "add", id, queue, content, branch: typeof branch === "string" ? branch : null };
}

function changedRow(data: Readonly<Record<string, unknown>>, id: string): ChangedRow | null {
  const { event, version, content } = data;
  if (typeof version !== "number") return null;
  if (event === "edit") return isQueueContent(content) ? { event, id, version, content } : null;
  return isOutcome(event) ? { event, id, version } : null;
}

function isQueueName(value: unknown): value is QueueName {
  return QUEUES.has(value);
}

function isOutcome(value: unknown): value is QueueOutcome {
  return OUTCOMES.has(value);
}
