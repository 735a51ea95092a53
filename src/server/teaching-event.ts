import type { WireEvent } from "../protocol/event.ts";

type Members = Readonly<Record<string, unknown>>;

/** Members that the teaching agent's clients call by another name. */
const NAMES: readonly (readonly [string, string])[] = [
  ["callId", "toolCallId"],
  ["name", "toolName"],
  ["arguments", "args"],
  ["output", "result"],
];

/** An event as the teaching agent's clients read it: one flat object with their names beside ours. */
export function teachingEvent({ seq, type, sessionId, runId, data }: WireEvent): Members {
  const members: Members = Object(data);
  const named = NAMES.filter(([ours]) => ours in members).map(([ours, theirs]) => [
    theirs,
    members[ours],
  ]);
  return { ...members, ...Object.fromEntries(named), type, seq, sessionId, runId };
}

/** The same as an SSE message. */
export function teachingText(event: WireEvent): string {
  const { seq, type } = event;
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(teachingEvent(event))}\n\n`;
}
