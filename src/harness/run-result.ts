import type { Message } from "../entry/message.ts";
import type { RunOutcome } from "./events.ts";
import type { QueuedMessage } from "./queue.ts";

/** What a run came to, once it has settled. */
export interface RunResult {
  readonly runId: string;
  /** Id of the branch that it ended on. */
  readonly branch: string;
  readonly outcome: RunOutcome;
  /** What it added to the conversation, in order. */
  readonly messages: readonly Message[];
  readonly leaf: string | null;
  /** Of the outcome "error": what went wrong, for people; else null. */
  readonly error: string | null;
  /** What a listener or the store threw; null where the provider failed, and where nothing did. */
  readonly cause: unknown;
  /**
   * Steering and follow-ups that were taken back because the run did not come to its own end. They wait
   * no more: what becomes of them is the caller's.
   */
  readonly returned: readonly QueuedMessage[];
}
