import type { CompactionReason } from "../compaction/plan.ts";
import { isRefusal } from "../compaction/refusal.ts";
import { settingsFor } from "../compaction/settings.ts";
import type { AssistantMessage } from "../entry/message.ts";
import { besidesOf, type ReadyRequest, readyRequest, type StoredAnswer } from "./model-request.ts";
import { retryDelay } from "./retry.ts";
import type { RunScope } from "./run-scope.ts";

/** Compactions that failed in one run after which it tries no further one by itself. */
const MOST_FAILED_COMPACTIONS = 2;

/**
 * What a run does about contexts that are too large and about answers that failed (harness.md §6). Each
 * remedy is bounded: one compaction for an overflow, a number of waits for transient failures.
 */
export class RunRecovery {
  readonly #scope: RunScope;
  /** Attempts that failed in a row. */
  #failed = 0;
  #failedCompactions = 0;
  /** True from an overflow until an answer that fits. */
  #isOverflowing = false;
  #error: string | null = null;

  constructor(scope: RunScope) {
    this.#scope = scope;
  }

  /** What the provider said last that was a failure; null = nothing. */
  get error(): string | null {
    return this.#error;
  }

  /** False where compactions have failed too often in this run. */
  get mayCompact(): boolean {
    return this.#failedCompactions < MOST_FAILED_COMPACTIONS;
  }

  /** An answer has come whole. */
  succeed(): void {
    this.#failed = 0;
    this.#isOverflowing = false;
  }

  /** True where the request may be made again. */
  async recover({ message, failure }: StoredAnswer): Promise<boolean> {
    this.#error = message.errorMessage ?? "The request does not fit the context window.";
    if (failure === "overflow") return this.#recoverOverflow();
    return failure === "transient" && this.#wait(message);
  }

  /** True where the context is smaller now. Throws what the store throws. */
  async compact(reason: CompactionReason, ready: ReadyRequest): Promise<boolean> {
    const { kit, control, log } = this.#scope;
    const { model } = ready;
    const end = await kit.compactor.compact({
      ...{ session: kit.session, reason, model, signal: control.signal },
      besides: besidesOf(ready),
      expectedLeaf: log.leaf,
      tell: (event) => control.tell(event),
    });
    log.follow();
    if (isRefusal(end)) this.#failedCompactions++;
    return "entry" in end;
  }

  /** Once for each overflow: a compaction and the same request again; off means off (F085). */
  async #recoverOverflow(): Promise<boolean> {
    const { kit } = this.#scope;
    const ready = await readyRequest(this.#scope);
    const { provider, modelId } = ready.model;
    if (!settingsFor(kit.options.compaction, { provider, modelId }).enabled) {
      this.#error = `${this.#error} Compaction is switched off.`;
      return false;
    }
    if (this.#isOverflowing) return false;
    this.#isOverflowing = true;
    return this.compact("overflow", ready);
  }

  async #wait(failed: AssistantMessage): Promise<boolean> {
    const { kit, control } = this.#scope;
    this.#failed++;
    const attempt = this.#failed;
    const delayMs = retryDelay(kit.options.retry, attempt, failed);
    if (delayMs === null) return false;
    const error = failed.errorMessage ?? "";
    await control.tell({ type: "retry_scheduled", attempt, delayMs, error });
    try {
      await kit.options.clock.sleep(delayMs, control.signal);
    } catch (sleepError) {
      if (!control.signal.aborted) throw sleepError;
    }
    return true;
  }
}
