import type { AssistantMessage } from "../entry/message.ts";
import { retryAfterMs } from "../model/failure.ts";

/** How transient failures of a provider are tried again. */
export interface RetryPolicy {
  /** Most attempts after the first one; 0 = none. Default 3. */
  readonly attempts: number;
  /** Wait before the first of them, in ms; doubled for each further one. Default 1,000. */
  readonly baseMs: number;
  /** Longest wait, in ms; a provider that asks for more is not tried again. Default 30,000. */
  readonly maxMs: number;
}

/** The policy where none is given. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, baseMs: 1000, maxMs: 30_000 };

/**
 * The wait before attempt `attempt` (from 1), in ms, or null where there is to be none. A provider that
 * names a time gets at least that time.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  failed: AssistantMessage,
): number | null {
  if (attempt > policy.attempts) return null;
  const asked = retryAfterMs(failed) ?? 0;
  if (asked > policy.maxMs) return null;
  return Math.max(asked, Math.min(policy.baseMs * 2 ** (attempt - 1), policy.maxMs));
}
