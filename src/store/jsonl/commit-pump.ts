import { aborted } from "../../io/clock.ts";
import type { CommitRequest, CommitResult } from "../store.ts";

/** A commit that waits for its batch. */
export interface WaitingCommit {
  readonly request: CommitRequest;
  /** True once it was answered, for example because its signal aborted while it waited. */
  readonly answered: boolean;
  resolve(result: CommitResult): void;
  reject(error: unknown): void;
}

class Waiting implements WaitingCommit {
  readonly request: CommitRequest;
  readonly promise: Promise<CommitResult>;
  answered = false;
  readonly #resolve: (result: CommitResult) => void;
  readonly #reject: (error: unknown) => void;
  readonly #stopListening: () => void;

  constructor(request: CommitRequest) {
    this.request = request;
    const { promise, resolve, reject } = Promise.withResolvers<CommitResult>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    const { signal } = request;
    const abort = (): void => this.reject(aborted(signal as AbortSignal));
    signal?.addEventListener("abort", abort, { once: true });
    this.#stopListening = () => signal?.removeEventListener("abort", abort);
    if (signal?.aborted) abort();
  }

  resolve(result: CommitResult): void {
    this.#answer(() => this.#resolve(result));
  }

  reject(error: unknown): void {
    this.#answer(() => this.#reject(error));
  }

  #answer(settle: () => void): void {
    this.answered = true;
    this.#stopListening();
    settle();
  }
}

/**
 * Group commit: commits that come while a batch is on its way to the disk wait and go together in the
 * next one, so that they share one write and one sync (P1). `runBatch` gets the lock, then calls
 * `take` for everything that waits by then, and answers each.
 */
export class CommitPump {
  readonly #runBatch: (take: () => readonly WaitingCommit[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  constructor(runBatch: (take: () => readonly WaitingCommit[]) => Promise<void>) {
    this.#runBatch = runBatch;
  }

  /** Adds a commit. The promise settles with its own answer, whatever happens to others. */
  push(request: CommitRequest): Promise<CommitResult> {
    const waiting = new Waiting(request);
    if (!waiting.answered) this.#waiting.push(waiting);
    this.#running ??= this.#run();
    return waiting.promise;
  }

  /** Resolves when no commit waits or runs. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // One turn of the microtask queue, so that commits made in one go share the first batch too.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      let taken: readonly Waiting[] = [];
      const take = (): readonly Waiting[] => {
        taken = this.#waiting.filter((one) => !one.answered);
        this.#waiting = [];
        return taken;
      };
      try {
        await this.#runBatch(take);
      } catch (error) {
        // Refused before anything was taken (the lock is busy): that is the answer to all who wait.
        const refused = taken.length > 0 ? taken : take();
        for (const one of refused) if (!one.answered) one.reject(error);
      }
    }
    this.#running = null;
  }
}
