import { type EntryFact, entryFact } from "../index/usage-fact.ts";
import { RegexWorker } from "../io/regex-worker.ts";
import type { HitRow, StatsView } from "../protocol/operation.ts";
import { parseQuery } from "../search/query.ts";
import { type SearchNote, searchSessions } from "../search/search.ts";
import { openedSession, type SearchedSession } from "../search/searched-session.ts";
import { Stats, type StatsGroup, type StatsRow } from "../search/stats.ts";
import type { SessionSummary } from "../store/store.ts";
import type { EventHub } from "./event-hub.ts";
import type { Library } from "./library.ts";

/** Time that one search may take, in ms. */
const PATIENCE_MS = 10_000;
/** Least time between two words about the progress of the index, in ms. */
const PROGRESS_MS = 500;

/** An answer to a search. */
export interface FoundHits {
  readonly hits: readonly HitRow[];
  readonly notes: readonly SearchNote[];
}

/** Search and numbers over all sessions of a server, by the index where there is one. */
export class SearchService {
  readonly #library: Library;
  readonly #hub: EventHub;
  #updating: Promise<readonly string[] | null> | null = null;

  constructor(library: Library, hub: EventHub) {
    this.#library = library;
    this.#hub = hub;
  }

  /** Entries that fit a query, at most `limit`. */
  async search(text: string, limit: number): Promise<FoundHits> {
    const roots = await this.#upToDate();
    const { index } = this.#library;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { hits, notes } = await searchSessions(parseQuery(text, Date.now()), {
      index: roots === null || index === null ? null : index.text,
      roots: roots ?? undefined,
      sessions: () => this.#sessions(),
      makeRegexRunner: (regex) => new RegexWorker(regex),
      limit,
      activeFirst: false,
      signal,
    });
    const rows = hits.map(({ marks, score: _score, ...hit }) => ({
      ...hit,
      marks: marks.map(({ start, end }) => [start, end] as const),
    }));
    return { hits: rows, notes };
  }

  /** Tokens and cost by day, model, project or tool. */
  async stats(by: StatsGroup): Promise<StatsView> {
    const roots = await this.#upToDate();
    const indexed = new Stats({ by, since: "" });
    const { index } = this.#library;
    const isDone =
      roots !== null && (await index?.text.eachSession(roots, (one) => indexed.add(one)));
    if (isDone === true) return statsView(by, indexed.rows());
    const read = new Stats({ by, since: "" });
    for await (const { session, path, cwd, created, open } of this.#sessions()) {
      await using opened = await open();
      await read.add({ session, path, cwd, created, facts: factsOf(opened.entries()) });
    }
    return statsView(by, read.rows());
  }

  /** Real roots once the index knows everything below them; null where it cannot be relied on. */
  async #upToDate(): Promise<readonly string[] | null> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = null;
    });
    return await this.#updating;
  }

  async #update(): Promise<readonly string[] | null> {
    const { index } = this.#library;
    if (index === null) return null;
    const roots = await this.#library.realRoots();
    const onProgress = this.#progress("sessions");
    const report = await index.sessions.refresh(roots, { onProgress });
    if (!report.complete) return null;
    const text = await index.text.update({ roots, onProgress: this.#progress("texts") });
    return text === null ? null : roots;
  }

  #progress(what: string): (done: number, total: number) => void {
    let next = performance.now() + PROGRESS_MS;
    return (done, total) => {
      if (performance.now() < next) return;
      next = performance.now() + PROGRESS_MS;
      this.#hub.publish("index_progress", { sessionId: null }, { done, total, what });
    };
  }

  async *#sessions(): AsyncGenerator<SearchedSession> {
    const { store } = this.#library.home;
    const searched = (row: SessionSummary): SearchedSession => {
      const { id: session, path, name, title, cwd, created } = row;
      const open = async (): Promise<ReturnType<typeof openedSession>> =>
        openedSession(await (path === null ? store.open(session) : store.openFile(path)));
      return { session, path, name, title, cwd, created, open };
    };
    for (const row of await this.#library.summaries()) yield searched(row);
  }
}

async function* factsOf(
  entries: AsyncIterable<Parameters<typeof entryFact>[0]>,
): AsyncGenerator<EntryFact> {
  for await (const entry of entries) yield entryFact(entry);
}

function statsView(by: string, rows: readonly StatsRow[]): StatsView {
  return {
    by,
    rows: rows.map((row) => ({
      key: row.key ?? "",
      input: row.input,
      output: row.output,
      cacheRead: row.cacheRead,
      cacheWrite: row.cacheWrite,
      cost: row.cost,
      calls: row.toolCalls,
      sessions: row.sessions,
    })),
  };
}
