/** How a {@link FollowQueue} ends. */
export interface FollowOptions<T> {
  /** Ends the queue at once; what nobody has read yet is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when the queue has ended, for whatever reason. */
  readonly onEnd?: (queue: FollowQueue<T>) => void;
}

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The async iterable behind `follow`: events are pushed without waiting for the reader and read in
 * order. Starts with its construction, not with the first `next`, so nothing falls between. Ends by
 * {@link FollowQueue.end}, the signal, or when its reader stops (`break`).
 */
export class FollowQueue<T> implements AsyncIterableIterator<T, undefined> {
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: ((queue: FollowQueue<T>) => void) | undefined;
  readonly #drop = (): void => this.#finish([]);
  #events: T[] = [];
  /** Events before this place have been read; they are let go in slices, so that reading is linear. */
  #read = 0;
  #waiters: Waiter<T>[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(options: FollowOptions<T> = {}) {
    this.#signal = options.signal;
    this.#onEnd = options.onEnd;
    if (options.signal?.aborted) this.#drop();
    else options.signal?.addEventListener("abort", this.#drop, { once: true });
  }

  /** True once nothing more can be pushed. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Adds an event; after the end it is ignored. */
  push(event: T): void {
    if (this.#ended) return;
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#events.push(event);
    else waiter.resolve({ value: event, done: false });
  }

  /** Ends the queue; the reader still gets what was pushed before. */
  end(): void {
    this.#finish(this.#events.slice(this.#read));
  }

  /** Ends the queue; the reader gets what was pushed before, then the error. */
  fail(error: unknown): void {
    if (this.#ended) return;
    const first = this.#waiters.shift();
    if (first === undefined) this.#failure = { error };
    else first.reject(error);
    this.end();
  }

  /** The next event, as soon as there is one; done at the end. */
  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#read < this.#events.length) {
      return Promise.resolve({ value: this.#take(), done: false });
    }
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) return Promise.reject(failure.error);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Ends the queue from the reader's side; what was not read is dropped. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.#failure = null;
    this.#finish([]);
    this.#events = [];
    this.#read = 0;
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T {
    const event = this.#events[this.#read] as T;
    this.#read++;
    if (this.#read > 1024 && this.#read * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#read);
      this.#read = 0;
    }
    return event;
  }

  #finish(rest: T[]): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events = rest;
    this.#read = 0;
    this.#signal?.removeEventListener("abort", this.#drop);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.resolve({ value: undefined, done: true });
    this.#onEnd?.(this);
  }
}
