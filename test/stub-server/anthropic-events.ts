import { STUB_MODEL, type StubEvent, type StubParts } from "./stub-reply.ts";

const STOP = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use" } as const;

function typed(data: { readonly type: string; readonly [member: string]: unknown }): StubEvent {
  return { event: data.type, data };
}

/** One content block: its start, its pieces, its end. */
function block(index: number, start: object, deltas: readonly object[]): readonly StubEvent[] {
  return [
    typed({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => typed({ type: "content_block_delta", index, delta })),
    typed({ type: "content_block_stop", index }),
  ];
}

/** The events of a streaming message of Anthropic. */
export function anthropicEvents(parts: StubParts): readonly StubEvent[] {
  const { input, output, cacheRead, cacheWrite } = parts.usage;
  const usage = {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: STUB_MODEL,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const blocks: (readonly [object, readonly object[]])[] = [];
  if (parts.thinking.length > 0) {
    const thoughts = parts.thinking.map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: "c2lnbmVk" };
    const start = { type: "thinking", thinking: "", signature: "" };
    blocks.push([start, [...thoughts, signature]]);
  }
  if (parts.text.length > 0) {
    const texts = parts.text.map((text) => ({ type: "text_delta", text }));
    blocks.push([{ type: "text", text: "" }, texts]);
  }
  for (const { id, name, pieces } of parts.calls) {
    const texts = pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
    blocks.push([{ type: "tool_use", id, name, input: {} }, texts]);
  }
  const events = [
    typed({ type: "message_start", message }),
    typed({ type: "ping" }),
    ...blocks.flatMap(([start, deltas], index) => block(index, start, deltas)),
  ];
  if (parts.error !== undefined) return [...events, typed({ type: "error", error: parts.error })];
  const delta = { stop_reason: STOP[parts.stop], stop_sequence: null };
  return [
    ...events,
    typed({ type: "message_delta", delta, usage: { ...usage, output_tokens: output } }),
    typed({ type: "message_stop" }),
  ];
}
