import { ABORTED } from "../model/abort-wait.ts";
import type { HarnessClock } from "./harness-clock.ts";

/** How long work that was aborted is waited for. */
export interface Grace {
  readonly signal: AbortSignal;
  readonly clock: HarnessClock;
  /** In ms, from the abort on. */
  readonly graceMs: number;
}

/**
 * Waits for work that hears the signal, one piece after the other, such as the events of a stream. After an
 * abort all of it together has the grace time: who goes on regardless is left behind, also where he never
 * stops saying something. Whoever made it disposes it.
 */
export class GraceWait implements Disposable {
  readonly #stop = new AbortController();
  #isOver = false;
  #leave: () => void = () => undefined;

  constructor({ signal, clock, graceMs }: Grace) {
    const end = (): void => {
      this.#isOver = true;
      this.#leave();
    };
    const begin = (): void => void clock.sleep(graceMs, this.#stop.signal).then(end, end);
    if (signal.aborted) begin();
    else signal.addEventListener("abort", begin, { once: true, signal: this.#stop.signal });
  }

  /**
   * Waits for the next piece; {@link ABORTED} where the time is over, and its late outcome is nobody's
   * concern then. Rejects as the work does. One at a time.
   */
  for<T>(work: Promise<T>): Promise<T | typeof ABORTED> {
    const { promise, resolve, reject } = Promise.withResolvers<T | typeof ABORTED>();
    this.#leave = () => resolve(ABORTED);
    if (this.#isOver) this.#leave();
    work.then(resolve, reject);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

/** Waits for one piece of work as {@link GraceWait} does. */
export async function withGrace<T>(work: Promise<T>, grace: Grace): Promise<T | typeof ABORTED> {
  using wait = new GraceWait(grace);
  return await wait.for(work);
}
