import type { AssistantMessage, Message, ToolResultMessage } from "../entry/message.ts";
import type { ModelEvent } from "../model/model.ts";
import type { QueuedMessage } from "./queue.ts";
import type { Permission, ToolOutput } from "./tool.ts";

/** Why a compaction is made. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/**
 * What a run tells its listeners, in the order of harness.md §1. `entryId` is the durable entry; a
 * `message_end` is told only when it is on stable storage (P1).
 */
export type HarnessEvent =
  | { readonly type: "agent_start"; readonly runId: string; readonly branch: string }
  | { readonly type: "turn_start"; readonly turn: number }
  | { readonly type: "message_start"; readonly message: Message }
  | {
      readonly type: "message_update";
      readonly message: AssistantMessage;
      readonly event: Exclude<ModelEvent, { readonly type: "done" }>;
    }
  | { readonly type: "message_end"; readonly message: Message; readonly entryId: string }
  | {
      readonly type: "tool_permission";
      readonly callId: string;
      readonly name: string;
      readonly permission: Permission;
    }
  | {
      readonly type: "tool_execution_start";
      readonly callId: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: "tool_execution_update";
      readonly callId: string;
      readonly name: string;
      readonly output: ToolOutput;
    }
  | {
      readonly type: "tool_execution_end";
      readonly callId: string;
      readonly name: string;
      readonly output: ToolOutput;
      readonly isError: boolean;
    }
  | {
      readonly type: "turn_end";
      readonly turn: number;
      /** null where the run stopped before it asked the model. */
      readonly message: AssistantMessage | null;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | { readonly type: "save_point"; readonly leaf: string | null }
  | { readonly type: "queue_update"; readonly queue: readonly QueuedMessage[] }
  | {
      readonly type: "retry_scheduled";
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: string;
    }
  | { readonly type: "compaction_start"; readonly reason: CompactionReason }
  | {
      readonly type: "compaction_end";
      readonly reason: CompactionReason;
      /** The compaction entry, or null where none was written (`error` says why). */
      readonly entryId: string | null;
      readonly error: string | null;
      /** Estimated tokens of the context before and after. */
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | {
      readonly type: "branch_switch";
      readonly leaf: string | null;
      readonly previousLeaf: string | null;
      readonly op: string | null;
    }
  | { readonly type: "plan_update"; readonly entryId: string }
  | {
      readonly type: "agent_end";
      readonly runId: string;
      readonly messages: readonly Message[];
      readonly outcome: RunOutcome;
    }
  | { readonly type: "settled"; readonly runId: string; readonly nextTurnCount: number };

/** How a run ended. */
export type RunOutcome = "done" | "aborted" | "error" | "stopped" | "turn-limit" | "approval";

/** Hears a run; it is awaited before the run goes on. A throw ends the run with a failure, never the data. */
export type HarnessListener = (event: HarnessEvent) => void | Promise<void>;
