import { systemClock } from "../io/clock.ts";

/** Time as a parameter of a harness, so that tests decide when a wait ends. `Clock` of the io layer fits. */
export interface HarnessClock {
  /** Ms since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
export const platformHarnessClock: HarnessClock = systemClock;
