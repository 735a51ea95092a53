import { STUB_MODEL, type StubEvent, type StubParts } from "./stub-reply.ts";

type Json = Readonly<Record<string, unknown>>;

/** The output items of the response, whole. */
function itemsOf(parts: StubParts): readonly Json[] {
  const items: Json[] = [];
  const thinking = parts.thinking.join("");
  if (thinking !== "") {
    const summary = [{ type: "summary_text", text: thinking }];
    items.push({ type: "reasoning", id: "rs_1", summary, encrypted_content: "ZW5j" });
  }
  const text = parts.text.join("");
  if (text !== "") {
    const content = [{ type: "output_text", text, annotations: [] }];
    items.push({ type: "message", id: "msg_1", role: "assistant", status: "completed", content });
  }
  for (const { id, name, json } of parts.calls) {
    const call = { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: json };
    items.push({ ...call, status: "completed" });
  }
  return items;
}

/** What an item is when it begins, and its pieces as events. */
function grown(item: Json, index: number, parts: StubParts): readonly [Json, readonly Json[]] {
  const place = { item_id: item.id, output_index: index };
  if (item.type === "reasoning") {
    const at = { ...place, summary_index: 0 };
    const text = parts.thinking.join("");
    const empty = { type: "summary_text", text: "" };
    return [
      { ...item, summary: [] },
      [
        { type: "response.reasoning_summary_part.added", ...at, part: empty },
        ...parts.thinking.map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          ...at,
          delta,
        })),
        { type: "response.reasoning_summary_text.done", ...at, text },
        { type: "response.reasoning_summary_part.done", ...at, part: { ...empty, text } },
      ],
    ];
  }
  if (item.type === "message") {
    const at = { ...place, content_index: 0 };
    const text = parts.text.join("");
    const part = { type: "output_text", text: "", annotations: [] };
    return [
      { ...item, status: "in_progress", content: [] },
      [
        { type: "response.content_part.added", ...at, part },
        ...parts.text.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
        { type: "response.output_text.done", ...at, text },
        { type: "response.content_part.done", ...at, part: { ...part, text } },
      ],
    ];
  }
  const call = parts.calls.find(({ id }) => id === item.call_id);
  return [
    { ...item, status: "in_progress", arguments: "" },
    [
      ...(call?.pieces ?? []).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...place,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
    ],
  ];
}

/** The events of a streaming response of OpenAI. */
export function openAiResponsesEvents(parts: StubParts): readonly StubEvent[] {
  const items = itemsOf(parts);
  const base = { id: "resp_1", object: "response", created_at: 1, model: STUB_MODEL };
  const open = { ...base, status: "in_progress", output: [] };
  const list: Json[] = [
    { type: "response.created", response: open },
    { type: "response.in_progress", response: open },
  ];
  for (const [index, item] of items.entries()) {
    const [start, pieces] = grown(item, index, parts);
    list.push({ type: "response.output_item.added", output_index: index, item: start });
    list.push(...pieces, { type: "response.output_item.done", output_index: index, item });
  }
  const { input, output, cacheRead, cacheWrite, reasoning } = parts.usage;
  const usage = {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + cacheWrite + output,
  };
  const status = parts.stop === "length" ? "incomplete" : "completed";
  const reason = parts.stop === "length" ? { reason: "max_output_tokens" } : null;
  const whole = { ...base, status, output: items, usage, incomplete_details: reason };
  list.push(
    parts.error === undefined
      ? { type: `response.${status}`, response: whole }
      : { type: "error", code: parts.error.type, message: parts.error.message, param: null },
  );
  return list.map((data, sequence) => ({
    event: String(data.type),
    data: { ...data, sequence_number: sequence },
  }));
}
