import { aborted } from "../../io/clock.ts";
import type { PreparedCommit } from "../commit-request.ts";
import type { CommitRequest, CommitResult } from "../store.ts";

/** A commit that was taken into a batch. Its signal has no effect any more. */
export interface WaitingCommit {
  readonly request: CommitRequest;
  /** JSON texts of its drafts. */
  readonly texts: readonly string[];
  resolve(result: CommitResult): void;
  reject(error: unknown): void;
}

class Waiting implements WaitingCommit {
  readonly request: CommitRequest;
  readonly texts: readonly string[];
  readonly promise: Promise<CommitResult>;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
  #abort: (() => void) | undefined;
  #aborted = false;

  constructor({ request, texts }: PreparedCommit) {
    this.request = request;
    this.texts = texts;
    const { promise, resolve, reject } = Promise.withResolvers<CommitResult>();
    this.promise = promise;
    this.resolve = resolve;
    this.reject = reject;
    if (request.signal !== undefined) this.#heed(request.signal);
  }

  #heed(signal: AbortSignal): void {
    this.#abort = () => {
      this.#aborted = true;
      this.reject(aborted(signal));
    };
    if (signal.aborted) this.#abort();
    else signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** From here on the signal has no effect: a refused commit must have changed nothing (P5). False where it was aborted. */
  begin(): boolean {
    if (this.#abort !== undefined) this.request.signal?.removeEventListener("abort", this.#abort);
    return !this.#aborted;
  }
}

/** Gets what is needed for a batch (the lock), then calls `take` once and answers all that it gives. */
export type RunBatch = (take: () => readonly WaitingCommit[]) => Promise<void>;

/**
 * Group commit: commits that come while a batch is on its way to the disk wait and go together in the
 * next one, so that they share one write and one sync (P1).
 */
export class CommitPump {
  readonly #runBatch: RunBatch;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  constructor(runBatch: RunBatch) {
    this.#runBatch = runBatch;
  }

  /** Adds a commit. The promise settles with its own answer, whatever happens to others. */
  push(commit: PreparedCommit): Promise<CommitResult> {
    const waiting = new Waiting(commit);
    this.#waiting.push(waiting);
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
    while (this.#waiting.length > 0) await this.#runOne();
    this.#running = null;
  }

  async #runOne(): Promise<void> {
    // Refused before anything is taken (the lock is busy), that is the answer to those who were here
    // when the wait began; whoever came later waits on its own account.
    let asked: readonly Waiting[] = [...this.#waiting];
    const take = (): readonly Waiting[] => {
      asked = this.#waiting.filter((one) => one.begin());
      this.#waiting = [];
      return asked;
    };
    try {
      await this.#runBatch(take);
    } catch (error) {
      for (const one of asked) {
        one.begin();
        one.reject(error);
      }
      const refused = new Set(asked);
      this.#waiting = this.#waiting.filter((one) => !refused.has(one));
    }
  }
}
