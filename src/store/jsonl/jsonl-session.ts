import type { Entry, SessionHeader } from "../../entry/entry.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import { BranchlineError } from "../../errors.ts";
import { isArchivePath } from "../../io/archive-file-system.ts";
import { LockSlice } from "../../io/lock-slice.ts";
import type { SessionTree } from "../../tree/session-tree.ts";
import { prepareCommit } from "../commit-request.ts";
import { FollowHub } from "../follow-hub.ts";
import { entryUnknown, storeClosed } from "../refusals.ts";
import { scanFilter, scanRange } from "../scan-filter.ts";
import { SerialQueue } from "../serial-queue.ts";
import type {
  CommitRequest,
  CommitResult,
  PathOptions,
  ScanOptions,
  SessionSummary,
  StoreEvent,
  StoreSession,
} from "../store.ts";
import { summarize } from "../summary.ts";
import { CommitPump, type WaitingCommit } from "./commit-pump.ts";
import type { Environment } from "./environment.ts";
import { writeBatch } from "./log-writer.ts";
import type { SessionFile } from "./session-file.ts";
import { openUpgraded } from "./upgrade-file.ts";

/** How often a followed file is looked at for what others wrote, in ms. */
export const FOLLOW_INTERVAL_MS = 100;

/** What a {@link JsonlSession} starts with. */
export interface JsonlSessionOptions {
  readonly file: SessionFile;
  readonly env: Environment;
  /** Why the file itself cannot be written (permissions, read-only disk), or null. */
  readonly readOnly: string | null;
  /** Called once when the session was closed. */
  readonly onClose: () => void;
}

/** One open session file. See the contract in store.ts; this class only adds what files need. */
export class JsonlSession implements StoreSession {
  readonly #env: Environment;
  readonly #slice: LockSlice;
  readonly #pump: CommitPump;
  readonly #line = new SerialQueue();
  readonly #hub = new FollowHub();
  readonly #onClose: () => void;
  readonly #fileReadOnly: string | null;
  #session: SessionFile;
  #closing: Promise<void> | null = null;
  /** Set when the handle was given up: what stands on disk is not what it knows. */
  #failure: unknown;
  #isWatching = false;
  #stopWatching: () => void = () => undefined;

  constructor(options: JsonlSessionOptions) {
    this.#env = options.env;
    this.#session = options.file;
    this.#fileReadOnly = options.readOnly;
    this.#onClose = options.onClose;
    const lock = options.env.makeLock(options.file.file.path);
    this.#slice = new LockSlice({
      lock,
      clock: options.env.clock,
      sliceMs: options.env.sliceMs,
    });
    this.#pump = new CommitPump((take) => this.#runBatch(take));
  }

  get id(): string {
    return this.#session.header.id;
  }

  get header(): SessionHeader {
    return this.#session.header;
  }

  get file(): string {
    return this.#session.file.path;
  }

  get readOnly(): string | null {
    return this.#session.readOnly ?? this.#fileReadOnly;
  }

  get tree(): SessionTree {
    return this.#session.tree;
  }

  get problems(): readonly Problem[] {
    return this.#session.problems;
  }

  placeOf(id: string): LinePlace | null {
    return this.#session.placeOf(id);
  }

  async refresh(): Promise<void> {
    this.#assertOpen();
    await this.#line.run(() => this.#catchUp());
  }

  async commit(request: CommitRequest): Promise<CommitResult> {
    this.#assertOpen();
    this.#assertWritable();
    return await this.#pump.push(prepareCommit(request));
  }

  async get(id: string): Promise<Entry | undefined> {
    this.#assertOpen();
    return this.#session.get(id);
  }

  async mustGet(id: string): Promise<Entry> {
    this.#assertOpen();
    return this.#mustGet(id);
  }

  async getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    this.#assertOpen();
    return ids.map((id) => this.#mustGet(id));
  }

  async *path(id: string | null, options: PathOptions = {}): AsyncGenerator<Entry, void, void> {
    this.#assertOpen();
    if (id !== null) this.#mustGet(id);
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    for (const at of this.tree.ancestors(id)) {
      if (left-- <= 0) return;
      this.#assertOpen();
      yield this.#mustGet(at.id);
    }
  }

  async *scan(options: ScanOptions = {}): AsyncGenerator<Entry, void, void> {
    this.#assertOpen();
    const passes = scanFilter(options);
    const { from, to } = scanRange(options, this.tree.size);
    for (let ordinal = from; ordinal < to; ordinal++) {
      this.#assertOpen();
      const entry = this.#session.at(ordinal);
      if (passes(entry)) yield entry;
    }
  }

  async last(count: number): Promise<readonly Entry[]> {
    this.#assertOpen();
    const { size } = this.tree;
    return this.#session.since(size - Math.min(Math.max(count, 0), size));
  }

  follow(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<StoreEvent> {
    this.#assertOpen();
    const followed = this.#hub.follow(options.signal);
    if (!this.#isWatching) this.#watch();
    return followed;
  }

  async summary(): Promise<SessionSummary> {
    this.#assertOpen();
    return summarizeFile(this.#session);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    try {
      await this.#pump.idle();
      this.#hub.close();
      await this.#slice.close();
    } finally {
      this.#onClose();
      await this.#line.run(() => this.#session.file.close());
    }
  }

  async #runBatch(take: () => readonly WaitingCommit[]): Promise<void> {
    const { lockTimeoutMs: timeoutMs } = this.#env;
    await this.#slice.run(() => this.#line.run(() => this.#writeBatch(take)), { timeoutMs });
  }

  async #writeBatch(take: () => readonly WaitingCommit[]): Promise<void> {
    await this.#catchUp();
    const before = this.tree.size;
    const { file } = this.#session;
    const { session, added, failure, answer } = await writeBatch(this.#session, take(), this.#env);
    this.#failure = failure;
    this.#session = session;
    answer();
    this.#publish(before, added);
    if (session.file !== file) await file.close();
  }

  /** Reads what others wrote; a file that is not the one we know gives the handle up (F008, F011). */
  async #catchUp(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = this.tree.size;
    try {
      await this.#session.catchUp();
    } catch (error) {
      const upgraded = await this.#upgradedElsewhere(error);
      if (upgraded === null) throw error;
      const { file } = this.#session;
      this.#session = upgraded;
      await file.close();
    }
    this.#publish(before, new Set());
  }

  async #upgradedElsewhere(error: unknown): Promise<SessionFile | null> {
    const isReplaced = BranchlineError.is(error, "FILE_REPLACED");
    if (isReplaced && this.#session.version < 3) {
      const upgraded = await openUpgraded(this.#session, this.#env);
      if (upgraded !== null) return upgraded;
    }
    if (GIVE_UP.some((code) => BranchlineError.is(error, code))) this.#failure = error;
    return null;
  }

  #publish(from: number, own: ReadonlySet<string>): void {
    if (this.tree.size === from || !this.#hub.hasFollowers) return;
    this.#hub.publish(this.tree, this.#session.since(from), own);
  }

  #watch(): void {
    this.#isWatching = true;
    this.#stopWatching = this.#env.clock.schedule(FOLLOW_INTERVAL_MS, () => {
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    try {
      await this.#line.run(() => this.#catchUp());
    } catch (error) {
      this.#hub.fail(error);
    }
    this.#isWatching = false;
    if (this.#closing === null && this.#hub.hasFollowers) this.#watch();
  }

  #mustGet(id: string): Entry {
    const entry = this.#session.get(id);
    if (entry !== undefined) return entry;
    throw entryUnknown(id);
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw storeClosed();
  }

  #assertWritable(): void {
    if (this.#failure !== undefined) throw this.#failure;
    const reason = this.readOnly;
    if (reason === null) return;
    throw new BranchlineError(
      "SESSION_READ_ONLY",
      { reason },
      {
        message: `The session cannot be written: ${reason}.`,
        hint: readOnlyHint(this.file),
        place: { file: this.file },
      },
    );
  }
}

function readOnlyHint(path: string): string {
  return isArchivePath(path)
    ? "`branchline unarchive` makes it writable again; `branchline clone` goes on in a new session."
    : "Clone it to go on in a session of your own.";
}

/** After these the handle knows less than the disk, so it is of no more use. */
const GIVE_UP = ["FILE_MISSING", "FILE_REPLACED", "FILE_TRUNCATED"] as const;

/** The row of a session file, from what was read of it. */
export function summarizeFile(session: SessionFile): SessionSummary {
  const { header, tree, file } = session;
  return summarize({ header, tree, entries: session.since(0), file: file.path, bytes: file.size });
}
