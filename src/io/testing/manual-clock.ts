import type { Clock } from "../clock.ts";
import { aborted } from "../clock.ts";

interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

/** A clock that stands still until `advance` moves it. Starts at `start` ms since the epoch. */
export class ManualClock implements Clock {
  #wall: number;
  #elapsed = 0;
  readonly #timers = new Set<Timer>();

  constructor(start = 1_700_000_000_000) {
    this.#wall = start;
  }

  /** Number of sleeps and scheduled callbacks that have not rung. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(aborted(signal));
        return;
      }
      const cancel = this.schedule(ms, resolve);
      const stop = (): void => {
        cancel();
        if (signal) reject(aborted(signal));
      };
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#elapsed + ms, ring: callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Moves both times by `ms` and rings what is due, in order of time. */
  advance(ms: number): void {
    this.#wall += ms;
    this.#elapsed += ms;
    const due = [...this.#timers].filter((timer) => timer.at <= this.#elapsed);
    for (const timer of due.sort((a, b) => a.at - b.at)) {
      if (this.#timers.delete(timer)) timer.ring();
    }
  }

  /** Makes the wall time jump, as a changed system clock does; nothing rings. */
  jump(ms: number): void {
    this.#wall += ms;
  }
}
