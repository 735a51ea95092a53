import type { Entry } from "../../entry/entry.ts";
import type { CommitRequest, CommitResult, ScanOptions, StoreSession } from "../../store/store.ts";
import { SessionDecorator, StoreDecorator } from "../../store/testing/store-decorator.ts";

/** What was asked of a store. */
export interface StoreWork {
  commits: number;
  /** Entries written. */
  written: number;
  /** Entries read, by id or by scanning. */
  read: number;
}

class CountingSession extends SessionDecorator {
  readonly #work: StoreWork;

  constructor(inner: StoreSession, work: StoreWork) {
    super(inner);
    this.#work = work;
  }

  override async commit(request: CommitRequest): Promise<CommitResult> {
    this.#work.commits++;
    this.#work.written += request.entries.length;
    return this.inner.commit(request);
  }

  override async get(id: string): Promise<Entry | undefined> {
    this.#work.read++;
    return this.inner.get(id);
  }

  override async mustGet(id: string): Promise<Entry> {
    this.#work.read++;
    return this.inner.mustGet(id);
  }

  override async getAll(ids: readonly string[]): Promise<readonly Entry[]> {
    this.#work.read += ids.length;
    return this.inner.getAll(ids);
  }

  override async *scan(options?: ScanOptions): AsyncGenerator<Entry> {
    for await (const entry of this.inner.scan(options)) {
      this.#work.read++;
      yield entry;
    }
  }

  override async *path(id: string | null): AsyncGenerator<Entry> {
    for await (const entry of this.inner.path(id)) {
      this.#work.read++;
      yield entry;
    }
  }
}

/** A store that counts what it is asked to do. */
export class CountingStore extends StoreDecorator {
  readonly work: StoreWork = { commits: 0, written: 0, read: 0 };

  /** Starts again at nothing. */
  reset(): void {
    Object.assign(this.work, { commits: 0, written: 0, read: 0 });
  }

  protected override wrap(session: StoreSession): StoreSession {
    return new CountingSession(session, this.work);
  }
}
