import type { Entry, SessionHeader } from "../../entry/entry.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import type { SessionTree } from "../../tree/session-tree.ts";
import type { Capabilities } from "../capabilities.ts";
import type {
  CommitRequest,
  CommitResult,
  CreateOptions,
  LineSource,
  ListOptions,
  OpenOptions,
  PathOptions,
  PurgeOptions,
  RunLock,
  RunLockOptions,
  ScanOptions,
  SessionLink,
  SessionStore,
  SessionSummary,
  StoreEvent,
  StoreSession,
  TrashedSession,
  ValueStore,
} from "../store.ts";

/** Passes every call on to another session. A subclass changes what it needs to. */
export class SessionDecorator implements StoreSession {
  protected readonly inner: StoreSession;

  /** Closing the decorator closes `inner`. */
  constructor(inner: StoreSession) {
    this.inner = inner;
  }

  get id(): string {
    return this.inner.id;
  }

  get header(): SessionHeader {
    return this.inner.header;
  }

  get file(): string | null {
    return this.inner.file;
  }

  get readOnly(): string | null {
    return this.inner.readOnly;
  }

  get lines(): LineSource | undefined {
    return this.inner.lines;
  }

  get link(): SessionLink | undefined {
    return this.inner.link;
  }

  get tree(): SessionTree {
    return this.inner.tree;
  }

  get problems(): readonly Problem[] {
    return this.inner.problems;
  }

  get verified(): boolean {
    return this.inner.verified;
  }

  whenVerified(signal?: AbortSignal): Promise<void> {
    return this.inner.whenVerified(signal);
  }

  placeOf(id: string): LinePlace | null {
    return this.inner.placeOf(id);
  }

  refresh(): Promise<void> {
    return this.inner.refresh();
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    return this.inner.commit(request);
  }

  lockRun(branch: string, options?: RunLockOptions): Promise<RunLock> {
    return this.inner.lockRun(branch, options);
  }

  get(id: string): Promise<Entry | undefined> {
    return this.inner.get(id);
  }

  mustGet(id: string): Promise<Entry> {
    return this.inner.mustGet(id);
  }

  getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    return this.inner.getAll(ids);
  }

  path(id: string | null, options?: PathOptions): AsyncIterable<Entry> {
    return this.inner.path(id, options);
  }

  scan(options?: ScanOptions): AsyncIterable<Entry> {
    return this.inner.scan(options);
  }

  last(count: number): Promise<readonly Entry[]> {
    return this.inner.last(count);
  }

  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<StoreEvent> {
    return this.inner.follow(options);
  }

  summary(): Promise<SessionSummary> {
    return this.inner.summary();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Passes every call on to another store and wraps the sessions that come back. The suite runs through
 * it, so that a decorator of a store is known to keep the contract.
 */
export class StoreDecorator implements SessionStore {
  protected readonly inner: SessionStore;

  /** Closing the decorator closes `inner`. */
  constructor(inner: SessionStore) {
    this.inner = inner;
  }

  get capabilities(): Capabilities {
    return this.inner.capabilities;
  }

  get values(): ValueStore {
    return this.inner.values;
  }

  async create(options: CreateOptions): Promise<StoreSession> {
    return this.wrap(await this.inner.create(options));
  }

  async open(id: string, options?: OpenOptions): Promise<StoreSession> {
    return this.wrap(await this.inner.open(id, options));
  }

  list(options?: ListOptions): AsyncIterable<SessionSummary> {
    return this.inner.list(options);
  }

  trash(id: string): Promise<void> {
    return this.inner.trash(id);
  }

  listTrash(): Promise<readonly TrashedSession[]> {
    return this.inner.listTrash();
  }

  restore(id: string): Promise<void> {
    return this.inner.restore(id);
  }

  purge(id: string, options?: PurgeOptions): Promise<void> {
    return this.inner.purge(id, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What callers get for a session of the inner store. */
  protected wrap(session: StoreSession): StoreSession {
    return new SessionDecorator(session);
  }
}
