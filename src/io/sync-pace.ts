/** Quick syncs in a row until the next ones are made in place; after a slow one, more are asked for. */
const PROBATION = 8;
const PROBATION_AFTER_SLOW = 64;

/**
 * Decides for one file where its next sync is made. Through the thread pool it costs two wake-ups of a
 * thread, as much as a quarter of the sync itself on a quick disk, and a processor that fell asleep
 * meanwhile; in place it costs everybody else the time that the disk takes. So it is made in place while
 * the disk answers at once, and by the pool from the first slow answer on (decision 11).
 */
export class SyncPace {
  readonly #slowMs: number;
  #left = PROBATION;

  /** A sync that takes longer than `slowMs` is slow: for so long the event loop would stand still. */
  constructor(slowMs: number) {
    this.#slowMs = slowMs;
  }

  /** True where the next sync can be made in place. */
  get isQuick(): boolean {
    return this.#left === 0;
  }

  /** Takes in how long a sync took, in ms, wherever it was made. */
  took(ms: number): void {
    if (ms > this.#slowMs) this.#left = PROBATION_AFTER_SLOW;
    else if (this.#left > 0) this.#left -= 1;
  }
}
