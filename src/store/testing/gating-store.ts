import { prepareCommit } from "../commit-request.ts";
import type { CommitRequest, CommitResult, StoreSession } from "../store.ts";
import { SessionDecorator, StoreDecorator } from "./store-decorator.ts";

/**
 * When a commit fails: "before" nothing was written, "after" the entries stand in the store and the
 * caller does not know (as with APPEND_UNKNOWN).
 */
export type FailureMoment = "before" | "after";

interface PlannedFailure {
  readonly error: unknown;
  readonly moment: FailureMoment;
}

interface Waiter {
  readonly count: number;
  readonly resolve: () => void;
}

/** Parks, releases and fails commits on command, so that tests need no sleeps. */
export class CommitGate {
  readonly #parked: (() => void)[] = [];
  readonly #failures: PlannedFailure[] = [];
  #waiters: Waiter[] = [];
  #isParking = false;

  /** Number of commits that wait at the gate. */
  get waiting(): number {
    return this.#parked.length;
  }

  /** From here on commits wait until they are released. */
  park(): void {
    this.#isParking = true;
  }

  /** Lets the oldest `count` waiting commits through; later ones still wait. Default 1. */
  release(count = 1): void {
    for (const open of this.#parked.splice(0, count)) open();
  }

  /** Lets all waiting commits through and parks no more. */
  open(): void {
    this.#isParking = false;
    this.release(this.#parked.length);
  }

  /** The next commit that passes the gate fails with this error. Calls add up, in order. */
  failNext(error: unknown, moment: FailureMoment = "before"): void {
    this.#failures.push({ error, moment });
  }

  /** Resolves as soon as `count` commits wait. */
  async parked(count: number): Promise<void> {
    if (this.#parked.length >= count) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push({ count, resolve });
    });
  }

  /** Takes one commit through the gate. */
  async pass(commit: () => Promise<CommitResult>): Promise<CommitResult> {
    if (this.#isParking) await this.#wait();
    const failure = this.#failures.shift();
    if (failure?.moment === "before") throw failure.error;
    const result = await commit();
    if (failure !== undefined) throw failure.error;
    return result;
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#parked.push(resolve);
      const enough = this.#waiters.filter(({ count }) => count <= this.#parked.length);
      this.#waiters = this.#waiters.filter(({ count }) => count > this.#parked.length);
      for (const waiter of enough) waiter.resolve();
    });
  }
}

class GatedSession extends SessionDecorator {
  readonly #gate: CommitGate;

  constructor(inner: StoreSession, gate: CommitGate) {
    super(inner);
    this.#gate = gate;
  }

  override async commit(request: CommitRequest): Promise<CommitResult> {
    // As it is now: what the caller changes while the commit is parked has no effect.
    const prepared = prepareCommit(request);
    return await this.#gate.pass(() => this.inner.commit(prepared));
  }
}

/**
 * A store whose commits all go through one {@link CommitGate}. Closing it closes the inner store; a
 * commit that is still parked then fails with STORE_CLOSED when it is released.
 */
export class GatingStore extends StoreDecorator {
  readonly gate: CommitGate = new CommitGate();

  protected override wrap(session: StoreSession): StoreSession {
    return new GatedSession(session, this.gate);
  }
}
