import { ABORTED, orAborted } from "../model/abort-wait.ts";
import type { HarnessClock } from "./harness-clock.ts";

/** How long work that was aborted is waited for. */
export interface Grace {
  readonly signal: AbortSignal;
  readonly clock: HarnessClock;
  /** In ms, from the abort on. */
  readonly graceMs: number;
}

/**
 * Waits for work that hears the signal. After an abort it has the grace time to end by itself; then it is
 * left behind, its late outcome is nobody's concern, and this gives {@link ABORTED}. Rejects as the work does.
 */
export async function withGrace<T>(work: Promise<T>, grace: Grace): Promise<T | typeof ABORTED> {
  const first = await orAborted(work, grace.signal);
  if (first !== ABORTED) return first;
  const stop = new AbortController();
  const leave = (): typeof ABORTED => ABORTED;
  const late = grace.clock.sleep(grace.graceMs, stop.signal).then(leave, leave);
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}
