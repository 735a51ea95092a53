import { isObject } from "../entry/entry-check.ts";
import { MAX_ENTRY_BYTES } from "../entry/line-encode.ts";
import type { AssistantMessage } from "../entry/message.ts";
import { ABORTED as SIGNALLED } from "../model/abort-wait.ts";
import { failureText } from "../model/failure-text.ts";
import type { ModelContext, ModelEvent, ModelInfo, ModelProvider } from "../model/model.ts";
import { type Grace, GraceWait } from "./grace.ts";

/** One request. */
export interface AnswerRequest extends Grace {
  readonly models: ModelProvider;
  readonly model: ModelInfo;
  readonly context: ModelContext;
  readonly thinkingLevel: string;
  readonly sessionId?: string;
  readonly maxTokens?: number;
}

/** What is told of an answer while it comes. */
export type AnswerProgress = Exclude<ModelEvent, { readonly type: "done" }>;

/**
 * UTF-16 units of all deltas of an answer. JSON makes at most six bytes of each, so that an answer of this
 * length always fits into an entry.
 */
export const MAX_ANSWER_LENGTH: number = MAX_ENTRY_BYTES / 8;

/**
 * Asks a model and gives the final message, whatever happens: what a provider throws, a stream that just
 * ends or never does, and a provider that does not hear the signal become messages of the shape that the
 * port promises (harness.md §1). `told` is awaited for each event before the next one is taken.
 */
export async function streamAnswer(
  request: AnswerRequest,
  told: (event: AnswerProgress) => Promise<void>,
): Promise<AssistantMessage> {
  const { signal } = request;
  if (signal.aborted) return endedMessage(request, null, { stopReason: "aborted" });
  const stop = new AbortController();
  const progress: Progress = { partial: null };
  using wait = new GraceWait(request);
  try {
    const ended = await take(request, { told, wait, progress, stop: stop.signal });
    if (ended !== null) return ended;
  } catch (error) {
    if (!signal.aborted) {
      // What a provider throws may hold a key.
      const end: End = { stopReason: "error", errorMessage: failureText(error) };
      return endedMessage(request, progress.partial, end);
    }
  } finally {
    stop.abort();
  }
  return endedMessage(request, progress.partial, { stopReason: "aborted" });
}

/** The answer as far as it has come. */
interface Progress {
  partial: AssistantMessage | null;
}

interface Taking {
  readonly told: (event: AnswerProgress) => Promise<void>;
  readonly wait: GraceWait;
  readonly progress: Progress;
  /** Aborts when nobody listens any more. */
  readonly stop: AbortSignal;
}

/** Takes events up to the last one; null where the provider was left behind after an abort. */
async function take(
  request: AnswerRequest,
  { told, wait, progress, stop }: Taking,
): Promise<AssistantMessage | null> {
  const events = streamOf(request, stop)[Symbol.asyncIterator]();
  let length = 0;
  try {
    for (;;) {
      const next = await wait.for(events.next());
      if (next === SIGNALLED) return null;
      if (next.done === true) return endedMessage(request, progress.partial, failed(CUT_OFF));
      const event = next.value;
      if (event.type === "done") return checked(request, event.message);
      if ("delta" in event) length += event.delta.length;
      if (length > MAX_ANSWER_LENGTH) {
        return endedMessage(request, progress.partial, failed(TOO_LONG));
      }
      progress.partial = event.partial;
      await told(event);
    }
  } finally {
    // Not waited for: a stream that hangs has been waited for already.
    void events.return?.().then(undefined, () => undefined);
  }
}

function streamOf(
  { models, model, context, thinkingLevel, signal, sessionId, maxTokens }: AnswerRequest,
  stop: AbortSignal,
): AsyncIterable<ModelEvent> {
  return models.stream(model, context, {
    signal: AbortSignal.any([signal, stop]),
    thinkingLevel,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  });
}

/**
 * A provider is foreign code: what is no answer becomes a failure. It is the answer of the model that was
 * asked, whatever it calls itself: its name becomes the model in force, which the next request needs.
 */
function checked(request: AnswerRequest, message: unknown): AssistantMessage {
  if (!isAnswer(message)) return endedMessage(request, null, failed(NO_ANSWER));
  const { provider, modelId: model } = request.model;
  const isNamed = message.provider === provider && message.model === model;
  return isNamed ? message : { ...message, provider, model };
}

function isAnswer(value: unknown): value is AssistantMessage {
  return isObject(value) && value.role === "assistant" && Array.isArray(value.content);
}

/** Counts as transient: the same request may succeed. */
const CUT_OFF = "The stream ended without a final message";
const TOO_LONG = `The answer was given up: it is longer than ${MAX_ANSWER_LENGTH} characters`;
const NO_ANSWER = "The provider gave something that is no answer";

interface End {
  readonly stopReason: "error" | "aborted";
  readonly errorMessage?: string;
}

function failed(errorMessage: string): End {
  return { stopReason: "error", errorMessage };
}

/** The answer as far as it has come, with an end that it did not get from its provider. */
export function endedMessage(
  { model, clock }: Pick<AnswerRequest, "model" | "clock">,
  partial: AssistantMessage | null,
  end: End,
): AssistantMessage {
  const { provider, modelId } = model;
  const empty: AssistantMessage = {
    role: "assistant",
    content: [],
    provider,
    model: modelId,
    timestamp: clock.now(),
  };
  const errorMessage = end.errorMessage ?? "Request was aborted";
  const name = { provider, model: modelId };
  return { ...(partial ?? empty), ...name, stopReason: end.stopReason, errorMessage };
}
