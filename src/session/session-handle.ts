import type { Entry, EntryDraft } from "../entry/entry.ts";
import { newEntryId, type RandomBytes } from "../entry/ids.ts";
import { LEAF_TYPE, type LeafMark } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { leafMatches } from "../store/commit-plan.ts";
import { prepareCommit } from "../store/commit-request.ts";
import type { CommitRequest, StoreSession } from "../store/store.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { ContextCache } from "./context-cache.ts";

/** How often an operation is decided anew after others were faster, before STORE_CONFLICT is passed on. */
const MAX_ATTEMPTS = 8;

/** The wall clock as a parameter; `systemClock` of the io layer fits. */
export interface WallClock {
  /** Ms since the epoch. */
  now(): number;
}

/** Options of an append besides its drafts. */
export type AppendOptions = Pick<CommitRequest, "expectedLeaf" | "key" | "signal">;

/** What a handle needs from outside. */
export interface HandleParts {
  readonly store: StoreSession;
  readonly clock: WallClock;
  readonly random: RandomBytes;
}

/**
 * The position of one open handle (design.md §2 "Leaf"): either on a branch, whose head is its leaf and
 * moves along with it, or detached at an entry inside the tree, until the first entry of its own
 * starts a branch there. All operations of a session work on this.
 */
export class SessionHandle {
  readonly store: StoreSession;
  readonly clock: WallClock;
  readonly random: RandomBytes;
  /** Contexts anywhere in the session, for this handle's questions. */
  readonly contexts: ContextCache;
  /** The stored leaf when the handle was made. */
  readonly #start: string | null;
  /** null while it was not asked for, and only the end of the session is known. */
  #branch: string | null = null;
  #detached: { readonly at: string | null } | null = null;

  constructor(parts: HandleParts) {
    this.store = parts.store;
    this.clock = parts.clock;
    this.random = parts.random;
    this.contexts = new ContextCache(parts.store);
    this.#start = this.tree.leaf();
    if (this.store.verified) this.#branch = this.tree.branchOf(this.#start);
  }

  get tree(): SessionTree {
    return this.store.tree;
  }

  /** Throws SESSION_UNVERIFIED where only the end of the session was read and does not tell. */
  get branch(): string {
    this.#branch ??= this.tree.branchOf(this.#start);
    return this.#branch;
  }

  get detached(): boolean {
    return this.#detached !== null;
  }

  get leaf(): string | null {
    if (this.#detached !== null) return this.#detached.at;
    // The stored leaf is the head of its branch, whichever that is.
    if (this.#branch === null && !this.store.verified) return this.#start;
    return this.tree.head(this.branch);
  }

  /** The branch under which session-wide rows are hung: they move nobody, a detached handle neither. */
  get home(): string {
    return this.#detached === null ? this.branch : this.tree.branchOf(this.tree.leaf());
  }

  /** Takes the handle onto a branch. */
  goTo(branch: string): void {
    this.#branch = branch;
    this.#detached = null;
  }

  /** Takes the handle to an entry inside the tree, without writing. */
  detach(at: string | null): void {
    this.#branch = this.tree.branchOf(at);
    this.#detached = { at };
  }

  /** Id of a new operation. */
  newOp(): string {
    return newEntryId(this.random);
  }

  /** The entry's place. Throws ENTRY_UNKNOWN. */
  mustFind(id: string): TreeEntry {
    const at = this.tree.get(id);
    if (at !== undefined) return at;
    throw new BranchlineError(
      "ENTRY_UNKNOWN",
      { revision: id },
      { message: `No entry has the id ${id}.` },
    );
  }

  /** True where the entry lies on the path to the handle's leaf. */
  isOnPath(id: string): boolean {
    return this.tree.commonAncestor(id, this.leaf)?.id === id;
  }

  /**
   * One commit under the handle's leaf. A detached handle starts a branch at its entry in the same
   * commit and stands on it afterwards. Gives the entries of the drafts.
   */
  async commitHere(
    drafts: readonly EntryDraft[],
    options: AppendOptions = {},
  ): Promise<readonly Entry[]> {
    if (!this.store.verified) return this.#commitLater(drafts, options);
    const { expectedLeaf, ...rest } = options;
    if (this.#detached === null) {
      const expected = expectedLeaf === undefined ? {} : { expectedLeaf };
      const request = { ...rest, ...expected, entries: drafts, branch: this.branch };
      return (await this.store.commit(request)).entries;
    }
    const { at } = this.#detached;
    this.#checkExpected(expectedLeaf, at);
    // No id is given to the marker, so that a retry with the same key is the same commit.
    const start = { ...leafMarker({ session: this.store.id, start: true }), parentId: at };
    const { entries } = await this.store.commit({ ...rest, entries: [start, ...drafts] });
    const [marker, ...own] = entries;
    if (marker !== undefined) this.goTo(marker.id);
    return own;
  }

  /** The branch has to be known first. What the caller changes meanwhile has no effect. */
  async #commitLater(
    drafts: readonly EntryDraft[],
    options: AppendOptions,
  ): Promise<readonly Entry[]> {
    const { entries } = prepareCommit({ ...options, entries: drafts });
    await this.store.whenVerified(options.signal);
    return await this.commitHere(entries, options);
  }

  /** One commit of session-wide rows under the head of {@link home}, chained in their order. */
  async commitRows(
    drafts: readonly EntryDraft[],
    options: Omit<AppendOptions, "expectedLeaf"> = {},
  ): Promise<readonly Entry[]> {
    return (await this.store.commit({ ...options, entries: drafts, branch: this.home })).entries;
  }

  /** Decides on fresh knowledge; where others were faster, decides again (a bounded number of times). */
  async decide<T>(decision: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.store.refresh();
      try {
        return await decision();
      } catch (error) {
        const lost = BranchlineError.is(error, "STORE_CONFLICT");
        if (!lost || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  #checkExpected(expected: string | null | undefined, at: string | null): void {
    if (expected === undefined || leafMatches(this.tree, at, expected)) return;
    throw new BranchlineError(
      "STORE_CONFLICT",
      { branch: this.branch, expected, head: at },
      { message: `This handle stands at ${at ?? "root"}, not at ${expected ?? "root"}.` },
    );
  }
}

/** A marker entry; its `parentId` says where it lands. */
export function leafMarker(data: LeafMark): EntryDraft {
  return { type: "custom", customType: LEAF_TYPE, data };
}
