import { isObject } from "../../entry/entry-check.ts";
import type { AssistantMessage } from "../../entry/message.ts";
import { BranchlineError } from "../../errors.ts";
import { AnswerBuilder } from "../../model/answer-builder.ts";
import { failureText, ProviderFailure, withoutSecrets } from "../../model/failure-text.ts";
import type {
  ModelContext,
  ModelEvent,
  ModelInfo,
  ModelProvider,
  StreamOptions,
} from "../../model/model.ts";
import { retryAfterText } from "../../model/retry-after.ts";
import { messagesForModel } from "../../model/wire-messages.ts";
import type { ModelRef } from "../../tree/fold.ts";
import type { PiContext, PiEvent, PiModel, PiModels, PiStreamOptions } from "./pi-ai-types.ts";

/** How Pi's providers are used. */
export interface PiAiOptions {
  /** Keys by provider. Default: Pi's own ways (variables of the environment). */
  readonly apiKeys?: Readonly<Record<string, string>>;
  /** Base URLs by provider, for gateways. Default: those of Pi's catalogue. */
  readonly baseUrls?: Readonly<Record<string, string>>;
  /** ms since the epoch. Default: the platform's clock. */
  readonly now?: () => number;
}

/** How the package is found. */
export interface LoadPiAiOptions extends PiAiOptions {
  /** Imports a module by name. Default: the `import` of this package. */
  readonly import?: (name: string) => Promise<unknown>;
}

const DELTAS: ReadonlySet<string> = new Set(["text_delta", "thinking_delta", "toolcall_delta"]);

/** Wire formats whose requests go through a `fetch` that is given; others refuse one. */
const WATCHED: ReadonlySet<string> = new Set([
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
]);

const isDelta = (type: string): type is "text_delta" | "thinking_delta" | "toolcall_delta" =>
  DELTAS.has(type);

function infoOf(model: PiModel): ModelInfo {
  const { input, output, cacheRead, cacheWrite } = model.cost;
  return {
    provider: model.provider,
    modelId: model.id,
    name: model.name,
    contextWindow: model.contextWindow,
    maxOutput: model.maxTokens,
    prices: { input, output, cacheRead, cacheWrite },
    takesImages: model.input.includes("image"),
    isOffline: false,
  };
}

/** The prompt goes where Pi takes it; instructions that came later stay in their place. */
function contextOf(context: ModelContext, model: ModelInfo): PiContext {
  const messages = messagesForModel(context.messages, { takesImages: model.takesImages });
  const [first] = messages;
  const tools = context.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  const rest = first?.role === "system" ? messages.slice(1) : messages;
  return {
    ...(first?.role === "system" && { systemPrompt: first.content }),
    messages: rest,
    ...(tools.length > 0 && { tools }),
  };
}

/** Pi's live object as it is now: its blocks change, their members do not. */
function snapshot(partial: AssistantMessage): AssistantMessage {
  const { stopReason: _, ...message } = partial;
  return { ...message, content: partial.content.map((block) => ({ ...block })) };
}

function isAnswer(value: unknown): value is AssistantMessage {
  return isObject(value) && value.role === "assistant" && Array.isArray(value.content);
}

/** One request: what its events need to become ours. */
class Exchange {
  readonly #secrets: readonly string[];
  readonly #now: () => number;
  /** What the text of a refusal gets. */
  #wait = "";

  constructor(secrets: readonly string[], now: () => number) {
    this.#secrets = secrets;
    this.#now = now;
  }

  /** Passes a request on and keeps what the headers of a refusal say about waiting: Pi's texts do not. */
  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const wait = (): string => retryAfterText((name) => response.headers.get(name), this.#now());
    this.#wait = response.ok ? "" : wait();
    return response;
  };

  /** Our event for one of Pi's; null where ours have none. Throws for an end without a message. */
  take(event: PiEvent): ModelEvent | null {
    if (event.type === "done" || event.type === "error") {
      const message = event.type === "done" ? event.message : event.error;
      if (isAnswer(message)) return { type: "done", message: this.#final(message) };
      throw new ProviderFailure("The answer has no message.");
    }
    if (!isAnswer(event.partial)) return null;
    if (event.type === "start") return { type: "start", partial: snapshot(event.partial) };
    if (!isDelta(event.type)) return null;
    const { type, contentIndex: index = 0, delta = "" } = event;
    return { type, index, delta, partial: snapshot(event.partial) };
  }

  /** A copy in JSON, without Pi's diagnostics (stacks, paths) and without keys. */
  #final(message: AssistantMessage): AssistantMessage {
    const copy: AssistantMessage & { readonly diagnostics?: unknown } = JSON.parse(
      JSON.stringify(message),
    );
    const { diagnostics: _, errorMessage, ...rest } = copy;
    if (errorMessage === undefined) return rest;
    const text = withoutSecrets(errorMessage, this.#secrets);
    return { ...rest, errorMessage: `${text}${rest.stopReason === "error" ? this.#wait : ""}` };
  }
}

class PiAi implements ModelProvider {
  readonly #models: PiModels;
  readonly #options: PiAiOptions;
  readonly #now: () => number;

  constructor(models: PiModels, options: PiAiOptions) {
    this.#models = models;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  list(): Promise<readonly ModelInfo[]> {
    return Promise.resolve(this.#models.getModels().map(infoOf));
  }

  find({ provider, modelId }: ModelRef): Promise<ModelInfo | null> {
    const model = this.#models.getModel(provider, modelId);
    return Promise.resolve(model === undefined ? null : infoOf(model));
  }

  async *stream(
    model: ModelInfo,
    context: ModelContext,
    options: StreamOptions = {},
  ): AsyncGenerator<ModelEvent> {
    const { apiKeys = {}, baseUrls = {} } = this.#options;
    const apiKey = apiKeys[model.provider];
    const answer = new AnswerBuilder({ model, api: "pi-ai", timestamp: this.#now() });
    const exchange = new Exchange(apiKey === undefined ? [] : [apiKey], this.#now);
    let isStarted = false;
    try {
      const known = this.#models.getModel(model.provider, model.modelId);
      if (known === undefined) throw new ProviderFailure("Pi knows no model of this name.");
      const target = { ...known, baseUrl: baseUrls[model.provider] ?? known.baseUrl };
      const request = { ...requestOptions(options, apiKey), ...watched(known.api, exchange) };
      for await (const piEvent of this.#models.streamSimple(
        target,
        contextOf(context, model),
        request,
      )) {
        const event = exchange.take(piEvent);
        if (event === null) continue;
        if (!isStarted && event.type !== "start") yield answer.start();
        isStarted = true;
        yield event;
        if (event.type === "done") return;
      }
      throw new ProviderFailure("The stream ended before its last event.");
    } catch (error) {
      if (!isStarted) yield answer.start();
      const isAborted = options.signal?.aborted === true;
      yield answer.finish({
        stopReason: isAborted ? "aborted" : "error",
        errorMessage: failureText(error, apiKey === undefined ? [] : [apiKey]),
      });
    }
  }
}

const watched = (api: string, exchange: Exchange): PiStreamOptions =>
  WATCHED.has(api) ? { fetch: exchange.fetch } : {};

function requestOptions(options: StreamOptions, apiKey: string | undefined): PiStreamOptions {
  const { signal, thinkingLevel = "off", maxTokens, sessionId } = options;
  return {
    ...(signal !== undefined && { signal }),
    ...(apiKey !== undefined && { apiKey }),
    ...(thinkingLevel !== "off" && { reasoning: thinkingLevel }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(sessionId !== undefined && { sessionId }),
    // Trying again is the loop's policy: visible, abortable, in the log.
    maxRetries: 0,
  };
}

/**
 * Pi's providers behind our port: `models` is a `Models` of `@earendil-works/pi-ai` 1.6.0, with whatever
 * providers are in it. Messages are Pi's own, without diagnostics and keys.
 */
export function fromPiModels(models: PiModels, options: PiAiOptions = {}): ModelProvider {
  return new PiAi(models, options);
}

function isPackage(value: unknown): value is { builtinModels(): PiModels } {
  return isObject(value) && typeof value.builtinModels === "function";
}

/**
 * Loads `@earendil-works/pi-ai` and gives all of its built-in providers, with the context windows and
 * prices of its catalogue. Throws NOT_SUPPORTED where the package is not installed or is another one.
 *
 * @example
 * const models = await loadPiAi();
 * const model = await models.find({ provider: "anthropic", modelId: "claude-opus-4-7" });
 */
export async function loadPiAi(options: LoadPiAiOptions = {}): Promise<ModelProvider> {
  const load = options.import ?? ((name: string): Promise<unknown> => import(name));
  const name = "@earendil-works/pi-ai/providers/all";
  let loaded: unknown;
  try {
    loaded = await load(name);
  } catch (cause) {
    throw unavailable("It could not be loaded.", cause);
  }
  if (isPackage(loaded)) return fromPiModels(loaded.builtinModels(), options);
  throw unavailable("It has no `builtinModels`.", undefined);
}

function unavailable(reason: string, cause: unknown): BranchlineError<"NOT_SUPPORTED"> {
  return new BranchlineError(
    "NOT_SUPPORTED",
    { feature: "pi-ai" },
    {
      message: `The providers of @earendil-works/pi-ai are not there. ${reason}`,
      hint: "Install it beside branchline: npm install @earendil-works/pi-ai@1.6.0",
      cause,
    },
  );
}
