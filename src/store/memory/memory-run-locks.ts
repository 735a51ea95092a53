import { systemClock, throwIfAborted } from "../../io/clock.ts";
import { runActive } from "../refusals.ts";
import type { RunLock, RunLockOptions } from "../store.ts";

interface Freed {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Who runs on which branch of one session in memory. All is in this process, so no owner is named. */
export class MemoryRunLocks {
  readonly #held = new Map<string, Freed>();

  /** Takes a branch. Throws RUN_ACTIVE when the time is over, ABORTED. */
  async take(branch: string, options: RunLockOptions = {}): Promise<RunLock> {
    const { timeoutMs = 0, signal } = options;
    throwIfAborted(signal);
    const end = systemClock.monotonic() + timeoutMs;
    for (let held = this.#held.get(branch); held !== undefined; held = this.#held.get(branch)) {
      const left = end - systemClock.monotonic();
      if (left <= 0) throw runActive(branch, null);
      await freedOrLate(held, left, signal);
    }
    const freed = Promise.withResolvers<void>();
    this.#held.set(branch, freed);
    const release = async (): Promise<void> => {
      if (this.#held.get(branch) === freed) this.#held.delete(branch);
      freed.resolve();
    };
    return { branch, release, [Symbol.asyncDispose]: release };
  }
}

/** Throws ABORTED. */
async function freedOrLate(
  held: Freed,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stop = new AbortController();
  const over = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  try {
    await Promise.race([held.promise, systemClock.sleep(ms, over)]);
  } finally {
    stop.abort();
  }
}
