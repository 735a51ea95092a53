import { monotonicNow } from "./clock.ts";

/** How long calls may be made in place without a turn of the event loop, in ms. */
const LONGEST_ROW_MS = 8;

/**
 * Gives the event loop its turns where asynchronous calls are answered in place: a program that awaits
 * nothing else would run in one row from promise to promise, and no timer, socket or signal would be
 * served meanwhile.
 */
export class LoopTurns {
  #last: number | null = null;

  /** True where the last turn that was taken here, or the first question, is too long ago. */
  get isDue(): boolean {
    const now = monotonicNow();
    this.#last ??= now;
    return now - this.#last > LONGEST_ROW_MS;
  }

  /** Waits for a turn. */
  async take(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#last = monotonicNow();
  }
}
