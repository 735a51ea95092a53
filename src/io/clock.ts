import { BranchlineError } from "../errors.ts";

/** Time as a parameter, so that tests and the simulator decide when something happens. */
export interface Clock {
  /** Wall time in ms since the epoch; may jump, so never used to measure a wait. */
  now(): number;
  /** Ms since some fixed instant; never goes back. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with `ABORTED` as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `callback` once after `ms`, unless the function that it gives is called before. Does not
   * keep the process alive.
   */
  schedule(ms: number, callback: () => void): () => void;
}

/** The error of every wait that its AbortSignal ended. */
export function aborted(signal: AbortSignal): BranchlineError<"ABORTED"> {
  return new BranchlineError(
    "ABORTED",
    {},
    { message: "The wait was cancelled.", cause: signal.reason },
  );
}

/** Throws `ABORTED` when the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
}

/** Ms since some fixed instant. Not `performance.now()`: Node takes 2 ms to load that, in every command. */
export function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicNow,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(aborted(signal));
        return;
      }
      const stop = new AbortController();
      const timer = setTimeout(() => {
        stop.abort();
        resolve();
      }, ms);
      signal?.addEventListener(
        "abort",
        () => {
          clearTimeout(timer);
          reject(aborted(signal));
        },
        { once: true, signal: stop.signal },
      );
    }),
  schedule: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
