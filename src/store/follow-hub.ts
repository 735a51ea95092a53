import type { Entry } from "../entry/entry.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import { divergences } from "./divergence.ts";
import { FollowQueue } from "./follow-queue.ts";
import type { StoreEvent } from "./store.ts";

/** The followers of one handle: every one gets every event, in order, however slowly it reads. */
export class FollowHub {
  readonly #queues = new Set<FollowQueue<StoreEvent>>();

  /** True where somebody follows. */
  get hasFollowers(): boolean {
    return this.#queues.size > 0;
  }

  /** A follower from now on, until the signal aborts, its reader stops, or the hub is closed. */
  follow(signal?: AbortSignal): AsyncIterable<StoreEvent> {
    const queue = new FollowQueue<StoreEvent>({
      signal,
      onEnd: (ended) => this.#queues.delete(ended),
    });
    if (!queue.ended) this.#queues.add(queue);
    return queue;
  }

  /**
   * Tells of entries that were just added to the tree, in file order. `own` holds the ids of those
   * that this handle wrote; runs of own and foreign entries become an event each, and foreign siblings
   * are told after the event that brings them.
   */
  publish(tree: SessionTree, entries: readonly Entry[], own: ReadonlySet<string>): void {
    let start = 0;
    while (start < entries.length) {
      const foreign = !own.has((entries[start] as Entry).id);
      let end = start + 1;
      while (end < entries.length && own.has((entries[end] as Entry).id) !== foreign) end++;
      const run = entries.slice(start, end);
      this.#tell({ type: "entries", entries: run, foreign });
      if (foreign) for (const event of divergences(tree, run)) this.#tell(event);
      start = end;
    }
  }

  /** Ends all followers with an error, behind what they were told before. */
  fail(error: unknown): void {
    for (const queue of [...this.#queues]) queue.fail(error);
  }

  /** Ends all followers; they still read what they were told before. */
  close(): void {
    for (const queue of [...this.#queues]) queue.end();
  }

  #tell(event: StoreEvent): void {
    for (const queue of this.#queues) queue.push(event);
  }
}
