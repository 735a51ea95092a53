import type { CompactionDone } from "../compaction/compact.ts";
import { type CompactOptions, compact as compactPath } from "../compaction/compact.ts";
import { extractiveSummariser } from "../compaction/extractive-summariser.ts";
import { modelSummariser, type SummaryRequest } from "../compaction/model-summariser.ts";
import type { CompactionReason } from "../compaction/plan.ts";
import { type CompactionRefusal, isRefusal } from "../compaction/refusal.ts";
import type { Summariser } from "../compaction/summariser.ts";
import type { AssistantMessage } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import { aborted } from "../io/clock.ts";
import { ABORTED, orAborted } from "../model/abort-wait.ts";
import { failureKind } from "../model/failure.ts";
import { failureText } from "../model/failure-text.ts";
import type { ModelInfo } from "../model/model.ts";
import type { Session } from "../session/session.ts";
import { streamAnswer } from "./answer-stream.ts";
import type { HarnessEvent } from "./events.ts";
import type { ResolvedOptions } from "./harness-options.ts";
import { retryDelay } from "./retry.ts";

/** One compaction. */
export interface CompactionRequest
  extends Pick<CompactOptions, "instructions" | "keep" | "besides"> {
  readonly session: Session;
  readonly reason: CompactionReason;
  readonly model: ModelInfo;
  readonly signal: AbortSignal;
  readonly expectedLeaf: string | null;
  readonly tell: (event: HarnessEvent) => Promise<void>;
}

/** What became of it. Aborted = nothing was written. */
export type CompactionEnd = CompactionDone | CompactionRefusal | { readonly aborted: true };

/**
 * Makes the compactions of a harness: one at a time, told from start to end. A refused or failed one
 * changes nothing, and the run goes on with the context as it is (F078, F082, F092).
 */
export class Compactor {
  readonly #options: ResolvedOptions;
  #current: Promise<CompactionEnd> | null = null;

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  /** The compaction under way, which a second request may join; null = none. */
  get current(): Promise<CompactionEnd> | null {
    return this.#current;
  }

  /** Compacts the path of the session. Throws what the store throws. */
  async compact(request: CompactionRequest): Promise<CompactionEnd> {
    const work = this.#compact(request);
    this.#current = work;
    try {
      return await work;
    } finally {
      this.#current = null;
    }
  }

  /** The summariser for a model; `tell` hears of the waits before a failed request is made again. */
  summariserFor(model: ModelInfo, tell: Tell = untold): Summariser {
    const { summariser } = this.#options;
    if (summariser !== undefined) return guarded(summariser);
    return guarded(model.isOffline ? extractiveSummariser() : this.#modelSummariser(model, tell));
  }

  async #compact(request: CompactionRequest): Promise<CompactionEnd> {
    const { session, reason, tell } = request;
    await tell({ type: "compaction_start", reason });
    let failure: unknown = null;
    let end: CompactionEnd;
    try {
      end = await this.#attempt(request);
    } catch (error) {
      failure = error;
      end = { aborted: true };
    }
    const done = "entry" in end ? end : null;
    // What was there before is only asked for where nothing was done about it.
    const tokens = done === null ? (await session.context()).tokens : 0;
    await tell({
      type: "compaction_end",
      reason,
      entryId: done?.entry.id ?? null,
      error: failure === null ? errorOf(end) : failureText(failure),
      tokensBefore: done?.tokensBefore ?? tokens,
      tokensAfter: done?.tokensAfter ?? tokens,
    });
    if (failure !== null) throw failure;
    return end;
  }

  async #attempt(request: CompactionRequest): Promise<CompactionEnd> {
    const { session, model, tell, ...rest } = request;
    try {
      return await compactPath(session, {
        ...rest,
        summariser: this.summariserFor(model, tell),
        settings: this.#options.compaction,
        random: this.#options.random,
        model: { provider: model.provider, modelId: model.modelId },
        contextWindow: model.contextWindow,
      });
    } catch (error) {
      if (BranchlineError.is(error, "ABORTED")) return { aborted: true };
      // Somebody wrote into the path meanwhile: what was planned does not fit it any more.
      if (!BranchlineError.is(error, "STORE_CONFLICT")) throw error;
      return { refused: "leaf-moved", message: error.message };
    }
  }

  #modelSummariser(model: ModelInfo, tell: Tell): Summariser {
    const { clock } = this.#options;
    const never = new AbortController().signal;
    return modelSummariser(async (request) => {
      const { signal = never } = request;
      // What is transient for a prompt is it for a summary too (P49): the same policy.
      for (let attempt = 1; ; attempt++) {
        const message = await this.#ask(model, { ...request, signal });
        const delayMs = this.#delay(message, model, attempt);
        if (delayMs === null) return message;
        const error = message.errorMessage ?? "";
        await tell({ type: "retry_scheduled", attempt, delayMs, error });
        await clock.sleep(delayMs, signal);
      }
    }, `${model.provider}/${model.modelId}`);
  }

  /** The wait before the request is made again; null = it is not. */
  #delay(message: AssistantMessage, model: ModelInfo, attempt: number): number | null {
    if (failureKind(message, model) !== "transient") return null;
    return retryDelay(this.#options.retry, attempt, message);
  }

  #ask(
    model: ModelInfo,
    request: SummaryRequest & { readonly signal: AbortSignal },
  ): Promise<AssistantMessage> {
    const { models, clock, abortGraceMs: graceMs } = this.#options;
    const { system, text, maxTokens, signal, onText } = request;
    const timestamp = clock.now();
    const messages = [
      { role: "system", content: system, timestamp },
      { role: "user", content: text, timestamp },
    ];
    const context = { messages, tools: [] };
    return streamAnswer(
      { ...{ models, model, context, maxTokens, signal, clock, graceMs }, thinkingLevel: "off" },
      async (event) => {
        if (event.type === "text_delta") onText?.(event.delta);
      },
    );
  }
}

/** Tells listeners; never rejects. */
type Tell = (event: HarnessEvent) => Promise<void>;

/** Where nobody listens. */
const untold: Tell = async () => undefined;

/**
 * A summariser that throws is one that failed: only the store's failures end a run (F078). One that does
 * not hear an abort is left behind at once, since nothing of it would be kept.
 */
function guarded(summariser: Summariser): Summariser {
  const { name, isExtractive } = summariser;
  return {
    name,
    isExtractive,
    async summarise(input, options = {}) {
      const { signal } = options;
      try {
        const summary = await orAborted(summariser.summarise(input, options), signal);
        if (summary !== ABORTED) return summary;
      } catch (error) {
        if (signal?.aborted !== true) {
          return { text: "", stopReason: "error", errorMessage: failureText(error) };
        }
      }
      throw aborted(signal ?? AbortSignal.abort());
    },
  };
}

function errorOf(end: CompactionEnd): string | null {
  if ("aborted" in end) return "aborted";
  return isRefusal(end) ? end.message : null;
}
