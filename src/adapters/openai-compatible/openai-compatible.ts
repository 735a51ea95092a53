import { BranchlineError } from "../../errors.ts";
import { AnswerBuilder, type AnswerEnd } from "../../model/answer-builder.ts";
import { failureText, ProviderFailure } from "../../model/failure-text.ts";
import type {
  ModelContext,
  ModelEvent,
  ModelInfo,
  ModelPrices,
  ModelProvider,
  StreamOptions,
} from "../../model/model.ts";
import { ifNamed } from "../../model/sole-model.ts";
import type { ModelRef } from "../../tree/fold.ts";
import { ChatAnswer } from "./chat-answer.ts";
import { chatRequest } from "./chat-request.ts";
import { eventData } from "./event-data.ts";
import { refusalText } from "./http-refusal.ts";

/** An endpoint that speaks OpenAI's chat completions, and one model of it. */
export interface OpenAiCompatibleOptions {
  /** Up to and without `/chat/completions`, http or https. Nothing is sent anywhere else; redirects are refused. */
  readonly baseUrl: string;
  /** Default: none, as servers on one's own machine need none. */
  readonly apiKey?: string;
  /** How the key is sent. Default "authorization" (`Authorization: Bearer …`). */
  readonly authHeader?: "authorization" | "api-key";
  /** The model's id as the server knows it. */
  readonly model: string;
  /** Name of the provider in messages and settings. Default "openai-compatible". */
  readonly provider?: string;
  /** What people read. Default: the model's id. */
  readonly name?: string;
  /** Tokens. Default null: not known. */
  readonly contextWindow?: number | null;
  /** Tokens of an answer, asked for in each request. Default null: not known, not sent. */
  readonly maxOutput?: number | null;
  /** Default null: not known. */
  readonly prices?: ModelPrices | null;
  /** Default false. */
  readonly takesImages?: boolean;
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ms without a byte after which the request fails; 0 = never. Default 300,000. */
  readonly idleTimeoutMs?: number;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** ms since the epoch. Default: the platform's clock. */
  readonly now?: () => number;
}

const DEFAULT_IDLE_MS = 300_000;
/** Pi's text of an abort. */
const ABORTED_TEXT = "Request was aborted";

function endpoint(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url !== null && /^https?:$/.test(url.protocol)) {
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
    return url.href;
  }
  throw new BranchlineError(
    "USAGE",
    {},
    {
      message: "The base URL of the model is no http or https address.",
      hint: "Give it up to and without /chat/completions, such as http://127.0.0.1:11434/v1.",
    },
  );
}

function infoOf(options: OpenAiCompatibleOptions): ModelInfo {
  return {
    provider: options.provider ?? "openai-compatible",
    modelId: options.model,
    name: options.name ?? options.model,
    contextWindow: options.contextWindow ?? null,
    maxOutput: options.maxOutput ?? null,
    prices: options.prices ?? null,
    takesImages: options.takesImages ?? false,
    isOffline: false,
  };
}

/** Aborts by itself when nothing came for a time. Whoever made it stops it. */
class IdleTimer {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.reset();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something came. */
  reset(): void {
    this.stop();
    if (this.#ms === 0) return;
    const text = `timed out: nothing came for ${this.#ms} ms`;
    this.#timer = setTimeout(() => this.#controller.abort(new ProviderFailure(text)), this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

class OpenAiCompatible implements ModelProvider {
  readonly #options: OpenAiCompatibleOptions;
  readonly #url: string;
  readonly #info: ModelInfo;
  readonly #now: () => number;

  constructor(options: OpenAiCompatibleOptions) {
    this.#options = options;
    this.#url = endpoint(options.baseUrl);
    this.#info = infoOf(options);
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
    const timestamp = this.#now();
    const answer = new AnswerBuilder({ model, api: "openai-completions", timestamp });
    const chat = new ChatAnswer(answer, model.prices);
    const idle = new IdleTimer(this.#options.idleTimeoutMs ?? DEFAULT_IDLE_MS);
    yield answer.start();
    let end: AnswerEnd;
    try {
      const response = await this.#send(chatRequest(model, context, options), [
        idle.signal,
        ...(options.signal === undefined ? [] : [options.signal]),
      ]);
      for await (const data of eventData(response)) {
        idle.reset();
        yield* chat.take(data);
        if (chat.isDone) break;
      }
      end = chat.end();
    } catch (error) {
      end = this.#failure(idle.signal.aborted ? idle.signal.reason : error, options.signal);
      if (chat.usage !== undefined) end = { ...end, usage: chat.usage };
    } finally {
      idle.stop();
    }
    yield answer.finish(end);
  }

  /** Gives the body of an accepted request; throws ProviderFailure with the text of a refusal. */
  async #send(body: object, signals: readonly AbortSignal[]): Promise<ReadableStream<Uint8Array>> {
    const { apiKey, authHeader, headers } = this.#options;
    const auth: Record<string, string> =
      authHeader === "api-key"
        ? { "api-key": apiKey ?? "" }
        : { authorization: `Bearer ${apiKey}` };
    const response = await (this.#options.fetch ?? fetch)(this.#url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        ...headers,
        ...(apiKey !== undefined && auth),
      },
      body: JSON.stringify(body),
      // A redirect would take the conversation, and maybe the key, elsewhere.
      redirect: "error",
      signal: AbortSignal.any([...signals]),
    });
    if (!response.ok) throw new ProviderFailure(await refusalText(response, this.#now()));
    if (response.body === null) throw new ProviderFailure("The answer has no body.");
    return response.body;
  }

  #failure(error: unknown, signal: AbortSignal | undefined): AnswerEnd {
    if (signal?.aborted) return { stopReason: "aborted", errorMessage: ABORTED_TEXT };
    const { apiKey = "", headers = {} } = this.#options;
    const errorMessage = failureText(error, [apiKey, ...Object.values(headers)]);
    return { stopReason: "error", errorMessage };
  }
}

/**
 * A provider of one model behind any server that speaks OpenAI's chat completions: streaming, tools,
 * thinking, usage with the cache. Without a package. It never tries again by itself: that is the loop's
 * policy, and the text of a refusal says how long the server wants to be left alone. The key is in no
 * message and no error. Throws USAGE for a base URL that is none.
 *
 * @example
 * const models = createOpenAiCompatible({ baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3" });
 */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): ModelProvider {
  return new OpenAiCompatible(options);
}
