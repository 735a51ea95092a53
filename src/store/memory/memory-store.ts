import type { Entry } from "../../entry/entry.ts";
import { checkSessionId, type RandomBytes } from "../../entry/ids.ts";
import { throwIfAborted } from "../../io/clock.ts";
import type { Capabilities } from "../capabilities.ts";
import { prepareEntries } from "../commit-request.ts";
import { newHeader } from "../new-header.ts";
import { copiedEntries } from "../path-copy.ts";
import { notSupported, sessionExists, sessionUnknown, storeClosed } from "../refusals.ts";
import type {
  CreateOptions,
  ListOptions,
  OpenOptions,
  SessionStore,
  SessionSummary,
  StoreSession,
  TrashedSession,
  ValueStore,
} from "../store.ts";
import { byActivity } from "../summary.ts";
import { MemoryLog } from "./memory-log.ts";
import { MemorySession, type MemorySessionContext } from "./memory-session.ts";
import { MemoryValues } from "./memory-values.ts";

/** What a memory store takes from outside. */
export interface MemoryStoreOptions {
  /** Time in ms for new entries and headers; default: the clock of the machine. */
  readonly clock?: { now(): number };
  /** Source of new ids; default: the random source of the platform. */
  readonly random?: RandomBytes;
}

/** What a memory store can do. */
export const memoryCapabilities: Capabilities = Object.freeze({
  contract: 1,
  durable: false,
  multiProcess: false,
  follow: true,
  paths: false,
  trash: true,
  indexed: false,
});

const platformRandom: RandomBytes = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/**
 * A store that keeps everything in this process and loses it on {@link SessionStore.close}. For tests,
 * for sessions that nobody wants to keep, and as the plainest reading of the contract.
 *
 * @example
 * await using store = createMemoryStore();
 * const session = await store.create({ cwd: "/project" });
 * await session.commit({ entries: [{ type: "session_info", name: "first try" }] });
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): SessionStore {
  return new MemoryStore(options);
}

interface Trashed {
  readonly log: MemoryLog;
  readonly trashed: string;
}

class MemoryStore implements SessionStore {
  readonly capabilities: Capabilities = memoryCapabilities;
  readonly #context: MemorySessionContext;
  readonly #values = new MemoryValues();
  readonly #logs = new Map<string, MemoryLog>();
  readonly #handles = new Set<MemorySession>();
  /** Oldest first. An id may be there twice, after a new session got the id of one in the trash. */
  #trash: readonly Trashed[] = [];
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    this.#context = {
      clock: options.clock ?? Date,
      random: options.random ?? platformRandom,
      onClose: (session) => this.#handles.delete(session),
    };
  }

  get values(): ValueStore {
    return this.#values;
  }

  async create(options: CreateOptions): Promise<StoreSession> {
    this.#checkOpen();
    if (options.link !== undefined) throw notSupported("links between sessions");
    const { clock, random } = this.#context;
    const header = newHeader(options, { now: clock.now(), random });
    if (this.#logs.has(header.id)) throw sessionExists(header.id);
    const entries: Entry[] = [];
    if (options.copy !== undefined) {
      for await (const entry of copiedEntries(options.copy)) entries.push(entry);
    }
    for (const entry of options.entries ?? []) entries.push(entry);
    const prepared = prepareEntries(entries);
    // Reading took time, in which another one may have been faster.
    if (this.#logs.has(header.id)) throw sessionExists(header.id);
    const log = new MemoryLog(header, prepared);
    this.#logs.set(header.id, log);
    return this.#handle(log);
  }

  async open(id: string, options: OpenOptions = {}): Promise<StoreSession> {
    this.#checkOpen();
    throwIfAborted(options.signal);
    return this.#handle(this.#log(id));
  }

  async *list(options: ListOptions = {}): AsyncIterable<SessionSummary> {
    this.#checkOpen();
    const rows: SessionSummary[] = [];
    for (const log of [...this.#logs.values()]) {
      throwIfAborted(options.signal);
      if (options.cwd !== undefined && log.header.cwd !== options.cwd) continue;
      rows.push(await new MemorySession(log, this.#context).summary());
    }
    for (const row of rows.sort(byActivity)) {
      this.#checkOpen();
      throwIfAborted(options.signal);
      yield row;
    }
  }

  async trash(id: string): Promise<void> {
    this.#checkOpen();
    const log = this.#log(id);
    log.live = false;
    this.#logs.delete(id);
    const trashed = new Date(this.#context.clock.now()).toISOString();
    this.#trash = [...this.#trash, { log, trashed }];
  }

  async listTrash(): Promise<readonly TrashedSession[]> {
    this.#checkOpen();
    return this.#trash.toReversed().map(({ log, trashed }) => {
      return { id: log.header.id, path: null, trashed };
    });
  }

  async restore(id: string): Promise<void> {
    this.#checkOpen();
    checkSessionId(id);
    const found = this.#trash.findLast(({ log }) => log.header.id === id);
    if (found === undefined) throw sessionUnknown(id);
    if (this.#logs.has(id)) throw sessionExists(id);
    found.log.live = true;
    this.#logs.set(id, found.log);
    this.#trash = this.#trash.filter((row) => row !== found);
  }

  async purge(id: string): Promise<void> {
    this.#checkOpen();
    checkSessionId(id);
    const kept = this.#trash.filter(({ log }) => log.header.id !== id);
    const log = this.#logs.get(id);
    if (log === undefined && kept.length === this.#trash.length) throw sessionUnknown(id);
    if (log !== undefined) log.live = false;
    this.#logs.delete(id);
    this.#trash = kept;
    this.#values.drop({ session: id });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#values.close();
    await Promise.all([...this.#handles].map((session) => session.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #handle(log: MemoryLog): StoreSession {
    const session = new MemorySession(log, this.#context);
    this.#handles.add(session);
    return session;
  }

  #log(id: string): MemoryLog {
    checkSessionId(id);
    const log = this.#logs.get(id);
    if (log === undefined) throw sessionUnknown(id);
    return log;
  }

  #checkOpen(): void {
    if (this.#closed) throw storeClosed();
  }
}
