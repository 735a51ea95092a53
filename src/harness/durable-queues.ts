import type { EntryDraft } from "../entry/entry.ts";
import { newEntryId, type RandomBytes } from "../entry/ids.ts";
import type { Block } from "../entry/message.ts";
import { QUEUE_TYPE } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { platformRandom } from "../session/platform.ts";
import type { Session } from "../session/session.ts";
import { entryInvalid } from "../store/refusals.ts";
import { SerialQueue } from "../store/serial-queue.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { QueuedMessage, QueueName } from "./queue.ts";
import { QueueFold, type WaitingMessage } from "./queue-fold.ts";
import { type ChangedRow, isQueueContent, queueDraft } from "./queue-rows.ts";

/** What queues work with besides the session. */
export interface QueueParts {
  /** Source of message ids; default: the random source of the platform. */
  readonly random?: RandomBytes;
}

/** Options of {@link DurableQueues.add}. */
export interface AddOptions {
  /**
   * Makes a retry safe: a second call with it adds nothing and gives the first one's message. It is the
   * message's id then; up to 200 characters.
   */
  readonly key?: string;
  /** Only runs on this branch may take the message; default null = any. */
  readonly branch?: string | null;
}

/** What to append with a message of the caller's own making; see {@link DurableQueues.outcomeOf}. */
export interface OutcomeCommit {
  readonly row: EntryDraft;
  /** Idempotency key of the commit: without it the outcome is not exclusive. */
  readonly key: string;
}

/**
 * The queues of a session (harness.md §3), durable rows in its file: what was accepted survives any
 * crash, compaction and navigation, and all processes see the same. Each change of a message commits
 * under an idempotency key made of its id and version, so the store itself lets exactly one of two
 * contenders through, in whatever process they are: a message is delivered once, and either as it was
 * edited or not edited any more (F090, F094).
 *
 * @example
 * const queues = await DurableQueues.load(session);
 * const { id } = await queues.add("followUp", "then run the tests");
 * const { row, key } = queues.outcomeOf(id, run);
 * await session.append([{ type: "message", message }, row], { key });
 */
export class DurableQueues {
  readonly #session: Session;
  readonly #random: RandomBytes;
  readonly #line = new SerialQueue();
  #fold: QueueFold;
  /** The tree that was read, and how many of its entries. */
  #tree: SessionTree;
  #relinks = -1;
  #seen = 0;

  private constructor(session: Session, parts: QueueParts) {
    this.#session = session;
    this.#random = parts.random ?? platformRandom;
    this.#tree = session.tree;
    this.#fold = new QueueFold(session.id);
  }

  /** Reads the queues of a session. The session stays the caller's. */
  static async load(session: Session, parts: QueueParts = {}): Promise<DurableQueues> {
    const queues = new DurableQueues(session, parts);
    await queues.refresh();
    return queues;
  }

  /** Reads what was written since, by anybody. True where the queues are others now. */
  async refresh(): Promise<boolean> {
    await this.#session.refresh();
    return await this.#advance();
  }

  /** What waits, in the order of acceptance, as of the last refresh or change; of one queue or of all. */
  list(queue?: QueueName): readonly QueuedMessage[] {
    const all = this.#fold.list();
    return queue === undefined ? all : all.filter((message) => message.queue === queue);
  }

  /** Accepts a message: durable when it resolves. Throws ENTRY_INVALID, KEY_REUSED and what a commit throws. */
  async add(
    queue: QueueName,
    content: string | readonly Block[],
    options: AddOptions = {},
  ): Promise<QueuedMessage> {
    checkContent(content);
    const { key, branch = null } = options;
    const id = key ?? newEntryId(this.#random);
    const row = queueDraft(this.#session.id, { event: "add", id, queue, content, branch });
    const [entry] = await this.#session.appendRows([row], { key: commitKey(id, "add") });
    await this.#advance();
    const timestamp = entry?.timestamp ?? "";
    return this.#fold.get(id)?.message ?? { id, queue, content, timestamp, branch };
  }

  /** Gives a waiting message another content; its place stays. Throws QUEUE_ITEM_UNKNOWN, ENTRY_INVALID. */
  async edit(id: string, content: string | readonly Block[]): Promise<QueuedMessage> {
    checkContent(content);
    const edited = await this.#settle(id, ({ version }) => ({
      event: "edit",
      id,
      version,
      content,
    }));
    return { ...edited, content };
  }

  /** Takes a waiting message out. Throws QUEUE_ITEM_UNKNOWN where it does not wait any more. */
  async remove(id: string): Promise<QueuedMessage> {
    return await this.#settle(id, ({ version }) => ({ event: "removed", id, version }));
  }

  /** Says that a waiting message could not be delivered, and why. Throws QUEUE_ITEM_UNKNOWN. */
  async fail(id: string, reason: string): Promise<QueuedMessage> {
    return await this.#settle(id, ({ version }) => ({ event: "failed", id, version, reason }));
  }

  /**
   * Takes messages back for the caller, as an abort does with steer and followUp; those that somebody
   * else took meanwhile are not among what it gives.
   */
  async giveBack(ids: readonly string[]): Promise<readonly QueuedMessage[]> {
    const tried = ids.map(async (id) => {
      try {
        return await this.#settle(id, ({ version }) => ({ event: "returned", id, version }));
      } catch (error) {
        if (BranchlineError.is(error, "QUEUE_ITEM_UNKNOWN")) return null;
        throw error;
      }
    });
    return (await Promise.all(tried)).filter((message) => message !== null);
  }

  /**
   * The row that says that a run took a waiting message, for a commit that the caller makes itself with
   * the message in it, under the key. KEY_REUSED from that commit = somebody else took or edited it:
   * refresh, look again. null where it does not wait any more.
   */
  outcomeOf(id: string, run: string): OutcomeCommit | null {
    const waiting = this.#fold.get(id);
    return waiting === undefined ? null : this.#outcome(waiting, run);
  }

  #outcome({ message: { id }, version }: WaitingMessage, run: string): OutcomeCommit {
    const by = newEntryId(this.#random);
    const row = queueDraft(this.#session.id, { event: "delivered", id, version, run, by });
    return { row, key: commitKey(id, version) };
  }

  /** Tries to be the one that changes the present version; decides anew where somebody was faster. */
  async #settle(
    id: string,
    change: (waiting: WaitingMessage) => ChangedRow,
  ): Promise<QueuedMessage> {
    // Others may have accepted it a moment ago.
    if (this.#fold.get(id) === undefined) await this.refresh();
    for (let last = -1; ; ) {
      const waiting = this.#fold.get(id);
      if (waiting === undefined) throw unknown(id);
      try {
        // Never the same row twice: of two that take a message back only one may have it.
        const by = newEntryId(this.#random);
        const row = queueDraft(this.#session.id, { ...change(waiting), by });
        await this.#session.appendRows([row], { key: commitKey(id, waiting.version) });
        await this.#advance();
        return waiting.message;
      } catch (error) {
        if (!BranchlineError.is(error, "KEY_REUSED") || waiting.version === last) throw error;
        last = waiting.version;
        await this.refresh();
      }
    }
  }

  /** One reader at a time, so that no row is taken twice. */
  #advance(): Promise<boolean> {
    return this.#line.run(async () => {
      const { tree, store } = this.#session;
      const { relinks } = tree;
      let changed = false;
      if (tree !== this.#tree || relinks !== this.#relinks) {
        this.#tree = tree;
        this.#relinks = relinks;
        this.#seen = 0;
        this.#fold = new QueueFold(this.#session.id);
        changed = true;
      }
      const to = tree.size;
      const rows = store.scan({ from: this.#seen, to, customTypes: [QUEUE_TYPE] });
      for await (const entry of rows) if (this.#fold.add(entry)) changed = true;
      this.#seen = to;
      return changed;
    });
  }
}

function commitKey(id: string, step: number | "add"): string {
  return `${QUEUE_TYPE}/${id}/${step}`;
}

function checkContent(content: unknown): void {
  if (!isQueueContent(content)) throw entryInvalid("a queued message is text or a list of blocks");
}

function unknown(id: string): BranchlineError<"QUEUE_ITEM_UNKNOWN"> {
  return new BranchlineError(
    "QUEUE_ITEM_UNKNOWN",
    { id },
    {
      message: `No message ${id} waits in a queue.`,
      hint: "It may have been delivered, returned or removed meanwhile.",
    },
  );
}
