import { isObject } from "../../entry/entry-check.ts";
import type { Usage } from "../../entry/message.ts";
import type { AnswerBuilder, AnswerEnd } from "../../model/answer-builder.ts";
import { usageOf } from "../../model/cost.ts";
import { ProviderFailure } from "../../model/failure-text.ts";
import type { ModelEvent, ModelPrices } from "../../model/model.ts";
import { signatureOf } from "./prompt.ts";

type Members = Readonly<Record<string, unknown>>;

function count(members: unknown, name: string): number | undefined {
  const value = isObject(members) ? members[name] : undefined;
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function usageFrom(usage: Members, prices: ModelPrices | null): Usage {
  const { inputTokens, outputTokens } = usage;
  const cacheRead = count(inputTokens, "cacheRead") ?? 0;
  const cacheWrite = count(inputTokens, "cacheWrite") ?? 0;
  const total = count(inputTokens, "total") ?? 0;
  const counts = {
    input: count(inputTokens, "noCache") ?? Math.max(0, total - cacheRead - cacheWrite),
    output: count(outputTokens, "total") ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: count(outputTokens, "reasoning"),
  };
  return usageOf(counts, prices);
}

/** Puts the parts of a stream of the SDK into an answer. Parts of unknown types are passed over. */
export class StreamAnswer {
  readonly #answer: AnswerBuilder;
  readonly #prices: ModelPrices | null;
  /** The text of the arguments that each call has so far. */
  readonly #inputs = new Map<string, string>();
  /** Calls that the provider runs itself: they are none of ours. */
  readonly #foreign = new Set<string>();
  #usage: Usage | undefined;
  #finish: string | null = null;

  constructor(answer: AnswerBuilder, prices: ModelPrices | null) {
    this.#answer = answer;
    this.#prices = prices;
  }

  /** The tokens that were counted so far; undefined = none. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Takes a part. Throws what an error part holds. */
  *take(part: unknown): Generator<ModelEvent> {
    if (!isObject(part)) return;
    const id = textOf(part.id);
    switch (part.type) {
      case "text-delta":
        yield this.#answer.text(textOf(part.delta), id);
        break;
      case "reasoning-delta":
        yield this.#answer.thinking(textOf(part.delta), id);
        break;
      case "tool-input-start":
        if (part.providerExecuted === true) this.#foreign.add(id);
        else yield* this.#input(id, { name: textOf(part.toolName), text: "" });
        break;
      case "tool-input-delta":
        yield* this.#input(id, { text: textOf(part.delta) });
        break;
      case "tool-call":
        if (part.providerExecuted !== true) yield* this.#call(part);
        break;
      case "finish":
        this.#end(part);
        break;
      case "error":
        throw part.error;
    }
    yield* this.#sign(part, id);
  }

  /** How the answer ended, once the stream has. */
  end(): AnswerEnd {
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    const hasCalls = this.#answer.count("toolCall") > 0;
    switch (this.#finish) {
      case "length":
        return { stopReason: "length", ...usage };
      case "stop":
      case "tool-calls":
        return { stopReason: hasCalls ? "toolUse" : "stop", ...usage };
      case null:
        throw new ProviderFailure("The stream ended before its last event.");
      default:
        return {
          stopReason: "error",
          errorMessage: `The provider ended the answer: ${this.#finish}`,
          ...usage,
        };
    }
  }

  *#input(
    id: string,
    piece: { readonly name?: string; readonly text: string },
  ): Generator<ModelEvent> {
    if (this.#foreign.has(id)) return;
    this.#inputs.set(id, `${this.#inputs.get(id) ?? ""}${piece.text}`);
    yield this.#answer.call(id, { id, ...piece });
  }

  /** A whole call: what its pieces did not bring. */
  *#call(part: Members): Generator<ModelEvent> {
    const id = textOf(part.toolCallId);
    const whole = textOf(part.input);
    const known = this.#inputs.get(id) ?? "";
    const text = whole.startsWith(known) ? whole.slice(known.length) : "";
    if (text !== "" || !this.#inputs.has(id)) {
      yield* this.#input(id, { name: textOf(part.toolName), text });
    }
  }

  #end(part: Members): void {
    if (isObject(part.usage)) this.#usage = usageFrom(part.usage, this.#prices);
    const reason = isObject(part.finishReason) ? part.finishReason.unified : part.finishReason;
    this.#finish = textOf(reason) || "other";
  }

  /** Keeps what the provider wants back with a part, in the signature that Pi has for its kind. */
  *#sign(part: Members, id: string): Generator<ModelEvent> {
    const { providerMetadata, type } = part;
    if (!isObject(providerMetadata)) return;
    const signature = signatureOf(providerMetadata);
    const kind = textOf(type);
    if (kind === "text-end") this.#answer.sign("text", { textSignature: signature }, id);
    if (kind === "tool-call") {
      const members = { thoughtSignature: signature };
      this.#answer.sign("toolCall", members, textOf(part.toolCallId));
    }
    if (!kind.startsWith("reasoning-")) return;
    // Redacted thoughts have no text, and are lost without a block that holds their signature.
    if (kind === "reasoning-start") yield this.#answer.thinking("", id);
    this.#answer.sign("thinking", { thinkingSignature: signature }, id);
  }
}
