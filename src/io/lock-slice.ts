import { BranchlineError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import type { AcquireOptions, SessionLock } from "./session-lock.ts";

/** Options of {@link LockSlice}. */
export interface LockSliceOptions {
  readonly lock: SessionLock;
  readonly clock: Clock;
  /** How long the lock is kept after the last work, in ms; default 5. */
  readonly idleMs?: number;
  /** How long it is kept in a row while others wait, in ms; default 50. */
  readonly sliceMs?: number;
}

/**
 * How well a work can trust what it saw before: "looked" = the lock was taken or looked at for this very
 * work; "kept" = it has been held since a look that is a few ms old at most.
 */
export type Hold = "looked" | "kept";

/** How long a look at the lock is good for, in ms. Each look is a system call by path. */
const LOOK_MS = 5;

/**
 * Gives the write path its time with the lock. Taking and freeing the lock for each commit would cost
 * more than the commit; holding it for long would shut others out. So it is kept for a short slice:
 * freed when nothing happens for `idleMs`, and after `sliceMs` in a row if somebody waits. Works run
 * one after the other. Owns the lock and closes it.
 */
export class LockSlice {
  readonly #lock: SessionLock;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #sliceMs: number;
  #sliceStart = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  #line: Promise<unknown> = Promise.resolve();
  #lastWork = 0;
  /** Ends the timer that runs, undefined where none does. */
  #cancelIdle: (() => void) | undefined;
  #closed = false;

  constructor(options: LockSliceOptions) {
    this.#lock = options.lock;
    this.#clock = options.clock;
    this.#idleMs = options.idleMs ?? 5;
    this.#sliceMs = options.sliceMs ?? 50;
  }

  /** True while the lock is held, also between two works. */
  get held(): boolean {
    return this.#lock.held;
  }

  /**
   * Runs `work` while the lock is held and gives what it gives. `options` bound the wait for the lock,
   * not the wait for earlier works of this object. Throws what {@link SessionLock.acquire} and `work`
   * throw, and `STORE_CLOSED`.
   */
  run<T>(work: (hold: Hold) => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    this.#waiting += 1;
    return this.#enqueue(async () => {
      try {
        if (this.#closed) throw closedError();
        const isFresh = this.#lock.held && this.#clock.monotonic() - this.#lookedAt < LOOK_MS;
        return await work(isFresh ? "kept" : await this.#take(options));
      } catch (error) {
        // What could not be done may have been the look itself.
        this.#lookedAt = Number.NEGATIVE_INFINITY;
        throw error;
      } finally {
        this.#waiting -= 1;
        this.#armIdle();
      }
    });
  }

  /** Waits for the works under way, then frees and closes the lock. Later works fail. */
  close(): Promise<void> {
    this.#closed = true;
    this.#cancelIdle?.();
    return this.#enqueue(() => this.#lock.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One thing at a time; a failure belongs to its caller and does not stop what comes next. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#line.then(work);
    this.#line = result.catch(() => undefined);
    return result;
  }

  /** Looks at the lock before its use (design §2); in a row of uses that is done every few ms (decision 11). */
  async #take(options: AcquireOptions): Promise<Hold> {
    const now = this.#clock.monotonic();
    if (this.#lock.held) {
      const state = await this.#lock.inspect();
      const over = now - this.#sliceStart >= this.#sliceMs;
      if (state === "lost") this.#lock.release();
      else if (over && state === "contended") await this.#lock.yieldTo();
      else if (over) this.#sliceStart = now;
    }
    if (!this.#lock.held) {
      await this.#lock.acquire(options);
      this.#sliceStart = this.#clock.monotonic();
    }
    this.#lookedAt = this.#clock.monotonic();
    return "looked";
  }

  /** One timer serves many works: when it rings, what is left of the time since the last one counts. */
  #armIdle(): void {
    if (this.#waiting > 0 || !this.#lock.held || this.#closed) return;
    this.#lastWork = this.#clock.monotonic();
    if (this.#cancelIdle === undefined) this.#schedule(this.#idleMs);
  }

  #schedule(ms: number): void {
    this.#cancelIdle = this.#clock.schedule(ms, () => {
      this.#cancelIdle = undefined;
      // The work under way arms it again.
      if (this.#waiting > 0) return;
      const left = this.#lastWork + this.#idleMs - this.#clock.monotonic();
      if (left > 0) this.#schedule(left);
      else this.#lock.release();
    });
  }
}

function closedError(): BranchlineError<"STORE_CLOSED"> {
  return new BranchlineError("STORE_CLOSED", {}, { message: "The session's lock was closed." });
}
