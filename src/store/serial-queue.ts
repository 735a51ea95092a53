import { aborted } from "../io/clock.ts";

/**
 * Runs tasks one after the other in the order of the calls: the one place that orders the writes of a
 * session (P6). A task that fails does not hold up the next one.
 */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /**
   * Runs the task when all earlier ones have ended and gives its outcome. Throws ABORTED where the
   * signal is aborted before the task begins; then it never runs.
   */
  run<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#tail.then(() => {
      if (signal?.aborted) throw aborted(signal);
      return task();
    });
    this.#tail = turn.then(ignore, ignore);
    return turn;
  }

  /** Resolves when everything that was asked for so far has ended, whatever came of it. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}

/** The outcome belongs to the caller of `run`; here only the end counts. */
function ignore(): undefined {
  return undefined;
}
