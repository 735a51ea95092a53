import type { Entry, EntryDraft } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import type { MoveResult } from "../session/leaf-move.ts";
import type { Session } from "../session/session.ts";
import { SerialQueue } from "../store/serial-queue.ts";
import type { RunLock } from "../store/store.ts";

/** What may be hung under a run's leaf without saying anything in its conversation. */
export const SETTINGS: ReadonlySet<string> = new Set([
  "active_tools_change",
  "compaction",
  "context_edit",
  "custom",
  "label",
  "model_change",
  "session_info",
  "thinking_level_change",
  "usage",
]);

/** What a log needs where its run goes on on another branch. */
export interface RunLogParts {
  /** The row that tells `resume` where the run is now. */
  readonly moved: (branch: string) => EntryDraft;
  /** Hears of it when it is durable. Must not write to this log. */
  readonly told: (move: MoveResult) => Promise<void>;
}

/**
 * The writing side of one run: one commit after the other, each under the run's own last entry. Where
 * another program has put messages into the branch, the run goes on as a branch of its own (design.md
 * §2 "Expected leaf"), so that a call is never cut off from its result by somebody else's words. It
 * holds the run lock of every branch that it writes to until it is released.
 */
export class RunLog {
  readonly session: Session;
  readonly #line = new SerialQueue();
  readonly #locks: RunLock[];
  readonly #parts: RunLogParts;
  #leaf: string | null;

  /** Takes over the lock of the session's branch, on which the session stands attached. */
  constructor(session: Session, lock: RunLock, parts: RunLogParts) {
    this.session = session;
    this.#parts = parts;
    this.#locks = [lock];
    this.#leaf = session.leaf;
  }

  /** The last entry of the run. */
  get leaf(): string | null {
    return this.#leaf;
  }

  /** Ids of the branches that the run has been on; the last one is where it is. */
  get branches(): readonly string[] {
    return this.#locks.map(({ branch }) => branch);
  }

  /**
   * One commit; durable when it resolves. `key` as in a commit request. Throws what a commit throws but
   * STORE_CONFLICT.
   */
  append(drafts: readonly EntryDraft[], key?: string): Promise<readonly Entry[]> {
    return this.#line.run(async () => {
      for (;;) {
        try {
          return await this.#commit(drafts, key);
        } catch (error) {
          if (!BranchlineError.is(error, "STORE_CONFLICT")) throw error;
          await this.#evade();
        }
      }
    });
  }

  /** Goes on from the session's leaf, after the session itself has written on behalf of the run. */
  follow(): void {
    this.#leaf = this.session.leaf;
  }

  /** Frees the locks. */
  async release(): Promise<void> {
    for (const lock of this.#locks) await lock.release();
  }

  async #commit(drafts: readonly EntryDraft[], key: string | undefined): Promise<readonly Entry[]> {
    const expected = { expectedLeaf: this.#leaf, ...(key === undefined ? {} : { key }) };
    const entries = await this.session.append(drafts, expected);
    this.#leaf = entries.at(-1)?.id ?? this.#leaf;
    return entries;
  }

  /** Somebody else has written something with an effect under our leaf. */
  async #evade(): Promise<void> {
    await this.session.refresh();
    if (this.#isSettingsOnly()) this.follow();
    else await this.#branchOff();
  }

  #isSettingsOnly(): boolean {
    for (const at of this.session.tree.ancestors(this.session.leaf)) {
      if (at.id === this.#leaf) return true;
      if (!SETTINGS.has(at.type)) return false;
    }
    return this.#leaf === null;
  }

  async #branchOff(): Promise<void> {
    // One commit: whoever finds the branch after a crash finds the run on it.
    const rows = (branch: string): readonly EntryDraft[] => [this.#parts.moved(branch)];
    const moved = await this.session.moveLeaf(this.#leaf, { rows });
    this.follow();
    const { branch, store } = this.session;
    this.#locks.push(await store.lockRun(branch));
    await this.#parts.told(moved);
  }
}
