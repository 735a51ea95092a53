import { STUB_MODEL, type StubEvent, type StubParts } from "./stub-reply.ts";

const FINISH = { stop: "stop", length: "length", toolUse: "tool_calls" } as const;

/** The events of a streaming chat completion of OpenAI and its many likes. */
export function openAiChatEvents(parts: StubParts): readonly StubEvent[] {
  const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: STUB_MODEL };
  const delta = (value: object, finish: string | null = null): StubEvent => ({
    data: { ...base, choices: [{ index: 0, delta: value, finish_reason: finish }] },
  });
  const events: StubEvent[] = [delta({ role: "assistant", content: "" })];
  for (const piece of parts.thinking) events.push(delta({ reasoning_content: piece }));
  for (const piece of parts.text) events.push(delta({ content: piece }));
  for (const [index, { id, name, pieces }] of parts.calls.entries()) {
    const call = { index, id, type: "function", function: { name, arguments: "" } };
    events.push(delta({ tool_calls: [call] }));
    for (const piece of pieces) {
      events.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  if (parts.error !== undefined) return [...events, { data: { error: parts.error } }];
  const { input, output, cacheRead, cacheWrite, reasoning } = parts.usage;
  const prompt = input + cacheRead + cacheWrite;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
  events.push(delta({}, FINISH[parts.stop]), { data: { ...base, choices: [], usage } });
  return [...events, { data: "[DONE]" }];
}
