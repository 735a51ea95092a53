import type { Entry, SessionHeader } from "../../entry/entry.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import { BranchlineError } from "../../errors.ts";
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
import { SessionFile } from "./session-file.ts";
import { upgradeFile } from "./upgrade-file.ts";

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
  #closed = false;
  /** Set when the handle was given up: what stands on disk is not what it knows. */
  #failure: unknown;
  #stopFollowing: (() => void) | null = null;

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
      yield this.#mustGet(at.id);
    }
  }

  async *scan(options: ScanOptions = {}): AsyncGenerator<Entry, void, void> {
    this.#assertOpen();
    const passes = scanFilter(options);
    const { from, to } = scanRange(options, this.tree.size);
    for (let ordinal = from; ordinal < to; ordinal++) {
      const entry = this.#at(ordinal);
      if (passes(entry)) yield entry;
    }
  }

  async last(count: number): Promise<readonly Entry[]> {
    this.#assertOpen();
    const entries: Entry[] = [];
    for (let at = Math.max(0, this.tree.size - count); at < this.tree.size; at++) {
      entries.push(this.#at(at));
    }
    return entries;
  }

  follow(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<StoreEvent> {
    this.#assertOpen();
    this.#watch();
    return this.#hub.follow(options.signal);
  }

  async summary(): Promise<SessionSummary> {
    this.#assertOpen();
    return summarizeFile(this.#session);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pump.idle();
    this.#stopFollowing?.();
    this.#hub.close();
    await this.#slice.close();
    await this.#line.run(() => this.#session.file.close());
    this.#onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #runBatch(take: () => readonly WaitingCommit[]): Promise<void> {
    const { lockTimeoutMs: timeoutMs } = this.#env;
    await this.#slice.run(() => this.#line.run(() => this.#writeBatch(take)), { timeoutMs });
  }

  async #writeBatch(take: () => readonly WaitingCommit[]): Promise<void> {
    this.#assertUsable();
    await this.#catchUp();
    if (this.#session.version < 3) await this.#upgrade();
    const batch = take();
    const before = this.tree.size;
    const own = await this.#failing(() => writeBatch(this.#session, batch, this.#env));
    this.#publish(before, new Set(own.map((entry) => entry.id)));
    if (this.#session.file.failed) this.#failure = storeClosed();
  }

  /** Reads what others wrote; a file that is not the one we know gives the handle up (F008, F011). */
  async #catchUp(): Promise<void> {
    this.#assertUsable();
    const before = this.tree.size;
    await this.#failing(async () => {
      const size = await this.#session.file.check();
      if (size > this.#session.file.known) await this.#session.catchUp();
    });
    this.#publish(before, new Set());
  }

  async #upgrade(): Promise<void> {
    const { path } = this.#session.file;
    await upgradeFile(this.#session, this.#env);
    const upgraded = await SessionFile.open(this.#env.fileSystem, path, { mode: "append" });
    await this.#session.file.close();
    this.#session = upgraded;
  }

  async #failing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (GIVE_UP.some((code) => BranchlineError.is(error, code))) this.#failure = error;
      throw error;
    }
  }

  #publish(from: number, own: ReadonlySet<string>): void {
    if (this.tree.size === from || !this.#hub.hasFollowers) return;
    const entries: Entry[] = [];
    for (let at = from; at < this.tree.size; at++) entries.push(this.#at(at));
    this.#hub.publish(this.tree, entries, own);
  }

  #watch(): void {
    if (this.#stopFollowing !== null) return;
    const look = async (): Promise<void> => {
      await this.refresh().catch((error: unknown) => this.#hub.fail(error));
      if (!this.#closed && this.#hub.hasFollowers) this.#schedule(look);
      else this.#stopFollowing = null;
    };
    this.#schedule(look);
  }

  #schedule(look: () => Promise<void>): void {
    this.#stopFollowing = this.#env.clock.schedule(FOLLOW_INTERVAL_MS, () => {
      void look();
    });
  }

  #at(ordinal: number): Entry {
    return this.#mustGet((this.tree.at(ordinal) as { readonly id: string }).id);
  }

  #mustGet(id: string): Entry {
    const entry = this.#session.get(id);
    if (entry !== undefined) return entry;
    throw entryUnknown(id);
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }

  #assertUsable(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #assertWritable(): void {
    this.#assertUsable();
    const reason = this.readOnly;
    if (reason === null) return;
    throw new BranchlineError(
      "SESSION_READ_ONLY",
      { reason },
      {
        message: `The session cannot be written: ${reason}.`,
        hint: "Clone it to go on in a session of your own.",
        place: { file: this.file },
      },
    );
  }
}

/** After these the handle knows less than the disk, so it is of no more use. */
const GIVE_UP = ["FILE_MISSING", "FILE_REPLACED", "FILE_TRUNCATED"] as const;

/** The row of a session file, from what was read of it. */
export function summarizeFile(session: SessionFile): SessionSummary {
  const { header, tree, file } = session;
  const entries = [...tree.entries()].map((at) => session.get(at.id) as Entry);
  return summarize({ header, tree, entries, file: file.path, bytes: file.size });
}
