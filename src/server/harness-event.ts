import type { HarnessEvent } from "../harness/events.ts";
import type { QueuedMessage } from "../harness/queue.ts";
import type { EventData, WireEventType } from "../protocol/event.ts";
import type { QueueRow } from "../protocol/session.ts";

/** An event before it has a number and a place. */
export type Told = {
  [T in WireEventType]: { readonly type: T; readonly data: EventData[T] };
}[WireEventType];

/** A waiting message on the wire. */
export function queueRow({ id, queue, content, timestamp }: QueuedMessage): QueueRow {
  return { id, queue, content, timestamp };
}

/** An event of a harness as an event of the wire; null for what the server tells by itself. */
export function toldOf(event: HarnessEvent): Told | null {
  switch (event.type) {
    case "agent_start":
      return { type: "agent_start", data: { branch: event.branch } };
    case "turn_start":
      return { type: "turn_start", data: { turn: event.turn } };
    case "turn_end":
      return { type: "turn_end", data: { turn: event.turn } };
    case "message_start":
    case "message_update":
      return { type: event.type, data: { message: event.message } };
    case "message_end":
      return { type: event.type, data: { message: event.message, entryId: event.entryId } };
    case "save_point":
      return { type: "save_point", data: { leaf: event.leaf } };
    case "agent_end":
      return { type: "agent_end", data: { outcome: event.outcome } };
    case "settled":
      return { type: "settled", data: { nextTurnCount: event.nextTurnCount } };
    case "queue_update":
      return { type: "queue_update", data: { queue: event.queue.map(queueRow) } };
    default:
      return toolEvent(event);
  }
}

function toolEvent(event: HarnessEvent): Told | null {
  switch (event.type) {
    case "tool_permission": {
      const { callId, name, permission } = event;
      const { decision } = permission;
      const question = decision === "confirm" ? permission.question : null;
      const args = decision === "rewrite" ? permission.arguments : null;
      return { type: event.type, data: { callId, name, decision, question, arguments: args } };
    }
    case "tool_execution_start": {
      const { callId, name, arguments: args } = event;
      return { type: event.type, data: { callId, name, arguments: args } };
    }
    case "tool_execution_update": {
      const { callId, name, output } = event;
      return { type: event.type, data: { callId, name, output } };
    }
    case "tool_execution_end": {
      const { callId, name, output, isError } = event;
      return { type: event.type, data: { callId, name, output, isError } };
    }
    default:
      return upkeepEvent(event);
  }
}

function upkeepEvent(event: HarnessEvent): Told | null {
  switch (event.type) {
    case "retry_scheduled": {
      const { attempt, delayMs, error } = event;
      return { type: event.type, data: { attempt, delayMs, error } };
    }
    case "compaction_start":
      return { type: event.type, data: { reason: event.reason } };
    case "compaction_end": {
      const { reason, entryId, tokensBefore, tokensAfter, error } = event;
      return { type: "compaction", data: { reason, entryId, tokensBefore, tokensAfter, error } };
    }
    default:
      return null;
  }
}
