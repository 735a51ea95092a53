import type { WireEvent } from "../protocol/event.ts";

type Members = Readonly<Record<string, unknown>>;

/** Members that the teaching agent's clients call by another name. */
const NAMES: readonly (readonly [string, string])[] = [
  ["callId", "toolCallId"],
  ["name", "toolName"],
  ["arguments", "args"],
  ["output", "result"],
];

/** What these clients read of an event and ours does not have; a client that misses one breaks off. */
const NEEDED: Readonly<Record<string, (members: Members) => Members>> = {
  agent_end: () => ({ messages: [] }),
  // Each of our updates holds the whole message so far.
  message_update: () => ({ delta: "" }),
  run_error: ({ message }) => ({ error: message }),
  tool_permission: ({ decision, question, arguments: args }) => ({
    action: decision,
    args: args ?? {},
    originalArgs: {},
    ...(typeof question === "string" && { reason: question }),
  }),
};

/** An event as the teaching agent's clients read it: one flat object with their names beside ours. */
export function teachingEvent({ seq, type, sessionId, runId, data }: WireEvent): Members {
  const members: Members = Object(data);
  const needed = NEEDED[type]?.(members) ?? {};
  const named = NAMES.filter(([ours]) => ours in members).map(([ours, theirs]) => [
    theirs,
    members[ours],
  ]);
  return { ...members, ...Object.fromEntries(named), ...needed, type, seq, sessionId, runId };
}

/** The same as an SSE message; the last event of a run brings the session as it is then. */
export function teachingText(event: WireEvent, session: unknown): string {
  const { seq, type } = event;
  const isLast = type === "run_done" || type === "run_error";
  const told = { ...teachingEvent(event), ...(isLast && { session }) };
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(told)}\n\n`;
}
