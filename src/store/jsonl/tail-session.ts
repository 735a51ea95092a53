import type { Entry, SessionHeader } from "../../entry/entry.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import { aborted } from "../../io/clock.ts";
import type { SessionTree } from "../../tree/session-tree.ts";
import { TailTree, unverified } from "../../tree/tail-tree.ts";
import { prepareCommit } from "../commit-request.ts";
import { entryUnknown, storeClosed } from "../refusals.ts";
import type {
  CommitRequest,
  CommitResult,
  LineSource,
  PathOptions,
  RunLock,
  RunLockOptions,
  ScanOptions,
  SessionSummary,
  StoreEvent,
  StoreSession,
} from "../store.ts";
import type { Environment } from "./environment.ts";
import type { FileTail } from "./tail-reader.ts";

/** What a {@link TailSession} starts with. */
export interface TailSessionOptions {
  readonly tail: FileTail;
  /** Real path of the file. */
  readonly path: string;
  readonly readOnly: string | null;
  readonly resolvePayload: Environment["resolvePayload"];
  /** The session as the whole file tells it; closing this session closes it. */
  readonly whole: Promise<StoreSession>;
  /** Gives up on `whole`, which then rejects, where it is still under way. */
  readonly stop: () => void;
  /** Called once when the session was closed. */
  readonly onClose: () => void;
}

/**
 * A session that was opened from the end of its file. Until the rest was looked at in the background it
 * answers what the end tells (`verified` is false); whatever needs more waits, or where it cannot wait
 * throws SESSION_UNVERIFIED. Then it passes everything on to the session of the whole file, whose answers
 * stand: damage, duplicate ids and lost parents are known then, and seen in `problems`. Nothing is
 * written before.
 */
export class TailSession implements StoreSession {
  readonly id: string;
  readonly file: string;
  readonly #header: SessionHeader;
  readonly #readOnly: string | null;
  readonly #tree: TailTree;
  /** Leaf first. */
  readonly #ids: readonly string[];
  readonly #isWholePath: boolean;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #resolve: Environment["resolvePayload"];
  readonly #verifying: Promise<StoreSession>;
  readonly #stop: () => void;
  readonly #onClose: () => void;
  #whole: StoreSession | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: TailSessionOptions) {
    const { tail } = options;
    this.id = tail.header.id;
    this.file = options.path;
    this.#header = tail.header;
    this.#readOnly = options.readOnly;
    this.#tree = new TailTree(tail);
    this.#ids = tail.entries.map(({ id }) => id);
    this.#isWholePath = tail.above === null;
    this.#entries = new Map(tail.entries.map((entry) => [entry.id, entry]));
    this.#resolve = options.resolvePayload;
    this.#stop = options.stop;
    this.#onClose = options.onClose;
    this.#verifying = options.whole.then((whole) => {
      this.#whole = whole;
      return whole;
    });
    // Whoever needs it hears of a failure.
    this.#verifying.catch(() => undefined);
  }

  get verified(): boolean {
    return this.#whole !== null;
  }

  get header(): SessionHeader {
    return this.#whole?.header ?? this.#header;
  }

  get readOnly(): string | null {
    return this.#whole === null ? this.#readOnly : this.#whole.readOnly;
  }

  get tree(): SessionTree {
    return this.#whole?.tree ?? this.#tree;
  }

  get lines(): LineSource | undefined {
    return this.#whole?.lines;
  }

  get problems(): readonly Problem[] {
    return this.#whole?.problems ?? [];
  }

  placeOf(id: string): LinePlace | null {
    if (this.#whole === null) throw unverified("the place of an entry");
    return this.#whole.placeOf(id);
  }

  async whenVerified(signal?: AbortSignal): Promise<void> {
    this.#assertOpen();
    if (signal === undefined) await this.#ready();
    else await orAborted(this.#ready(), signal);
  }

  async refresh(): Promise<void> {
    await (await this.#ready()).refresh();
  }

  async commit(request: CommitRequest): Promise<CommitResult> {
    this.#assertOpen();
    // What the caller changes while this waits has no effect.
    const prepared = prepareCommit(request);
    await this.whenVerified(request.signal);
    return await (await this.#ready()).commit(prepared);
  }

  async lockRun(branch: string, options?: RunLockOptions): Promise<RunLock> {
    return await (await this.#ready()).lockRun(branch, options);
  }

  async get(id: string): Promise<Entry | undefined> {
    const [entry] = (await this.#fromTail([id])) ?? [];
    return entry ?? (await (await this.#ready()).get(id));
  }

  async mustGet(id: string): Promise<Entry> {
    const entry = await this.get(id);
    if (entry === undefined) throw entryUnknown(id);
    return entry;
  }

  async getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    return (await this.#fromTail(ids)) ?? (await (await this.#ready()).getAll(ids));
  }

  async *path(id: string | null, options: PathOptions = {}): AsyncGenerator<Entry, void, void> {
    this.#assertOpen();
    const from = id === null ? -1 : this.#ids.indexOf(id);
    const ids =
      from === -1 ? [] : this.#ids.slice(from, from + (options.limit ?? Number.POSITIVE_INFINITY));
    const isEnough = from !== -1 && (this.#isWholePath || ids.length === options.limit);
    const entries = isEnough && this.#whole === null ? await this.#fromTail(ids) : null;
    yield* entries ?? (await this.#ready()).path(id, options);
  }

  async *scan(options?: ScanOptions): AsyncGenerator<Entry, void, void> {
    yield* (await this.#ready()).scan(options);
  }

  async last(count: number): Promise<readonly Entry[]> {
    return await (await this.#ready()).last(count);
  }

  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<StoreEvent> {
    this.#assertOpen();
    // Where the events begin is told by a tree that is whole.
    if (this.#whole === null) throw unverified("what is new in it");
    return this.#whole.follow(options);
  }

  async summary(): Promise<SessionSummary> {
    return await (await this.#ready()).summary();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#stop();
    try {
      const whole = await this.#verifying.catch(() => null);
      await whole?.close();
    } finally {
      this.#onClose();
    }
  }

  async #ready(): Promise<StoreSession> {
    this.#assertOpen();
    return await this.#verifying;
  }

  /** null where the tail does not hold them all, with their payloads, or is no longer asked. */
  async #fromTail(ids: readonly string[]): Promise<readonly Entry[] | null> {
    this.#assertOpen();
    if (this.#whole !== null) return null;
    const entries: Entry[] = [];
    for (const id of ids) {
      const entry = this.#entries.get(id);
      const resolved = entry === undefined ? null : await this.#resolve(entry);
      if (resolved === null) return null;
      entries.push(resolved);
    }
    return entries;
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw storeClosed();
  }
}

async function orAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(aborted(signal));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
