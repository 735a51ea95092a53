/**
 * What we use of a language model of the AI SDK (specification v4), by shape alone: the SDK is no
 * dependency, not even of types. A model of any of its providers fits.
 */

/** What a provider adds to a part and wants back with it. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;

/** A message of the prompt. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly object[];
}

/** What one call of a model is given. */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly object[];
  readonly maxOutputTokens?: number;
  readonly reasoning?: string;
  readonly abortSignal?: AbortSignal;
  readonly providerOptions?: object;
}

/** A language model of the AI SDK. */
export interface AiSdkLanguageModel {
  /** "v4". */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}
