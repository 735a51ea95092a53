import { leafMark } from "../entry/own-state.ts";
import { runRow } from "../harness/run-rows.ts";
import type { ContextCurve, TreeColumns } from "../protocol/tree.ts";
import { Session } from "../session/session.ts";
import type { StoreSession } from "../store/store.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { kindOf } from "../view/entry-kind.ts";
import { contextCurve, contextTokens } from "./context-curve.ts";
import type { EventHub } from "./event-hub.ts";
import type { LocatedSession } from "./library.ts";
import { PathWindows } from "./path-window.ts";
import type { ServerLog } from "./server-log.ts";
import { TreeSkeleton } from "./tree-skeleton.ts";

/** What a host works with. */
export interface HostParts {
  readonly located: LocatedSession;
  readonly store: StoreSession;
  readonly hub: EventHub;
  readonly log: ServerLog;
  /** Tells apart openings of files that were replaced. */
  readonly generation: number;
  /** The file is not what it was any more: this host is of no use. */
  readonly onLost: (host: SessionHost, error: unknown) => void;
}

/** A move of the leaf that was written down. */
interface Move {
  readonly op: string;
  /** undefined = the marker does not say. */
  readonly from: string | null | undefined;
}

/** The columns as one text, kept for the revision they are of. */
interface KnownColumns {
  readonly revision: string;
  readonly leaf: string | null;
  readonly columns: TreeColumns;
}

/**
 * One open session of a server: the handle that all requests share, what is worked out from its tree, and
 * the watch on what others write. Changes go one after another; whatever was added, by whom ever, is
 * told to the hub exactly once.
 */
export class SessionHost {
  readonly located: LocatedSession;
  readonly store: StoreSession;
  readonly skeleton: TreeSkeleton;
  readonly windows: PathWindows;
  readonly hub: EventHub;
  /** Ms of `performance.now()` at the last use. */
  lastUse: number = performance.now();
  readonly #parts: HostParts;
  readonly #stop = new AbortController();
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #holds: (() => boolean)[] = [];
  #session: Session;
  #columns: KnownColumns | null = null;
  #uses = 0;
  #announced: number;
  #by = "api";
  #line: Promise<unknown> = Promise.resolve();
  #telling: Promise<void> = Promise.resolve();

  private constructor(parts: HostParts, session: Session) {
    this.#parts = parts;
    this.located = parts.located;
    this.store = parts.store;
    this.hub = parts.hub;
    this.#session = session;
    this.skeleton = new TreeSkeleton(parts.store);
    this.windows = new PathWindows(parts.store, this.skeleton);
    this.#announced = parts.store.tree.size;
  }

  /** Takes over an open store session and begins to follow it; `close` closes it. */
  static async open(parts: HostParts): Promise<SessionHost> {
    const host = new SessionHost(parts, await Session.attach(parts.store));
    void host.#follow();
    return host;
  }

  get id(): string {
    return this.store.id;
  }

  get session(): Session {
    return this.#session;
  }

  /** Changes whenever an entry was added. */
  get revision(): string {
    const { tree } = this.store;
    return `${this.#parts.generation}-${tree.size}-${tree.relinks}`;
  }

  /** The tree as columns, from a place on. */
  async columns(from = 0): Promise<TreeColumns> {
    await this.skeleton.update();
    const { revision } = this;
    const { leaf, position } = this.#session;
    const known = this.#columns;
    // The leaf too: the handle follows a foreign move a moment after the entries are there.
    const isSame = known?.revision === revision && known.leaf === leaf;
    if (from === 0 && isSame) return known.columns;
    const columns = this.skeleton.columns({ revision, leaf, position }, from);
    if (from === 0) this.#columns = { revision, leaf, columns };
    return columns;
  }

  /** Estimated tokens of the context at an entry, from the columns. */
  async tokensAt(leaf: string | null): Promise<number> {
    await this.skeleton.update();
    return contextTokens(this.store.tree, leaf, this.skeleton);
  }

  async curve(leaf: string | null): Promise<ContextCurve> {
    await this.skeleton.update();
    return contextCurve(this.store.tree, leaf, this.skeleton);
  }

  /** One change after another; who did it is told with what came of it. */
  async change<T>(by: string, work: (session: Session) => Promise<T>): Promise<T> {
    const before = this.#line;
    const done = (async () => {
      await before.catch(() => undefined);
      this.#by = by;
      try {
        return await work(this.#session);
      } finally {
        await this.announce({ foreign: false });
        this.#by = "api";
      }
    })();
    this.#line = done;
    return await done;
  }

  /** Tells of all entries that nobody was told of yet. Never throws: what was changed is changed. */
  async announce(how: { readonly foreign: boolean; readonly by?: string }): Promise<void> {
    const from = this.#announced;
    const { size } = this.store.tree;
    if (size > from) {
      this.#announced = size;
      const by = how.by ?? (how.foreign ? "foreign" : this.#by);
      this.#telling = this.#telling
        .then(() => this.#tell(from, size, { ...how, by }))
        .catch((error: unknown) => this.#tellingFailed(error));
    }
    await this.#telling;
  }

  /** True while something is under way that must keep its session and its place: a run, a compaction. */
  get isHeld(): boolean {
    return this.#holds.some((isHeld) => isHeld());
  }

  /** Says when the host is held, until it is closed. */
  holdWhile(isHeld: () => boolean): void {
    this.#holds.push(isHeld);
  }

  /** Keeps it open until the answer is called, for work that takes longer than one question. */
  use(): () => void {
    this.#uses++;
    let isOver = false;
    return () => {
      if (!isOver) this.#uses--;
      isOver = true;
      this.lastUse = performance.now();
    };
  }

  /** True while it must not be closed for being idle. */
  get isUsed(): boolean {
    return this.#uses > 0 || this.isHeld;
  }

  /** Work that has to be done before the session closes. */
  beforeClose(work: () => Promise<void>): void {
    this.#closers.push(work);
  }

  /** Waits for changes under way, then closes the session. */
  async close(): Promise<void> {
    for (const work of this.#closers.splice(0)) await work();
    await this.#line.catch(() => undefined);
    this.#stop.abort();
    await this.#telling;
    await this.store.close();
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.store.follow({ signal: this.#stop.signal })) {
        if (event.type === "entries") await this.announce({ foreign: event.foreign });
        else {
          const { branch, entryId } = event;
          this.hub.publish("diverged", { sessionId: this.id }, { branch, entryId });
        }
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#parts.onLost(this, error);
    }
  }

  /** Clients that missed it read anew. */
  #tellingFailed(error: unknown): void {
    const { log } = this.#parts;
    log.error({ session: this.id, error: String(error) }, "telling failed");
    this.hub.publish("snapshot", { sessionId: this.id }, { revision: this.revision, run: null });
  }

  async #tell(
    from: number,
    to: number,
    how: { readonly foreign: boolean; readonly by: string },
  ): Promise<void> {
    const { tree } = this.store;
    const before = this.#session.leaf;
    const added: TreeEntry[] = [];
    for (let place = from; place < to; place++) added.push(tree.at(place) as TreeEntry);
    const moves = await this.#moves(added);
    if (how.foreign && moves.length > 0 && !this.isHeld) {
      this.#session = await Session.attach(this.store);
    }
    const at = { sessionId: this.id };
    const { leaf } = this.#session;
    const entries = added.map(({ id }) => id);
    const { revision } = this;
    this.hub.publish("entry_appended", at, { entries, foreign: how.foreign, revision, leaf });
    for (const { op, from: left } of moves) {
      const previousLeafId = left === undefined ? before : left;
      this.hub.publish("branch_switch", at, { leafId: leaf, previousLeafId, op, by: how.by });
    }
    for (const at of added) await this.#tellRunMove(at);
    this.#tellMarks(added);
  }

  /**
   * A run that meets entries of another writer at its leaf goes on beside them, as a branch of its own, and
   * writes that down (design.md §2). The store sees only our own new branch there, so it is said here.
   */
  async #tellRunMove({ customType, id, parent }: TreeEntry): Promise<void> {
    if (customType !== "branchline.run" || parent === null) return;
    const [row, marker] = await this.store.getAll([id, parent.id]);
    if (row === undefined || marker === undefined) return;
    const moved = runRow(row, this.id);
    const from = leafMark(marker, this.id)?.from;
    if (moved?.event !== "moved" || typeof from !== "string") return;
    const data = { branch: moved.branch, entryId: from };
    this.hub.publish("diverged", { sessionId: this.id }, data);
  }

  /** Moves of the leaf that somebody asked for; not the markers that a branch begins with by itself. */
  async #moves(added: readonly TreeEntry[]): Promise<readonly Move[]> {
    const moves: Move[] = [];
    for (const at of added) {
      if (kindOf(at) !== "v") continue;
      const entry = await this.store.get(at.id);
      const mark = entry === undefined ? null : leafMark(entry, this.id);
      if (mark?.op !== undefined) moves.push({ op: mark.op, from: mark.from });
    }
    return moves;
  }

  #tellMarks(added: readonly TreeEntry[]): void {
    const at = { sessionId: this.id };
    for (const { type, customType, targetId, id } of added) {
      const entry = targetId ?? id;
      if (type === "label") {
        const text = this.store.tree.labels().get(entry)?.label ?? null;
        this.hub.publish("label_changed", at, { entry, text });
      }
      if (type === "context_edit") this.hub.publish("context_edit", at, { entry });
      if (type === "session_info") this.hub.publish("session_updated", at, { id: this.id });
      if (customType === "branchline.branch") {
        this.hub.publish("branch_updated", at, { branch: entry });
      }
    }
  }
}
