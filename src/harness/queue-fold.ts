import type { Entry } from "../entry/entry.ts";
import type { QueuedMessage } from "./queue.ts";
import { queueRow } from "./queue-rows.ts";

/** A message that waits, and how often it was edited. */
export interface WaitingMessage {
  readonly message: QueuedMessage;
  readonly version: number;
}

/**
 * The queues of a session as its rows tell them, a pure fold in file order: whoever wrote a row, in
 * whatever process, all readers come to the same queues. The first outcome of a message stands; what is
 * said of a message that does not wait any more, or of an older version, has no effect (F094). Rows of another session have
 * none either: a copy starts with empty queues.
 */
export class QueueFold {
  readonly #session: string;
  readonly #waiting = new Map<string, WaitingMessage>();
  /** Ids are used once, so that a row which stands in the file twice brings nothing back. */
  readonly #known = new Set<string>();

  constructor(session: string) {
    this.#session = session;
  }

  /** Takes the next entry in file order. True where the queues are others now. */
  add(entry: Entry): boolean {
    const row = queueRow(entry, this.#session);
    if (row === null) return false;
    const { id } = row;
    if (row.event === "add") {
      if (this.#known.has(id)) return false;
      this.#known.add(id);
      const { queue, content, branch } = row;
      const message = { id, queue, content, timestamp: entry.timestamp, branch };
      this.#waiting.set(id, { message: Object.freeze(message), version: 0 });
      return true;
    }
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || waiting.version !== row.version) return false;
    if (row.event === "edit") {
      const message = Object.freeze({ ...waiting.message, content: row.content });
      this.#waiting.set(id, { message, version: waiting.version + 1 });
    } else this.#waiting.delete(id);
    return true;
  }

  /** The message, where it waits. */
  get(id: string): WaitingMessage | undefined {
    return this.#waiting.get(id);
  }

  /** What waits, in the order of acceptance; edited messages keep their place. */
  list(): readonly QueuedMessage[] {
    return Array.from(this.#waiting.values(), ({ message }) => message);
  }
}
