import type { Block } from "../entry/message.ts";

/** The three queues (harness.md §3). */
export type QueueName = "steer" | "followUp" | "nextTurn";

/** A message that waits. Durable in the session from the moment its acceptance was answered. */
export interface QueuedMessage {
  readonly id: string;
  readonly queue: QueueName;
  /** Text and images, whole. */
  readonly content: string | readonly Block[];
  /** When it was accepted, ISO 8601. */
  readonly timestamp: string;
  /** Id of the branch whose runs may take it; null = whichever run comes first. */
  readonly branch: string | null;
}

/** What became of a message: exactly one of these for each that was accepted (F094). */
export type QueueOutcome = "delivered" | "returned" | "removed" | "failed";
