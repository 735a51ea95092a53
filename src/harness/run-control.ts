import { SerialQueue } from "../store/serial-queue.ts";
import type { HarnessEvent } from "./events.ts";
import type { Listeners } from "./listeners.ts";

/** What ended a run, where something did. */
export interface RunFailure {
  readonly cause: unknown;
}

/**
 * How one operation is ended from outside, and how it tells what it does. A failure (a listener that
 * threw, a store that refused) ends it the way an abort does: what is stored stands, what is under way is
 * aborted, and the events go on to the end (harness.md §1).
 */
export class RunControl {
  readonly #listeners: Listeners;
  readonly #controller = new AbortController();
  readonly #events = new SerialQueue();
  #failure: RunFailure | null = null;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** Aborts with the operation. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first failure; null = none. */
  get failure(): RunFailure | null {
    return this.#failure;
  }

  /** Ends the operation; more calls do nothing. */
  abort(): void {
    this.#controller.abort();
  }

  /** Ends the operation with a failure. The first one stands. */
  fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.#controller.abort();
  }

  /**
   * Tells the listeners, after all that was told before; a function is asked when its turn comes. Never
   * rejects: what listeners throw becomes the failure.
   */
  tell(event: HarnessEvent | (() => HarnessEvent)): Promise<void> {
    return this.#events.run(async () => {
      const told = typeof event === "function" ? event() : event;
      for (const failure of await this.#listeners.tell(told)) this.fail(failure);
    });
  }
}
