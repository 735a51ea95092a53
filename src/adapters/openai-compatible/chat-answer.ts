import { isObject } from "../../entry/entry-check.ts";
import type { Usage } from "../../entry/message.ts";
import type { AnswerBuilder, AnswerEnd } from "../../model/answer-builder.ts";
import { usageOf } from "../../model/cost.ts";
import { ProviderFailure } from "../../model/failure-text.ts";
import type { ModelEvent, ModelPrices, StopReason } from "../../model/model.ts";
import { THINKING_MEMBERS } from "./chat-request.ts";

type Members = Readonly<Record<string, unknown>>;

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "stop"],
  ["end", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["tool_calls", "toolUse"],
  ["function_call", "toolUse"],
]);

function count(members: unknown, name: string): number | undefined {
  const value = isObject(members) ? members[name] : undefined;
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Tokens in our sense: the prompt's count has the cached ones in it, ours has not. Servers put the
 * cached ones in one of three places.
 */
function usageFrom(usage: Members, prices: ModelPrices | null): Usage {
  const details = usage.prompt_tokens_details;
  const cacheRead =
    count(details, "cached_tokens") ??
    count(usage, "prompt_cache_hit_tokens") ??
    count(usage, "cached_tokens") ??
    0;
  const cacheWrite = count(details, "cache_write_tokens") ?? 0;
  const prompt = count(usage, "prompt_tokens") ?? 0;
  const counts = {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output: count(usage, "completion_tokens") ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: count(usage.completion_tokens_details, "reasoning_tokens"),
    totalTokens: count(usage, "total_tokens"),
  };
  return usageOf(counts, prices);
}

/** The text of an error that came inside a stream or as the body of a refusal; null where there is none. */
export function errorIn(chunk: unknown): string | null {
  if (!isObject(chunk)) return null;
  const { error } = chunk;
  if (typeof error === "string") return error;
  if (!isObject(error)) return textOf(chunk.message) || textOf(chunk.detail) || null;
  const message = textOf(error.message) || JSON.stringify(error);
  const kinds = [error.code, error.type].filter(
    (kind) =>
      (typeof kind === "string" || typeof kind === "number") && !message.includes(`${kind}`),
  );
  return kinds.length === 0 ? message : `${kinds.join(" ")}: ${message}`;
}

/** Puts the chunks of a chat completion into an answer. Chunks may have any shape. */
export class ChatAnswer {
  readonly #answer: AnswerBuilder;
  readonly #prices: ModelPrices | null;
  /** The id and the key in the answer of the call that each index stands for now. */
  readonly #calls = new Map<number, { readonly id: string; readonly key: string }>();
  #usage: Usage | undefined;
  #finish: string | null = null;
  #isDone = false;

  constructor(answer: AnswerBuilder, prices: ModelPrices | null) {
    this.#answer = answer;
    this.#prices = prices;
  }

  /** True after the last event of the stream. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The tokens that were counted so far; undefined = none. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Takes the data of one event. Throws for an error in the stream and for data that is no JSON. */
  *take(data: string): Generator<ModelEvent> {
    if (data === "[DONE]") {
      this.#isDone = true;
      return;
    }
    const chunk: unknown = JSON.parse(data);
    if (!isObject(chunk)) return;
    const error = "error" in chunk && chunk.error !== null ? errorIn(chunk) : null;
    if (error !== null) throw new ProviderFailure(error);
    const [choice]: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    const usage = isObject(chunk.usage) ? chunk.usage : isObject(choice) && choice.usage;
    if (isObject(usage)) this.#usage = usageFrom(usage, this.#prices);
    if (!isObject(choice)) return;
    if (isObject(choice.delta)) yield* this.#delta(choice.delta);
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason.toLowerCase();
  }

  /** How the answer ended, once the stream has. */
  end(): AnswerEnd {
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    const failed = (errorMessage: string): AnswerEnd => ({
      stopReason: "error",
      errorMessage,
      ...usage,
    });
    const hasCalls = this.#answer.count("toolCall") > 0;
    if (this.#finish === null) {
      // Some servers send no reason, but a stream that was cut off has no end either.
      if (!this.#isDone) return failed("The stream ended before its last event.");
      return { stopReason: hasCalls ? "toolUse" : "stop", ...usage };
    }
    const reason = STOP_REASONS.get(this.#finish);
    if (reason === undefined) return failed(`The provider ended the answer: ${this.#finish}`);
    if (reason === "length") return { stopReason: reason, ...usage };
    // Servers say "stop" after calls, and "tool_calls" without any.
    return { stopReason: hasCalls ? "toolUse" : "stop", ...usage };
  }

  /**
   * Which call a piece belongs to. Servers give all calls of an answer the same index, or none: another id
   * together with a name begins another call.
   */
  #keyOf(index: number, id: string, name: string): string {
    const known = this.#calls.get(index);
    if (known !== undefined && (id === "" || name === "" || known.id === "" || id === known.id)) {
      return known.key;
    }
    const key = known === undefined ? String(index) : `${index}/${this.#answer.count("toolCall")}`;
    this.#calls.set(index, { id, key });
    return key;
  }

  *#delta(delta: Members): Generator<ModelEvent> {
    const member = THINKING_MEMBERS.find((name) => textOf(delta[name]) !== "");
    if (member !== undefined) {
      yield this.#answer.thinking(textOf(delta[member]));
      this.#answer.sign("thinking", { thinkingSignature: member });
    }
    const text = textOf(delta.content) || textOf(delta.refusal);
    if (text !== "") yield this.#answer.text(text);
    const calls: readonly unknown[] = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    for (const [place, call] of calls.entries()) {
      if (!isObject(call)) continue;
      const piece = isObject(call.function) ? call.function : {};
      const text = piece.arguments;
      const id = textOf(call.id);
      const name = textOf(piece.name);
      yield this.#answer.call(this.#keyOf(count(call, "index") ?? place, id, name), {
        id,
        name,
        // Some servers send the arguments as an object, at once.
        text: isObject(text) ? JSON.stringify(text) : textOf(text),
      });
    }
  }
}
