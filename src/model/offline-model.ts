import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";
import { estimateContextTokens, estimateTokens } from "../projection/token-estimate.ts";
import type { ModelRef } from "../tree/fold.ts";
import { ABORTED, orAborted } from "./abort-wait.ts";
import { AnswerBuilder, type AnswerEnd } from "./answer-builder.ts";
import { usageOf } from "./cost.ts";
import type { ModelContext, ModelEvent, ModelInfo, ModelProvider, StreamOptions } from "./model.ts";
import { type OfflineAnswer, offlineAnswer } from "./offline-answer.ts";
import { ifNamed } from "./sole-model.ts";

/** How to make the offline model. */
export interface OfflineModelOptions {
  /** Tokens. Default 32,000. A context that does not fit fails as it does at a provider. */
  readonly contextWindow?: number;
  /** Waited for before each word, so that people see it stream. Default: no wait. */
  readonly pace?: () => Promise<void>;
  /** ms since the epoch. Default: the platform's clock. */
  readonly now?: () => number;
}

const CONTEXT_WINDOW = 32_000;
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The text in words, blanks in front of them; of Chinese two characters each. Joined they are the text. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s*[!-~]+|\s*[^\s!-~]{1,2}|\s+/gu) ?? [];
}

const withText = (text: string): Message => ({ role: "user", content: text });

function* deltas(
  answer: AnswerBuilder,
  said: OfflineAnswer,
  ids: string,
): Generator<() => ModelEvent> {
  for (const word of wordsOf(said.thinking)) yield () => answer.thinking(word);
  for (const word of wordsOf(said.text)) yield () => answer.text(word);
  for (const [index, { name, arguments: args }] of said.calls.entries()) {
    const id = `${ids}-${index + 1}`;
    for (const text of wordsOf(JSON.stringify(args)))
      yield () => answer.call(id, { id, name, text });
  }
}

class OfflineModel implements ModelProvider {
  readonly #info: ModelInfo;
  readonly #pace: () => Promise<void>;
  readonly #now: () => number;

  constructor(options: OfflineModelOptions) {
    this.#info = {
      provider: "offline",
      modelId: "offline-1",
      name: "Offline model (keywords, no AI)",
      contextWindow: options.contextWindow ?? CONTEXT_WINDOW,
      maxOutput: null,
      prices: FREE,
      takesImages: false,
      isOffline: true,
    };
    this.#pace = options.pace ?? (() => Promise.resolve());
    this.#now = options.now ?? Date.now;
  }

  list(): Promise<readonly ModelInfo[]> {
    return Promise.resolve([this.#info]);
  }

  find(ref: ModelRef): Promise<ModelInfo | null> {
    return Promise.resolve(ifNamed(this.#info, ref));
  }

  async *stream(
    model: ModelInfo,
    context: ModelContext,
    options: StreamOptions = {},
  ): AsyncGenerator<ModelEvent> {
    const { signal, thinkingLevel = "off" } = options;
    const timestamp = this.#now();
    const answer = new AnswerBuilder({ model: this.#info, api: "offline", timestamp });
    yield answer.start();
    const input = estimateContextTokens([
      ...context.messages,
      withText(JSON.stringify(context.tools)),
    ]);
    const window = model.contextWindow ?? CONTEXT_WINDOW;
    if (input > window) {
      const errorMessage = `400 context_length_exceeded: ${input} tokens, the offline model takes ${window}`;
      yield answer.finish({ stopReason: "error", errorMessage });
      return;
    }
    const full = offlineAnswer(context);
    const said = thinkingLevel === "off" ? { ...full, thinking: "" } : full;
    const ids = `offline-${timestamp.toString(36)}-${callCount(context.messages) + 1}`;
    let end: AnswerEnd = { stopReason: said.calls.length > 0 ? "toolUse" : "stop" };
    for (const delta of deltas(answer, said, ids)) {
      if ((await orAborted(this.#pace(), signal)) === ABORTED) {
        end = { stopReason: "aborted", errorMessage: "Request was aborted" };
        break;
      }
      yield delta();
    }
    const output = estimateTokens(withText(said.thinking + said.text + JSON.stringify(said.calls)));
    yield answer.finish({ ...end, usage: usageOf({ input, output }, FREE) });
  }
}

/** Calls in the context: the number makes ids that no call of the path has. */
function callCount(messages: readonly Message[]): number {
  let count = 0;
  for (const message of messages) {
    const blocks: unknown = message.role === "assistant" ? message.content : [];
    if (!Array.isArray(blocks)) continue;
    count += blocks.filter((block) => isObject(block) && block.type === "toolCall").length;
  }
  return count;
}

/**
 * The model of a first minute without a key: no model at all but rules on keywords, English and Chinese.
 * It lists, reads and searches files, writes notes and recalls with whatever tools of that kind are
 * offered, several steps where several are asked for; it summarises from the words of a transcript; it
 * says in every answer that it is offline. Deterministic: the same context gives the same answer. Sends
 * nothing anywhere. Its answers name provider "offline", model "offline-1", whatever model was asked for.
 */
export function createOfflineModel(options: OfflineModelOptions = {}): ModelProvider {
  return new OfflineModel(options);
}
