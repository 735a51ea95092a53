import type { Entry, EntryDraft, SessionHeader } from "../entry/entry.ts";
import type { RandomBytes } from "../entry/ids.ts";
import type { Content } from "../entry/message.ts";
import type { StoreEvent, StoreSession } from "../store/store.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { BranchInfo } from "../tree/tree-entry.ts";
import * as branches from "./branch-names.ts";
import * as edits from "./context-edits.ts";
import * as moves from "./leaf-move.ts";
import * as names from "./names.ts";
import { type Operation, readOperations } from "./operations.ts";
import { platformClock, platformRandom } from "./platform.ts";
import { type ContextOptions, type SessionContext, sessionContext } from "./session-context.ts";
import { type AppendOptions, SessionHandle, type WallClock } from "./session-handle.ts";
import { redo, toOperation, undo } from "./undo.ts";

/** How a session is attached. */
export interface AttachOptions {
  /** Where to stand: an entry, or null = before the first one. Default: the stored leaf. */
  readonly at?: string | null;
  /** Default: the clock of the platform. */
  readonly clock?: WallClock;
  /** Default: the random source of the platform. */
  readonly random?: RandomBytes;
}

/**
 * One open session with a position of its own (design.md §2). Several may be attached to one session,
 * in any number of processes; each stays on its branch, and what others append there moves it along
 * at the next `refresh` or commit. Operations that change something refresh first and are durable when
 * they resolve; they throw what {@link StoreSession.commit} throws besides their own codes.
 *
 * @example
 * await using session = await Session.attach(await store.open(id));
 * await session.moveLeaf(earlier);
 * await session.append({ type: "message", message: { role: "user", content: "方案 B" } });
 */
export class Session implements AsyncDisposable {
  readonly store: StoreSession;
  readonly #handle: SessionHandle;

  private constructor(handle: SessionHandle) {
    this.store = handle.store;
    this.#handle = handle;
  }

  /**
   * Takes over an open store session; `close` closes it. With `at`, the handle stands on the branch
   * whose head or position that is; anywhere else it is detached: it reads there, and its first append
   * starts a branch. With `at` a session that was opened from its end is waited for. Throws ENTRY_UNKNOWN.
   */
  static async attach(store: StoreSession, options: AttachOptions = {}): Promise<Session> {
    const { clock = platformClock, random = platformRandom, at } = options;
    if (at !== undefined && !store.verified) await store.whenVerified();
    const handle = new SessionHandle({ store, clock, random });
    if (at !== undefined) {
      if (at !== null) handle.mustFind(at);
      const to = moves.destinationOf(handle, at);
      if (to.kind === "branch") handle.goTo(to.branch);
      else handle.detach(to.at);
    }
    return new Session(handle);
  }

  /** The session's id. */
  get id(): string {
    return this.store.id;
  }

  /** The first line of the session. */
  get header(): SessionHeader {
    return this.store.header;
  }

  /** Real path of the file, null for stores without files. */
  get file(): string | null {
    return this.store.file;
  }

  /** Why the session cannot be written, or null. */
  get readOnly(): string | null {
    return this.store.readOnly;
  }

  /** False while only the end of the session was read, see {@link StoreSession.verified}. */
  get verified(): boolean {
    return this.store.verified;
  }

  /** Resolves when all of the session is known. Throws ABORTED, STORE_CLOSED, and what opening throws. */
  async whenVerified(signal?: AbortSignal): Promise<void> {
    await this.store.whenVerified(signal);
  }

  /** The tree as this handle knows it. */
  get tree(): SessionTree {
    return this.store.tree;
  }

  /** Id of the handle's branch; of a detached handle: the branch that its entry lies on. */
  get branch(): string {
    return this.#handle.branch;
  }

  /** True where the handle stands at an entry inside the tree, before its first append there. */
  get detached(): boolean {
    return this.#handle.detached;
  }

  /** The entry that the next append hangs under; null = before the first entry. */
  get leaf(): string | null {
    return this.#handle.leaf;
  }

  /** The nearest entry at or above the leaf that is not our own state. */
  get position(): string | null {
    return this.tree.position(this.leaf);
  }

  /** Reads what others have written and moves along with the branch. */
  async refresh(): Promise<void> {
    await this.store.refresh();
  }

  /** What the model receives. Throws ENTRY_UNKNOWN. */
  async context(options?: ContextOptions): Promise<SessionContext> {
    return sessionContext(this.#handle, options);
  }

  /**
   * Appends one atomic group under the leaf, frozen as a reader reads it (P8). Throws STORE_CONFLICT
   * where `expectedLeaf` is given and the branch has moved on.
   */
  append(
    drafts: EntryDraft | readonly EntryDraft[],
    options?: AppendOptions,
  ): Promise<readonly Entry[]> {
    return this.#handle.commitHere(isList(drafts) ? drafts : [drafts], options);
  }

  /**
   * Appends session-wide rows of our own state as one atomic group. They move nobody: a detached handle
   * stays where it is. What holds along the path is appended with {@link Session.append}.
   */
  appendRows(
    rows: readonly EntryDraft[],
    options?: Omit<AppendOptions, "expectedLeaf">,
  ): Promise<readonly Entry[]> {
    return this.#handle.commitRows(rows, options);
  }

  /**
   * Moves the leaf, for this handle and for whoever opens the session next: on along the branch whose
   * head or position `target` is, else to a new branch under it; null = before the first entry. Moves
   * the conversation only, no working files. Nothing is written where both are there already; a summary
   * is left out then. Throws ENTRY_UNKNOWN.
   */
  async moveLeaf(target: string | null, options?: moves.MoveOptions): Promise<moves.MoveResult> {
    return moves.moveLeaf(this.#handle, target, options);
  }

  /** Moves to the head of a branch, by id or name. Throws BRANCH_UNKNOWN. */
  async moveToBranch(idOrName: string, options?: moves.MoveOptions): Promise<moves.MoveResult> {
    return moves.moveToBranch(this.#handle, idOrName, options);
  }

  /** As Pi does when an entry is picked: above a user or custom message, with its text for editing. */
  async select(target: string, options?: moves.MoveOptions): Promise<moves.SelectResult> {
    return moves.select(this.#handle, target, options);
  }

  /** All branches that hold anything or have a name, then the tips that other programs made. */
  branches(): readonly BranchInfo[] {
    return this.tree.branches();
  }

  /**
   * Starts and names a branch under `at` (default: the leaf) without moving anybody; gives its id.
   * Throws BRANCH_NAME_INVALID, BRANCH_EXISTS, ENTRY_UNKNOWN.
   */
  async createBranch(name: string, at?: string | null): Promise<string> {
    return branches.createBranch(this.#handle, name, at);
  }

  /** Throws BRANCH_UNKNOWN, BRANCH_NAME_INVALID, BRANCH_EXISTS. Gives the operation, null = no change. */
  async renameBranch(idOrName: string, name: string): Promise<string | null> {
    return branches.renameBranch(this.#handle, idOrName, name);
  }

  /**
   * Marks a branch as archived. Throws BRANCH_UNKNOWN, TARGET_INVALID for the branch that one stands
   * on. Gives the operation, null = no change.
   */
  async archiveBranch(idOrName: string): Promise<string | null> {
    return branches.setArchived(this.#handle, idOrName, { archived: true });
  }

  /** Takes the archive mark away. Throws BRANCH_UNKNOWN. Gives the operation, null = no change. */
  async unarchiveBranch(idOrName: string): Promise<string | null> {
    return branches.setArchived(this.#handle, idOrName, { archived: false });
  }

  /** Sets or (null) clears the label of an entry. Throws ENTRY_UNKNOWN. Gives the operation or null. */
  async setLabel(target: string, text: string | null): Promise<string | null> {
    return names.setLabel(this.#handle, target, text);
  }

  /** Names the session; null clears the name. Gives the operation, null = no change. */
  async rename(name: string | null): Promise<string | null> {
    return names.rename(this.#handle, name);
  }

  /** Leaves an entry out of the context. Throws ENTRY_UNKNOWN, TARGET_INVALID. Gives the operation or null. */
  async hide(target: string): Promise<string | null> {
    return edits.hide(this.#handle, target);
  }

  /** Shows the model another content. Throws ENTRY_UNKNOWN, TARGET_INVALID. Gives the operation or null. */
  async replace(target: string, content: Content): Promise<string | null> {
    return edits.replace(this.#handle, target, content);
  }

  /** Takes hiding or replacing back; null where no edit is in force. Throws ENTRY_UNKNOWN, TARGET_INVALID. */
  async unhide(target: string): Promise<string | null> {
    return edits.unhide(this.#handle, target);
  }

  /** Makes the context skip a compaction (default: the one in force). Throws ENTRY_UNKNOWN, TARGET_INVALID. */
  async uncompact(compactionId?: string): Promise<string | null> {
    return edits.uncompact(this.#handle, compactionId);
  }

  /** Takes the newest operation back, whoever did it, and gives it. Throws NOTHING_TO_UNDO. */
  async undo(): Promise<Operation> {
    return undo(this.#handle);
  }

  /** Takes the newest undo back and gives the operation that is in force again. Throws NOTHING_TO_REDO. */
  async redo(): Promise<Operation> {
    return redo(this.#handle);
  }

  /** The log of operations in file order, undos included. */
  async operations(): Promise<readonly Operation[]> {
    return (await readOperations(this.store)).map(toOperation);
  }

  /** Live events from now on, until the signal aborts or the session closes. */
  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<StoreEvent> {
    return this.store.follow(options);
  }

  /** Closes the store session. */
  async close(): Promise<void> {
    await this.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function isList(drafts: EntryDraft | readonly EntryDraft[]): drafts is readonly EntryDraft[] {
  return Array.isArray(drafts);
}
