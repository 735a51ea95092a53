import type { LockOwner } from "../../errors.ts";
import { BranchlineError } from "../../errors.ts";
import type { Clock } from "../clock.ts";
import { aborted, throwIfAborted } from "../clock.ts";
import type { AcquireOptions, LockState, SessionLock } from "../session-lock.ts";

interface Waiter {
  readonly lock: MemoryLock;
  readonly serve: () => void;
}

/**
 * What all locks of one session share: who holds it and who waits, in order. Make one per session and
 * several {@link MemoryLock} on it.
 */
export class MemoryLockPlace {
  holder: MemoryLock | undefined;
  /** Owner of the present or last holder, as the advisory owner file tells it. */
  owner: LockOwner | null = null;
  readonly waiters: Waiter[] = [];

  /** Gives the lock to the longest waiter, if it is free. */
  serveNext(): void {
    if (this.holder !== undefined) return;
    const next = this.waiters.shift();
    if (next === undefined) return;
    this.holder = next.lock;
    this.owner = next.lock.owner;
    next.serve();
  }
}

/** Options of {@link MemoryLock}. */
export interface MemoryLockOptions {
  readonly place: MemoryLockPlace;
  readonly clock: Clock;
  readonly owner: LockOwner;
}

/** A lock inside one process, first come, first served: for deterministic tests. */
export class MemoryLock implements SessionLock {
  readonly #options: MemoryLockOptions;
  #lost = false;
  #closed = false;

  constructor(options: MemoryLockOptions) {
    this.#options = options;
  }

  get held(): boolean {
    return this.#options.place.holder === this;
  }

  async acquire(options: AcquireOptions = {}): Promise<void> {
    const { place, clock } = this.#options;
    const timeoutMs = options.timeoutMs ?? 1000;
    throwIfAborted(options.signal);
    if (this.#closed) throw new BranchlineError("STORE_CLOSED", {}, { message: "Lock closed." });
    if (this.held) return;
    this.#lost = false;
    await new Promise<void>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        cancel();
        options.signal?.removeEventListener("abort", stop);
        const index = place.waiters.indexOf(waiter);
        if (index >= 0) place.waiters.splice(index, 1);
        finish();
      };
      const waiter: Waiter = { lock: this, serve: () => settle(resolve) };
      const stop = (event: Event): void => {
        if (event.target instanceof AbortSignal) {
          const { target } = event;
          settle(() => reject(aborted(target)));
        }
      };
      const cancel = clock.schedule(timeoutMs, () => settle(() => reject(this.#busy(timeoutMs))));
      options.signal?.addEventListener("abort", stop);
      place.waiters.push(waiter);
      place.serveNext();
    });
  }

  async inspect(): Promise<LockState> {
    if (!this.held || this.#lost) return "lost";
    return this.#options.place.waiters.length > 0 ? "contended" : "quiet";
  }

  release(): void {
    const { place } = this.#options;
    if (!this.held) return;
    place.holder = undefined;
    place.serveNext();
  }

  /** No pause is needed: waiters are served in order. */
  async yieldTo(): Promise<void> {
    this.release();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.release();
  }

  /** Makes `inspect` say "lost", as if the lock file had been removed, until the next acquire. */
  lose(): void {
    this.#lost = true;
  }

  #busy(waitedMs: number): BranchlineError<"STORE_BUSY"> {
    const { owner } = this.#options.place;
    return new BranchlineError("STORE_BUSY", { owner, waitedMs }, { message: "The lock is held." });
  }

  /** Who this lock belongs to. */
  get owner(): LockOwner {
    return this.#options.owner;
  }
}
