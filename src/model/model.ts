import type { AssistantMessage, Message } from "../entry/message.ts";
import type { ModelRef } from "../tree/fold.ts";

/** US dollars for a million tokens of each kind. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What is known of a model. Unknown is null, never a guess. */
export interface ModelInfo extends ModelRef {
  /** What people read. */
  readonly name: string;
  /** Tokens that one request may hold, input and output together; null = not known. */
  readonly contextWindow: number | null;
  /** Tokens that one answer may have; null = not known. */
  readonly maxOutput: number | null;
  /** null = not known: costs are then shown as unknown. */
  readonly prices: ModelPrices | null;
  /** Kinds of content that it takes besides text. */
  readonly takesImages: boolean;
  /** True where no model stands behind it: surfaces say so wherever they name the model. */
  readonly isOffline: boolean;
}

/** A JSON Schema (an object at its top). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What one request sends. The system prompt is a message of role `system` at the beginning. */
export interface ModelContext {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
}

/** How one request is made. */
export interface StreamOptions {
  /** Ends the request: the final message then has `stopReason: "aborted"`. */
  readonly signal?: AbortSignal;
  /** "off", "minimal", "low", "medium", "high", "xhigh"; default "off". */
  readonly thinkingLevel?: string;
  /** Most tokens of the answer. */
  readonly maxTokens?: number;
  /** Lets a provider keep its cache for a session. */
  readonly sessionId?: string;
}

/** Why an answer ended, as Pi names it. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/**
 * What a request gives, in order: `start`, then deltas, then exactly one `done`. `partial` is the answer so
 * far; `index` is the place of the block in its content.
 */
export type ModelEvent =
  | { readonly type: "start"; readonly partial: AssistantMessage }
  | {
      readonly type: "text_delta" | "thinking_delta" | "toolcall_delta";
      readonly index: number;
      readonly delta: string;
      readonly partial: AssistantMessage;
    }
  | { readonly type: "done"; readonly message: AssistantMessage };

/**
 * The model port (harness.md §1). `stream` never throws and never rejects for what a provider does:
 * failures and aborts are a final message with `stopReason` "error" or "aborted" and an `errorMessage`, so
 * that they go through the same events and into the same log. Its final message has Pi's shape, with `api`,
 * `provider`, `model`, `usage`, `stopReason`, `timestamp` (ms).
 */
export interface ModelProvider {
  /** The models it can name without asking anybody. */
  list(): Promise<readonly ModelInfo[]>;
  /** The model, or null where it has none of this name. */
  find(ref: ModelRef): Promise<ModelInfo | null>;
  stream(
    model: ModelInfo,
    context: ModelContext,
    options?: StreamOptions,
  ): AsyncIterable<ModelEvent>;
}
