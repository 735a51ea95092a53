/** Options of {@link SessionLock.acquire}. */
export interface AcquireOptions {
  /** How long to try, in ms; default 1000. 0 = one try. */
  readonly timeoutMs?: number;
  /** True = the owner file names the owner when the call resolves. Default false: it is written behind. */
  readonly named?: boolean;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/**
 * What the holder of a lock sees: "quiet" = nobody waits; "contended" = somebody has waited since the
 * lock was taken; "lost" = the lock file was removed or replaced, so that others may hold another one.
 */
export type LockState = "quiet" | "contended" | "lost";

/**
 * The right to write one session, held by one owner at a time across processes (P6). The owner's death
 * frees it; time never does. One call at a time per object ({@link LockSlice} sees to that); whoever
 * made it closes it.
 */
export interface SessionLock {
  /** True from the end of `acquire` to `release`, `yieldTo` or `close`. */
  readonly held: boolean;
  /**
   * Tries until the lock is free; at once when it is held already. Throws `STORE_BUSY` (with the owner,
   * where known) when the time is over, `ABORTED`, `STORE_CLOSED`, `IO_FAILED`, `FILE_UNSAFE`.
   */
  acquire(options?: AcquireOptions): Promise<void>;
  /** Asks what happened since the lock was taken. Call it while it is held, before each use. */
  inspect(): Promise<LockState>;
  /** Frees the lock; nothing happens when it is not held. */
  release(): void;
  /** Frees the lock and waits long enough for every waiter to try once, before trying again is fair. */
  yieldTo(): Promise<void>;
  /** Frees the lock and everything that belongs to it; more calls do nothing. */
  close(): Promise<void>;
}
