import type { Message } from "../../entry/message.ts";
import type { HarnessEvent } from "../events.ts";

function messageName(message: Message): string {
  if (message.role === "toolResult" && "toolCallId" in message) {
    return `toolResult ${String(message.toolCallId)}${message.isError === true ? " error" : ""}`;
  }
  return message.role;
}

function endName(message: Message): string {
  const reason = message.role === "assistant" && "stopReason" in message ? message.stopReason : "";
  return `${messageName(message)}${reason === "" ? "" : ` ${String(reason)}`}`;
}

/** An event as one line of a golden trace: its name and what matters of it. */
export function traceLine(event: HarnessEvent): string {
  const { type } = event;
  switch (type) {
    case "turn_start":
      return `${type} ${event.turn}`;
    case "message_start":
      return `${type} ${messageName(event.message)}`;
    case "message_update":
      return `${type} ${event.event.type}`;
    case "message_end":
      return `${type} ${endName(event.message)}`;
    case "tool_permission":
      return `${type} ${event.callId} ${event.permission.decision}`;
    case "tool_execution_start":
    case "tool_execution_update":
      return `${type} ${event.callId}`;
    case "tool_execution_end":
      return `${type} ${event.callId}${event.isError ? " error" : ""}`;
    case "turn_end":
      return [type, event.turn, ...event.toolResults.map((result) => result.toolCallId)].join(" ");
    case "queue_update":
      return [type, ...event.queue.map(({ queue }) => queue)].join(" ");
    case "retry_scheduled":
      return `${type} ${event.attempt} ${event.delayMs}`;
    case "compaction_start":
      return `${type} ${event.reason}`;
    case "compaction_end":
      return `${type} ${event.reason} ${event.entryId === null ? "nothing" : "written"}`;
    case "agent_end":
      return `${type} ${event.outcome}`;
    case "settled":
      return event.nextTurnCount === 0 ? type : `${type} ${event.nextTurnCount}`;
    default:
      return type;
  }
}
