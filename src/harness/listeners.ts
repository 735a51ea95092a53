import type { HarnessEvent, HarnessListener } from "./events.ts";

interface Subscription {
  readonly listener: HarnessListener;
}

/**
 * Who hears the events of a harness. Each is awaited before the next one hears (harness.md §1). A
 * listener that throws keeps no other one from hearing: what is stored stands, whoever fails.
 */
export class Listeners {
  readonly #subscriptions = new Set<Subscription>();

  /** Adds a listener behind the others and gives what takes it away again. */
  subscribe(listener: HarnessListener): () => void {
    const subscription = { listener };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  /** Tells all; gives what the first failing one threw, in a list, empty where none did. */
  async tell(event: HarnessEvent): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    // As it is now: who subscribes while an event is told hears the next one.
    for (const subscription of [...this.#subscriptions]) {
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        await subscription.listener(event);
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }
}
