import type { Block } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import type { AddOptions, DurableQueues } from "./durable-queues.ts";
import type { QueuedMessage, QueueName } from "./queue.ts";

/**
 * The queues as people see them: what waits, with its whole content, to be edited and taken out. Every
 * change is durable when it is answered, and told.
 */
export class QueueDesk {
  readonly #queues: DurableQueues;
  readonly #tell: () => Promise<void>;
  readonly #accepting = new Set<Promise<unknown>>();

  constructor(queues: DurableQueues, tell: () => Promise<void>) {
    this.#queues = queues;
    this.#tell = tell;
  }

  /** What waits, in the order of acceptance; of one queue or of all. */
  list(queue?: QueueName): readonly QueuedMessage[] {
    return this.#queues.list(queue);
  }

  /** Reads what other processes have queued. */
  async refresh(): Promise<void> {
    if (await this.#queues.refresh()) await this.#tell();
  }

  /** Gives a waiting message another content. Throws QUEUE_ITEM_UNKNOWN, ENTRY_INVALID. */
  async edit(id: string, content: string | readonly Block[]): Promise<QueuedMessage> {
    const edited = await this.#queues.edit(id, content);
    await this.#tell();
    return edited;
  }

  /** Takes a waiting message out. Throws QUEUE_ITEM_UNKNOWN. */
  async remove(id: string): Promise<QueuedMessage> {
    const removed = await this.#queues.remove(id);
    await this.#tell();
    return removed;
  }

  /** Accepts a message. Throws as {@link DurableQueues.add}. */
  async add(
    queue: QueueName,
    content: string | readonly Block[],
    options: AddOptions,
  ): Promise<QueuedMessage> {
    const work = this.#queues.add(queue, content, options);
    this.#accepting.add(work);
    try {
      const queued = await work;
      await this.#tell();
      return queued;
    } finally {
      this.#accepting.delete(work);
    }
  }

  /** Resolves when what is being accepted stands in its queue or was refused. */
  async accepted(): Promise<void> {
    await Promise.allSettled(this.#accepting);
  }
}

/** The refusal of a message that a run would have to take. */
export function harnessIdle(queue: QueueName): BranchlineError<"HARNESS_IDLE"> {
  return new BranchlineError(
    "HARNESS_IDLE",
    { queue },
    { message: "Nothing runs that could take the message.", hint: "Send it as a prompt." },
  );
}
