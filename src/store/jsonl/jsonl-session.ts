import type { Entry, SessionHeader } from "../../entry/entry.ts";
import { PI_VERSION } from "../../entry/header-check.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import { BranchlineError } from "../../errors.ts";
import { isArchivePath } from "../../io/archive-file-system.ts";
import { type Hold, LockSlice } from "../../io/lock-slice.ts";
import type { SessionTree } from "../../tree/session-tree.ts";
import type { TreeEntry } from "../../tree/tree-entry.ts";
import { prepareTexts } from "../commit-request.ts";
import { FollowHub } from "../follow-hub.ts";
import { branchUnknown, entryUnknown, storeClosed } from "../refusals.ts";
import { rowFilter, scanFilter, scanRange } from "../scan-filter.ts";
import { SerialQueue } from "../serial-queue.ts";
import type {
  CommitRequest,
  CommitResult,
  LineSource,
  PathOptions,
  RunLock,
  RunLockOptions,
  ScanOptions,
  SessionLink,
  SessionSummary,
  StoreEvent,
  StoreSession,
} from "../store.ts";
import { SummaryTally, summarize } from "../summary.ts";
import { CommitPump, type WaitingCommit } from "./commit-pump.ts";
import type { Environment } from "./environment.ts";
import { writeBatch } from "./log-writer.ts";
import { PayloadReader } from "./payload-reader.ts";
import { RunLocks } from "./run-locks.ts";
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
  /** Called when an index said something else of the file than what stands in it. */
  readonly distrust: () => Promise<void>;
}

/** How many entries a path or scan reads at a time. */
const LOADED_AT_ONCE = 64;

/** One open session file. See the contract in store.ts; this class only adds what files need. */
export class JsonlSession implements StoreSession {
  readonly #env: Environment;
  /** Made by the first commit: most sessions are only read. */
  #slice: LockSlice | null = null;
  readonly #pump: CommitPump;
  readonly #line = new SerialQueue();
  readonly #hub = new FollowHub();
  readonly #onClose: () => void;
  readonly #distrust: () => Promise<void>;
  readonly #fileReadOnly: string | null;
  readonly #payloads: PayloadReader;
  readonly #runs: RunLocks;
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
    this.#distrust = options.distrust;
    this.#runs = new RunLocks(options.env);
    this.#payloads = new PayloadReader(options.env.resolvePayload);
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

  get link(): SessionLink | undefined {
    return this.#session.below?.link;
  }

  /**
   * Absent in files of another version or format, whose lines are not what they are read as, and in linked
   * ones, of which only the end is there.
   */
  get lines(): LineSource | undefined {
    const { readOnly, version, below } = this.#session;
    if (readOnly !== null || version < PI_VERSION || below !== null) return undefined;
    return { readInto: (buffer, position) => this.#session.file.readInto(buffer, position) };
  }

  get problems(): readonly Problem[] {
    return [...this.#session.problems, ...this.#payloads.problems];
  }

  /** What it starts from was looked at from end to end, by the index or by the file's reader. */
  get verified(): boolean {
    return true;
  }

  async whenVerified(): Promise<void> {
    this.#assertOpen();
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
    return await this.#pump.push(prepareTexts(request));
  }

  async lockRun(branch: string, options?: RunLockOptions): Promise<RunLock> {
    this.#assertOpen();
    this.#assertWritable();
    await this.#line.run(() => this.#catchUp());
    if (this.tree.branch(branch)?.id !== branch) throw branchUnknown(branch);
    this.#assertOpen();
    return await this.#runs.take(this.file, branch, options);
  }

  async get(id: string): Promise<Entry | undefined> {
    this.#assertOpen();
    return (await this.#load([id])).get(id);
  }

  async mustGet(id: string): Promise<Entry> {
    const [entry] = await this.getAll([id]);
    return entry as Entry;
  }

  async getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    this.#assertOpen();
    const found = await this.#load(ids);
    return ids.map((id) => {
      const entry = found.get(id);
      if (entry === undefined) throw entryUnknown(id);
      return entry;
    });
  }

  async *path(id: string | null, options: PathOptions = {}): AsyncGenerator<Entry, void, void> {
    this.#assertOpen();
    if (id !== null && !this.tree.has(id)) throw entryUnknown(id);
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    let ids: string[] = [];
    for (const at of this.tree.ancestors(id)) {
      if (left-- <= 0) break;
      ids.push(at.id);
      if (ids.length < LOADED_AT_ONCE) continue;
      yield* await this.getAll(ids);
      ids = [];
    }
    yield* await this.getAll(ids);
  }

  async *scan(options: ScanOptions = {}): AsyncGenerator<Entry, void, void> {
    this.#assertOpen();
    const passes = scanFilter(options);
    for (const ids of this.#batches(options)) {
      for (const entry of await this.getAll(ids)) {
        this.#assertOpen();
        if (passes(entry)) yield entry;
      }
    }
  }

  async last(count: number): Promise<readonly Entry[]> {
    this.#assertOpen();
    const { size } = this.tree;
    const from = size - Math.min(Math.max(count, 0), size);
    return await this.getAll(this.#session.idsBetween(from, size));
  }

  follow(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<StoreEvent> {
    this.#assertOpen();
    const followed = this.#hub.follow(options.signal);
    if (!this.#isWatching) this.#watch();
    return followed;
  }

  async summary(): Promise<SessionSummary> {
    this.#assertOpen();
    const { header, tree, file } = this.#session;
    const tally = new SummaryTally();
    for await (const entry of this.scan()) tally.add(entry);
    const now = this.#env.clock.now();
    return tally.row({ header, tree, file: file.path, bytes: file.size, now });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Ids in file order, some at a time. Entries of other types and roles are not even read. */
  *#batches(options: ScanOptions): Generator<readonly string[], void, void> {
    const { from, to } = scanRange(options, this.tree.size);
    const { customTypes } = options;
    const places = customTypes && this.tree.customOrdinals(customTypes, from, to);
    const passes = rowFilter(options);
    const count = places === undefined ? to - from : places.length;
    let ids: string[] = [];
    for (let next = 0; next < count; next++) {
      const row = this.tree.at(places?.[next] ?? from + next) as TreeEntry;
      if (passes(row)) ids.push(row.id);
      if (ids.length < LOADED_AT_ONCE) continue;
      yield ids;
      ids = [];
    }
    yield ids;
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    try {
      await this.#pump.idle();
      this.#hub.close();
      await this.#runs.close();
      await this.#slice?.close();
    } finally {
      this.#onClose();
      await this.#line.run(() => this.#session.close());
    }
  }

  async #runBatch(take: () => readonly WaitingCommit[]): Promise<void> {
    const { lockTimeoutMs: timeoutMs, makeLock, clock, sliceMs } = this.#env;
    this.#slice ??= new LockSlice({ lock: makeLock(this.file), clock, sliceMs });
    const write = (hold: Hold) => this.#line.run(() => this.#writeBatch(take, hold));
    await this.#slice.run(write, { timeoutMs });
  }

  async #writeBatch(take: () => readonly WaitingCommit[], hold: Hold): Promise<void> {
    await this.#catchUp(hold);
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
  async #catchUp(hold: Hold = "looked"): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = this.tree.size;
    this.#session.trim(this.#env.reading.kept);
    try {
      if (this.#session.isForgotten) this.#session = await this.#session.readWhole();
      await this.#session.catchUp(hold);
    } catch (error) {
      const upgraded = await this.#upgradedElsewhere(error);
      if (upgraded === null) {
        // What was read before it failed is not read again.
        this.#publish(before, new Set());
        throw error;
      }
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

  async #load(ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    const found =
      (await this.#session.load(ids)) ?? (await this.#line.run(() => this.#readWhole(ids)));
    return await this.#payloads.resolve(found, (id) => this.placeOf(id));
  }

  /** The index does not fit the file (damage inside a line, a rewrite): what it says is dropped. */
  async #readWhole(ids: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    const found = await this.#session.load(ids);
    if (found !== null) return found;
    await this.#distrust();
    const { known } = this.#session.file;
    this.#session = await this.#session.readWhole();
    this.#publish(this.#session.ordinalAt(known), new Set());
    return (await this.#session.load(ids)) as ReadonlyMap<string, Entry>;
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

/** The row of a session file, from what was read of it. `now` in ms since the epoch. */
export function summarizeFile(session: SessionFile, now: number): SessionSummary {
  const { header, tree, file } = session;
  const entries = session.since(0);
  return summarize({ header, tree, entries, file: file.path, bytes: file.size, now });
}
