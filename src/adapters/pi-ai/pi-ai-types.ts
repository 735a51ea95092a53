/**
 * What we use of `@earendil-works/pi-ai` 1.6.0, by shape alone: the package is no dependency, not even of
 * types, and is loaded where a person asks for it.
 */

/** A chat model of Pi's catalogue. Prices in US dollars for a million tokens. */
export interface PiModel {
  readonly id: string;
  readonly name: string;
  readonly api: string;
  readonly provider: string;
  readonly baseUrl: string;
  /** "text", "image". */
  readonly input: readonly string[];
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

/** What one request of Pi sends. */
export interface PiContext {
  readonly systemPrompt?: string;
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[];
}

/** How one request of Pi is made. */
export interface PiStreamOptions {
  readonly signal?: AbortSignal;
  readonly apiKey?: string;
  readonly reasoning?: string;
  readonly maxTokens?: number;
  readonly sessionId?: string;
  readonly maxRetries?: number;
  readonly fetch?: typeof fetch;
}

/** An event of Pi's stream; members by its `type`. */
export interface PiEvent {
  readonly type: string;
  readonly contentIndex?: number;
  readonly delta?: string;
  /** The answer so far: one object that goes on changing. */
  readonly partial?: unknown;
  /** Of `done`. */
  readonly message?: unknown;
  /** Of `error`. */
  readonly error?: unknown;
}

/** Pi's collection of providers: its `Models`. */
export interface PiModels {
  getModels(provider?: string): readonly PiModel[];
  getModel(provider: string, id: string): PiModel | undefined;
  streamSimple(
    model: PiModel,
    context: PiContext,
    options?: PiStreamOptions,
  ): AsyncIterable<PiEvent>;
}
