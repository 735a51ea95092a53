/** How long calls may be made in place without a turn of the event loop, in ms. */
const LONGEST_ROW_MS = 8;

/** Ms since some fixed instant. Not `performance.now()`: Node takes 2 ms to load that, in every command. */
function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/**
 * Gives the event loop its turns where asynchronous calls are answered in place: a program that awaits
 * nothing else would run in one row from promise to promise, and no timer, socket or signal would be
 * served meanwhile.
 */
export class LoopTurns {
  #last = 0;

  /** True where the last turn that was taken here is too long ago. */
  get isDue(): boolean {
    return now() - this.#last > LONGEST_ROW_MS;
  }

  /** Waits for a turn. */
  async take(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#last = now();
  }
}
