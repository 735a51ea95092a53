import { BranchlineError } from "../../errors.ts";
import type { CommitRequest, CommitResult, StoreSession } from "../../store/store.ts";
import { SessionDecorator, StoreDecorator } from "../../store/testing/store-decorator.ts";

/** When the process "dies", counted in commits from 1. */
export interface Death {
  readonly at: number;
  /** "after" = that commit stands in the store, and nobody learns of it. */
  readonly moment: "before" | "after";
}

class DyingSession extends SessionDecorator {
  readonly #store: DyingStore;

  constructor(inner: StoreSession, store: DyingStore) {
    super(inner);
    this.#store = store;
  }

  override async commit(request: CommitRequest): Promise<CommitResult> {
    const isLast = this.#store.count();
    if (this.#store.isDead && !isLast) throw dead();
    if (!isLast) return this.inner.commit(request);
    if (this.#store.death?.moment === "after") await this.inner.commit(request);
    throw dead();
  }
}

/**
 * A store through which nothing is written any more from some commit on: what a killed process leaves
 * behind, within one process. Without a death it counts only.
 */
export class DyingStore extends StoreDecorator {
  death: Death | null = null;
  commits = 0;
  isDead = false;

  /** True for the commit that it dies at. */
  count(): boolean {
    this.commits++;
    const isLast = this.death !== null && this.commits === this.death.at;
    this.isDead ||= isLast;
    return isLast;
  }

  protected override wrap(session: StoreSession): StoreSession {
    return new DyingSession(session, this);
  }
}

function dead(): BranchlineError<"IO_FAILED"> {
  return new BranchlineError(
    "IO_FAILED",
    { operation: "write", path: "", errno: "EIO" },
    { message: "The store is dead." },
  );
}
