import type { Message } from "../entry/message.ts";
import type { HarnessEvent, RunOutcome } from "../harness/events.ts";
import type { Permission } from "../harness/tool.ts";
import { contentText } from "../session/entry-content.ts";
import { contentWords } from "../session/entry-preview.ts";
import type { UsageSum } from "./run-usage.ts";

/** How a run ended, as the last line of `--json` has it. */
export interface RunEnd extends UsageSum {
  /** null where nothing ran. */
  readonly run: string | null;
  readonly branch: string;
  readonly outcome: RunOutcome | "nothing";
  readonly leaf: string | null;
  /** The text of the last answer. */
  readonly text: string;
  /** What the model said went wrong. */
  readonly error: string | null;
}

type Row = Readonly<Record<string, unknown>>;

/** The text of a message; empty for roles that have none. */
export function textOfMessage(message: Message): string {
  return "content" in message && Array.isArray(message.content) ? contentText(message.content) : "";
}

/** An event as a line of `--json`; null for what has none. Each answer is told once, when it is whole. */
export function runEventRow(event: HarnessEvent, session: string): Row | null {
  switch (event.type) {
    case "agent_start":
      return { event: "run", session, run: event.runId, branch: event.branch };
    case "message_update": {
      const { type } = event.event;
      return type === "text_delta" ? { event: "text", delta: event.event.delta } : null;
    }
    case "message_end": {
      const { entryId, message } = event;
      return { event: "message", entry: entryId, role: message.role, message };
    }
    case "tool_permission":
      return permissionRow(event);
    case "tool_execution_start": {
      const { callId: call, name } = event;
      return { event: "tool", call, name, arguments: event.arguments };
    }
    case "tool_execution_end": {
      const { callId: call, name, isError, output } = event;
      return { event: "tool-result", call, name, isError, text: contentWords(output.content) };
    }
    default:
      return upkeepRow(event);
  }
}

function permissionRow(event: Extract<HarnessEvent, { type: "tool_permission" }>): Row | null {
  const { callId: call, name, permission } = event;
  if (permission.decision === "allow") return null;
  return { event: "permission", call, name, decision: permission.decision, text: told(permission) };
}

function told(permission: Permission): string | null {
  if (permission.decision === "block") return permission.reason;
  return permission.decision === "confirm" ? permission.question : null;
}

function upkeepRow(event: HarnessEvent): Row | null {
  switch (event.type) {
    case "queue_update":
      return { event: "queue", waiting: event.queue.map(({ id, queue }) => ({ id, queue })) };
    case "retry_scheduled": {
      const { attempt, delayMs, error } = event;
      return { event: "retry", attempt, delayMs, error };
    }
    case "compaction_end": {
      const { reason, entryId: entry, tokensBefore, tokensAfter, error } = event;
      return { event: "compaction", reason, entry, tokensBefore, tokensAfter, error };
    }
    default:
      return null;
  }
}
