import type { EntryFact, FactUsage, SessionFacts } from "../index/usage-fact.ts";

/** What statistics are grouped by; "all" = one row. */
export type StatsGroup = "all" | "day" | "model" | "project" | "tool";

/** What one group came to. */
export interface StatsRow {
  readonly by: StatsGroup;
  /** Day ("YYYY-MM-DD", UTC), `provider/model`, folder or tool; null where the entries do not say. */
  readonly key: string | null;
  /** Sessions with anything in this group, copies included. */
  readonly sessions: number;
  readonly messages: number;
  /** Calls of tools. */
  readonly toolCalls: number;
  /** Requests to models, that is entries with a usage. */
  readonly requests: number;
  /** Tokens; `input` excludes the cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of the input that came from the cache, 0 to 1; null where there was no input. */
  readonly cacheHitRate: number | null;
  /** US dollars, as far as known; null where no request says what it cost. 0 without requests. */
  readonly cost: number | null;
  /** Requests that do not say what they cost. */
  readonly unpriced: number;
}

/** What is counted, and how. */
export interface StatsOptions {
  readonly by: StatsGroup;
  /** ISO time; only entries at or after it. "" = all. */
  readonly since: string;
}

class Sums {
  readonly sessions = new Set<string>();
  messages = 0;
  toolCalls = 0;
  requests = 0;
  input = 0;
  output = 0;
  cacheRead = 0;
  cacheWrite = 0;
  cost = 0;
  unpriced = 0;

  addUsage(usage: FactUsage): void {
    this.requests++;
    this.input += usage.input;
    this.output += usage.output;
    this.cacheRead += usage.cacheRead;
    this.cacheWrite += usage.cacheWrite;
    this.cost += usage.cost ?? 0;
    if (usage.cost === null) this.unpriced++;
  }

  row(by: StatsGroup, key: string | null): StatsRow {
    const read = this.input + this.cacheRead + this.cacheWrite;
    const isUnknown = this.requests > 0 && this.unpriced === this.requests;
    return {
      by,
      key,
      sessions: this.sessions.size,
      messages: this.messages,
      toolCalls: this.toolCalls,
      requests: this.requests,
      input: this.input,
      output: this.output,
      cacheRead: this.cacheRead,
      cacheWrite: this.cacheWrite,
      cacheHitRate: read === 0 ? null : this.cacheRead / read,
      cost: isUnknown ? null : this.cost,
      unpriced: this.unpriced,
    };
  }
}

/**
 * Counts sessions, messages, calls, tokens and money. Nothing counts twice: an entry that stands with
 * the same id and time in several sessions (a fork copies them) counts in the first one, and an answer
 * with the same response id once. A price that nobody stated stays unknown. Feed the sessions oldest
 * first, so that copies come behind their originals.
 */
export class Stats {
  readonly #options: StatsOptions;
  readonly #groups = new Map<string | null, Sums>();
  readonly #entries = new Set<string>();
  readonly #responses = new Set<string>();

  constructor(options: StatsOptions) {
    this.#options = options;
  }

  /** Takes all entries of a session. */
  async add(session: SessionFacts): Promise<void> {
    for await (const fact of session.facts) this.#take(session, fact);
  }

  /** One row a group: days and names in order, else most tokens first. */
  rows(): readonly StatsRow[] {
    const { by } = this.#options;
    const rows = [...this.#groups].map(([key, sums]) => sums.row(by, key));
    const isOrdered = by === "day";
    return rows.sort((a, b) => (isOrdered ? 0 : size(b) - size(a)) || compare(a.key, b.key));
  }

  #take(session: SessionFacts, fact: EntryFact): void {
    if (fact.timestamp < this.#options.since) return;
    const isCopy = this.#isCopy(fact);
    for (const key of this.#keysOf(session, fact)) {
      const sums = this.#group(key);
      if (fact.isMessage || fact.usage !== null) sums.sessions.add(session.path ?? session.session);
      if (isCopy) continue;
      if (fact.isMessage) sums.messages++;
      sums.toolCalls += this.#callsIn(fact, key);
    }
    if (isCopy || fact.usage === null || this.#isKnownResponse(fact)) return;
    for (const key of this.#keysOf(session, fact)) this.#group(key).addUsage(fact.usage);
  }

  #keysOf(session: SessionFacts, fact: EntryFact): Iterable<string | null> {
    switch (this.#options.by) {
      case "all":
        return [null];
      case "day":
        return [/^\d{4}-\d\d-\d\d/.exec(fact.timestamp)?.[0] ?? null];
      case "model":
        return fact.usage === null ? [] : [fact.model];
      case "project":
        return [session.cwd === "" ? null : session.cwd];
      case "tool":
        return new Set(fact.calls);
    }
  }

  #callsIn({ calls }: EntryFact, key: string | null): number {
    return this.#options.by === "tool" ? calls.filter((name) => name === key).length : calls.length;
  }

  #isCopy({ entry, timestamp }: EntryFact): boolean {
    const key = `${timestamp} ${entry}`;
    if (this.#entries.has(key)) return true;
    this.#entries.add(key);
    return false;
  }

  #isKnownResponse({ response, model }: EntryFact): boolean {
    if (response === null) return false;
    const key = `${model} ${response}`;
    if (this.#responses.has(key)) return true;
    this.#responses.add(key);
    return false;
  }

  #group(key: string | null): Sums {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const made = new Sums();
    this.#groups.set(key, made);
    return made;
  }
}

const size = (row: StatsRow): number => row.input + row.output + row.cacheRead + row.cacheWrite;

function compare(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}
