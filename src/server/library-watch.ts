import type { SessionSummary } from "../store/store.ts";
import type { EventHub } from "./event-hub.ts";
import type { Library } from "./library.ts";
import type { ServerLog } from "./server-log.ts";

/** What {@link LibraryWatch} works with. */
export interface LibraryWatchParts {
  readonly library: Library;
  readonly hub: EventHub;
  readonly log: ServerLog;
  /** Least time between two looks, in ms. */
  readonly everyMs: number;
}

/** A look may take one part in so many of the time. */
const SHARE = 50;
/** Sessions that one look tells of: whoever hears of one reads the list anew. */
const MOST_TOLD = 100;

/**
 * Tells those who hear of all sessions what other programs write to sessions that are not open here, so
 * that the library stays right without asking. It looks only while somebody listens, and only with an
 * index: then a look costs one stat a file, and the wait before the next one is fifty times as long.
 */
export class LibraryWatch {
  readonly #parts: LibraryWatchParts;
  #timer: NodeJS.Timeout;
  #known: ReadonlyMap<string, string> | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: LibraryWatchParts) {
    this.#parts = parts;
    this.#timer = this.#later(parts.everyMs);
  }

  /** Waits for a look that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Compares the sessions with those of the last look and tells the difference; the first tells nothing. */
  async look(): Promise<void> {
    const { library, hub } = this.#parts;
    const summaries = await library.summaries();
    const running = await library.running(summaries);
    const before = this.#known;
    const now = new Map(summaries.map((one) => [one.id, printOf(one, running(one))]));
    this.#known = now;
    if (before === null) return;
    const changed = [...now].filter(([id, print]) => before.get(id) !== print);
    for (const [id] of changed.slice(0, MOST_TOLD)) {
      const type = before.has(id) ? "session_updated" : "session_created";
      hub.publish(type, { sessionId: id }, { id });
    }
    const gone = [...before.keys()].filter((id) => !now.has(id));
    for (const id of gone.slice(0, MOST_TOLD)) {
      hub.publish("session_removed", { sessionId: id }, { id });
    }
  }

  #later(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#looking = this.#turn();
    }, ms).unref();
  }

  async #turn(): Promise<void> {
    const { library, hub, log, everyMs } = this.#parts;
    const began = performance.now();
    if (library.index !== null && hub.isLibraryWatched) {
      await this.look().catch((error: unknown) => {
        log.warn({ error: String(error) }, "the library could not be looked at");
      });
    }
    if (this.#isClosed) return;
    this.#timer = this.#later(Math.max(everyMs, (performance.now() - began) * SHARE));
  }
}

function printOf({ bytes, modified, path }: SessionSummary, running: string | null): string {
  return `${bytes} ${modified} ${path} ${running}`;
}
