import { isObject } from "../../entry/entry-check.ts";
import { BranchlineError } from "../../errors.ts";
import { AnswerBuilder, type AnswerEnd } from "../../model/answer-builder.ts";
import { failureText } from "../../model/failure-text.ts";
import type {
  ModelContext,
  ModelEvent,
  ModelInfo,
  ModelPrices,
  ModelProvider,
  StreamOptions,
} from "../../model/model.ts";
import { retryAfterText } from "../../model/retry-after.ts";
import { ifNamed } from "../../model/sole-model.ts";
import type { ModelRef } from "../../tree/fold.ts";
import type { AiSdkLanguageModel, CallOptions } from "./ai-sdk-types.ts";
import { AI_SDK_API, promptOf, toolPart } from "./prompt.ts";
import { StreamAnswer } from "./stream-answer.ts";

/** What the SDK does not know of its model. */
export interface AiSdkOptions {
  /** Name of the provider in messages and settings. Default: the model's, such as "anthropic.messages". */
  readonly provider?: string;
  /** What people read. Default: the model's id. */
  readonly name?: string;
  /** Tokens. Default null: not known. */
  readonly contextWindow?: number | null;
  /** Tokens of an answer, asked for in each request. Default null: not known, not sent. */
  readonly maxOutput?: number | null;
  /** Default null: not known. */
  readonly prices?: ModelPrices | null;
  /** Default true. */
  readonly takesImages?: boolean;
  /** Passed on to the provider with each call. */
  readonly providerOptions?: CallOptions["providerOptions"];
  /** Keys that must appear in no text; what looks like a key is taken out anyhow. */
  readonly secrets?: readonly string[];
  /** ms since the epoch. Default: the platform's clock. */
  readonly now?: () => number;
}

/** Pi's text of an abort. */
const ABORTED_TEXT = "Request was aborted";

function infoOf(model: AiSdkLanguageModel, options: AiSdkOptions): ModelInfo {
  return {
    provider: options.provider ?? model.provider,
    modelId: model.modelId,
    name: options.name ?? model.modelId,
    contextWindow: options.contextWindow ?? null,
    maxOutput: options.maxOutput ?? null,
    prices: options.prices ?? null,
    takesImages: options.takesImages ?? true,
    isOffline: false,
  };
}

/** What the headers of a failed call say about waiting. */
function waitOf(error: unknown, now: number): string {
  const headers = isObject(error) ? error.responseHeaders : undefined;
  if (!isObject(headers)) return "";
  return retryAfterText((name) => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  }, now);
}

class AiSdk implements ModelProvider {
  readonly #model: AiSdkLanguageModel;
  readonly #options: AiSdkOptions;
  readonly #info: ModelInfo;
  readonly #now: () => number;

  constructor(model: AiSdkLanguageModel, options: AiSdkOptions) {
    this.#model = model;
    this.#options = options;
    this.#info = infoOf(model, options);
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
    const answer = new AnswerBuilder({ model, api: AI_SDK_API, timestamp: this.#now() });
    const parts = new StreamAnswer(answer, model.prices);
    yield answer.start();
    let end: AnswerEnd;
    try {
      const { stream } = await this.#model.doStream(this.#call(model, context, options));
      for await (const part of stream) yield* parts.take(part);
      end = parts.end();
    } catch (error) {
      end = this.#failure(error, options.signal);
      if (parts.usage !== undefined) end = { ...end, usage: parts.usage };
    }
    // A provider may end its stream quietly when it is aborted.
    if (options.signal?.aborted) end = { ...end, ...this.#failure(null, options.signal) };
    yield answer.finish(end);
  }

  #call(model: ModelInfo, context: ModelContext, options: StreamOptions): CallOptions {
    const { signal, thinkingLevel = "off", maxTokens = model.maxOutput } = options;
    const { providerOptions } = this.#options;
    return {
      prompt: promptOf(context, model),
      ...(context.tools.length > 0 && { tools: context.tools.map(toolPart) }),
      ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
      ...(thinkingLevel !== "off" && { reasoning: thinkingLevel }),
      ...(signal !== undefined && { abortSignal: signal }),
      ...(providerOptions !== undefined && { providerOptions }),
    };
  }

  #failure(error: unknown, signal: AbortSignal | undefined): AnswerEnd {
    if (signal?.aborted) return { stopReason: "aborted", errorMessage: ABORTED_TEXT };
    const text = failureText(error, this.#options.secrets);
    return { stopReason: "error", errorMessage: `${text}${waitOf(error, this.#now())}` };
  }
}

/**
 * A language model of the AI SDK (specification v4, `ai` 7) behind our port: of any of its providers,
 * with tools, thinking, usage. The SDK's loop and its retries are not used. Throws NOT_SUPPORTED for a
 * model of another specification.
 *
 * @example
 * import { anthropic } from "@ai-sdk/anthropic";
 * const models = fromLanguageModel(anthropic("claude-opus-4-7"), { contextWindow: 200_000 });
 */
export function fromLanguageModel(
  model: AiSdkLanguageModel,
  options: AiSdkOptions = {},
): ModelProvider {
  if (model.specificationVersion === "v4") return new AiSdk(model, options);
  const feature = `AI SDK language model of specification ${model.specificationVersion}`;
  throw new BranchlineError(
    "NOT_SUPPORTED",
    { feature },
    {
      message: "The model is no language model of the AI SDK's specification v4.",
      hint: "Use a provider package that belongs to ai 7.",
    },
  );
}
