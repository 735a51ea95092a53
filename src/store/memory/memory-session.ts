import type { Entry, SessionHeader } from "../../entry/entry.ts";
import type { RandomBytes } from "../../entry/ids.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import { BranchlineError } from "../../errors.ts";
import { throwIfAborted } from "../../io/clock.ts";
import { SessionTree } from "../../tree/session-tree.ts";
import { planCommit } from "../commit-plan.ts";
import { replayCommit } from "../commit-replay.ts";
import { prepareCommit } from "../commit-request.ts";
import { FollowHub } from "../follow-hub.ts";
import { branchUnknown, entryUnknown, storeClosed } from "../refusals.ts";
import { scanFilter, scanRange } from "../scan-filter.ts";
import type {
  CommitRequest,
  CommitResult,
  PathOptions,
  RunLock,
  RunLockOptions,
  ScanOptions,
  SessionSummary,
  StoreEvent,
  StoreSession,
} from "../store.ts";
import { summarize } from "../summary.ts";
import type { MemoryLog } from "./memory-log.ts";

const NONE: ReadonlySet<string> = new Set();

/** What a handle gets from its store. */
export interface MemorySessionContext {
  readonly clock: { now(): number };
  readonly random: RandomBytes;
  /** Called once when the handle was closed. */
  readonly onClose: (session: MemorySession) => void;
}

/** One handle on a session in memory. Its tree is as of its last commit, refresh or followed event. */
export class MemorySession implements StoreSession {
  readonly tree: SessionTree;
  readonly file: null = null;
  readonly readOnly: null = null;
  readonly problems: readonly Problem[] = [];
  readonly verified: true = true;
  readonly #log: MemoryLog;
  readonly #context: MemorySessionContext;
  readonly #hub = new FollowHub();
  readonly #runs = new Set<() => Promise<void>>();
  readonly #commits = new Set<Promise<CommitResult>>();
  readonly #onAppend = (): void => this.#appended();
  #closed = false;

  constructor(log: MemoryLog, context: MemorySessionContext) {
    this.#log = log;
    this.#context = context;
    this.tree = new SessionTree(log.header.id);
    this.#catchUp();
  }

  get id(): string {
    return this.#log.header.id;
  }

  get header(): SessionHeader {
    return this.#log.header;
  }

  async whenVerified(): Promise<void> {
    this.#checkOpen();
  }

  placeOf(_id: string): LinePlace | null {
    return null;
  }

  async refresh(): Promise<void> {
    this.#checkOpen();
    this.#checkLive();
    this.#catchUp();
  }

  async commit(request: CommitRequest): Promise<CommitResult> {
    this.#checkOpen();
    const prepared = prepareCommit(request);
    throwIfAborted(request.signal);
    const commit = this.#log.queue.run(() => this.#commit(prepared), request.signal);
    this.#commits.add(commit);
    try {
      return await commit;
    } finally {
      this.#commits.delete(commit);
    }
  }

  async lockRun(branch: string, options?: RunLockOptions): Promise<RunLock> {
    this.#checkOpen();
    this.#checkLive();
    this.#catchUp();
    if (this.tree.branch(branch)?.id !== branch) throw branchUnknown(branch);
    const taken = await this.#log.runs.take(branch, options);
    const release = async (): Promise<void> => {
      this.#runs.delete(release);
      await taken.release();
    };
    this.#runs.add(release);
    if (!this.#closed) return { branch, release, [Symbol.asyncDispose]: release };
    await release();
    throw storeClosed();
  }

  async get(id: string): Promise<Entry | undefined> {
    this.#checkOpen();
    return this.#get(id);
  }

  async mustGet(id: string): Promise<Entry> {
    this.#checkOpen();
    return this.#mustGet(id);
  }

  async getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    this.#checkOpen();
    return ids.map((id) => this.#mustGet(id));
  }

  async *path(id: string | null, options: PathOptions = {}): AsyncIterable<Entry> {
    this.#checkOpen();
    if (id !== null) this.#mustGet(id);
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    for (const at of this.tree.ancestors(id)) {
      if (left <= 0) return;
      left--;
      this.#checkOpen();
      yield this.#mustGet(at.id);
    }
  }

  async *scan(options: ScanOptions = {}): AsyncIterable<Entry> {
    this.#checkOpen();
    const passes = scanFilter(options);
    const { from, to } = scanRange(options, this.tree.size);
    for (let ordinal = from; ordinal < to; ordinal++) {
      this.#checkOpen();
      const entry = this.#log.at(ordinal);
      if (passes(entry)) yield entry;
    }
  }

  async last(count: number): Promise<readonly Entry[]> {
    this.#checkOpen();
    const { size } = this.tree;
    return this.#log.slice(size - Math.min(Math.max(count, 0), size), size);
  }

  follow(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<StoreEvent> {
    this.#checkOpen();
    const followed = this.#hub.follow(options.signal);
    this.#log.listeners.add(this.#onAppend);
    // What others wrote since the tree was last brought up to date would fall between the two.
    this.#catchUp();
    return followed;
  }

  async summary(): Promise<SessionSummary> {
    this.#checkOpen();
    const entries = this.#log.slice(0, this.tree.size);
    const { header, tree } = this;
    const now = this.#context.clock.now();
    return summarize({ header, tree, entries, file: null, bytes: 0, now });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#commits);
    for (const release of this.#runs) await release();
    this.#hub.close();
    this.#log.listeners.delete(this.#onAppend);
    this.#context.onClose(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Runs when it is this commit's turn; nothing in it waits, so it is atomic. */
  #commit(request: CommitRequest): CommitResult {
    this.#checkLive();
    this.#catchUp();
    const { key, entries: drafts } = request;
    const stored = key === undefined ? undefined : this.#log.committed(key);
    if (key !== undefined && stored !== undefined) return replayCommit({ key, stored, drafts });
    const { clock, random } = this.#context;
    const entries = planCommit(request, { tree: this.tree, now: clock.now(), random });
    this.#log.append(entries, key);
    this.#catchUp(new Set(entries.map((entry) => entry.id)));
    for (const listener of this.#log.listeners) listener();
    return { entries, replayed: false };
  }

  #catchUp(own: ReadonlySet<string> = NONE): void {
    const added = this.#log.slice(this.tree.size, this.#log.size);
    for (const entry of added) this.tree.add(entry);
    if (this.#hub.hasFollowers) this.#hub.publish(this.tree, added, own);
  }

  /** Only a followed handle sees at once what others write. */
  #appended(): void {
    if (this.#hub.hasFollowers) this.#catchUp();
    else this.#log.listeners.delete(this.#onAppend);
  }

  #get(id: string): Entry | undefined {
    return this.tree.has(id) ? this.#log.get(id) : undefined;
  }

  #mustGet(id: string): Entry {
    const entry = this.#get(id);
    if (entry === undefined) throw entryUnknown(id);
    return entry;
  }

  #checkOpen(): void {
    if (this.#closed) throw storeClosed();
  }

  #checkLive(): void {
    if (this.#log.live) return;
    throw new BranchlineError(
      "FILE_MISSING",
      { path: this.id },
      {
        message: `The session ${this.id} was moved to the trash or removed while it was open.`,
        hint: "Restore it, or go on in another session.",
      },
    );
  }
}
