import type { Random } from "./random.ts";

/** Default limit of a wait for a lock in ms (a waiter is served or refused in under a second or so). */
export const DEFAULT_LOCK_TIMEOUT_MS = 1000;

/** How often a waiter says again that it waits, in ms. */
export const NOTICE_INTERVAL_MS = 100;

const FIRST_INTERVAL_MAX_MS = 10;

/**
 * How long a holder that gave way stays away, in ms. Longer than the longest retry interval (10 ms)
 * plus the timers' grain, so that every waiter tries at least once before the old holder does.
 */
export const YIELD_MS: number = FIRST_INTERVAL_MAX_MS + 2;

/**
 * The next retry interval in ms. It falls with the time waited, from about 10 ms to 1 ms after 540 ms
 * (a slope, since on steps several waiters would have the same chance), so that whoever waited longest
 * most likely, not certainly, finds the lock free first. Jitter of 20 % keeps them from trying in step.
 */
export function retryInterval(waitedMs: number, random: Random): number {
  const longest = Math.max(1, FIRST_INTERVAL_MAX_MS - waitedMs / 60);
  return longest * (0.8 + 0.2 * random.float());
}
