import type { AssistantMessage } from "../entry/message.ts";
import { ABORTED as SIGNALLED } from "../model/abort-wait.ts";
import type { ModelContext, ModelEvent, ModelInfo, ModelProvider } from "../model/model.ts";
import { type Grace, withGrace } from "./grace.ts";
import { errorText } from "./tool-output.ts";

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
 * Asks a model and gives the final message, whatever happens: what a provider throws, a stream that just
 * ends, and a provider that does not hear the signal become messages of the shape that the port
 * promises (harness.md §1). `told` is awaited for each event before the next one is taken.
 */
export async function streamAnswer(
  request: AnswerRequest,
  told: (event: AnswerProgress) => Promise<void>,
): Promise<AssistantMessage> {
  const { models, model, context, thinkingLevel, signal } = request;
  if (signal.aborted) return endedMessage(request, null, { stopReason: "aborted" });
  let partial: AssistantMessage | null = null;
  try {
    const limit = request.maxTokens === undefined ? {} : { maxTokens: request.maxTokens };
    const name = request.sessionId === undefined ? {} : { sessionId: request.sessionId };
    const options = { signal, thinkingLevel, ...name, ...limit };
    const events = models.stream(model, context, options)[Symbol.asyncIterator]();
    for (;;) {
      const next = await withGrace(events.next(), request);
      if (next === SIGNALLED) break;
      if (next.done === true) {
        return endedMessage(request, partial, { stopReason: "error", errorMessage: CUT_OFF });
      }
      if (next.value.type === "done") return next.value.message;
      partial = next.value.partial;
      await told(next.value);
    }
  } catch (error) {
    const errorMessage = errorText(error);
    if (!signal.aborted)
      return endedMessage(request, partial, { stopReason: "error", errorMessage });
  }
  return endedMessage(request, partial, { stopReason: "aborted" });
}

/** Counts as transient: the same request may succeed. */
const CUT_OFF = "The stream ended without a final message";

interface End {
  readonly stopReason: "error" | "aborted";
  readonly errorMessage?: string;
}

function endedMessage(
  { model, clock }: AnswerRequest,
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
  return { ...(partial ?? empty), stopReason: end.stopReason, errorMessage };
}
