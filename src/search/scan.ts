import type { Entry } from "../entry/entry.ts";
import { type EntryText, entryText } from "../index/entry-text.ts";
import { excludesSession, passesPlaces } from "../index/place-filter.ts";
import { countTokens } from "../index/tokens.ts";
import { throwIfAborted } from "../io/clock.ts";
import { bm25, type Counts } from "./bm25.ts";
import {
  EntryComparer,
  frequency,
  type RankedPhrase,
  rankedPhrases,
  type ScanMode,
} from "./entry-match.ts";
import type { Query } from "./query.ts";
import type { RegexMatch, RegexRunner } from "./regex-runner.ts";
import type { OpenedSession, SearchedSession } from "./searched-session.ts";

/** Text of entries that a literal or regular search looks at, in UTF-16 units; newest sessions first. */
export const SCAN_LIMIT: number = 256 * 1024 * 1024;

/** An entry that a scan found, without its payload. */
export interface Found {
  readonly session: SearchedSession;
  /** Id of the entry. */
  readonly entry: string;
  readonly timestamp: string;
  readonly onActivePath: boolean;
  /** Where the first regular expression matched, else null. */
  readonly match: RegexMatch | null;
  /** More is better; 0 where nothing ranks. */
  readonly score: number;
}

/** What a scan reads and how far. */
export interface ScanOptions {
  readonly sessions: AsyncIterable<SearchedSession>;
  readonly mode: ScanMode;
  /** One for each regular expression of the query. */
  readonly runners: readonly RegexRunner[];
  readonly signal?: AbortSignal | undefined;
  /** Largest amount of text in UTF-16 units; default none. */
  readonly limit?: number;
  /** Told of a session that could not be read: it never hides the others (F004). */
  readonly onSkip?: ((path: string, error: unknown) => void) | undefined;
}

/** What a scan came to. */
export interface ScanResult {
  readonly found: readonly Found[];
  /** True where the limit was reached before the end. */
  readonly cut: boolean;
  /** Entries at which a regular expression took too long. */
  readonly gaveUp: number;
}

interface Candidate extends Omit<Found, "score"> {
  readonly counts: Counts;
}

/** A candidate whose texts a regular expression still has to look at. */
interface Waiting {
  readonly candidate: Candidate;
  readonly pieces: readonly string[];
}

/** Entries, and units of text, that go to a regular expression at once. */
const BATCH_ENTRIES = 64;
const BATCH_UNITS = 256 * 1024;

/** Reads sessions entry by entry; gives what an index of words would give, with the same scores. */
export class Scan {
  readonly #query: Query;
  readonly #options: ScanOptions;
  readonly #phrases: readonly RankedPhrase[];
  readonly #holders: number[];
  readonly #found: Candidate[] = [];
  #waiting: Waiting[] = [];
  #waitingUnits = 0;
  #entries = 0;
  #tokens = 0;
  #units = 0;
  #gaveUp = 0;

  constructor(query: Query, options: ScanOptions) {
    this.#query = query;
    this.#options = options;
    this.#phrases = options.mode === "words" ? rankedPhrases(query.terms) : [];
    this.#holders = this.#phrases.map(() => 0);
  }

  /** Throws ABORTED. */
  async run(): Promise<ScanResult> {
    const { sessions, limit = Number.POSITIVE_INFINITY } = this.#options;
    let cut = false;
    for await (const session of sessions) {
      cut = this.#units >= limit || this.#isSpent;
      if (cut) break;
      // A ranking counts all entries, as the index does, so sessions are left out only without one.
      if (this.#phrases.length === 0 && excludesSession(this.#query.places, session)) continue;
      await this.#readSession(session);
    }
    await this.#flush();
    const found = this.#found.map((one) => this.#ranked(one));
    return { found, cut, gaveUp: this.#gaveUp };
  }

  get #isSpent(): boolean {
    return this.#options.runners.some((runner) => runner.isSpent);
  }

  async #readSession(session: SearchedSession): Promise<void> {
    throwIfAborted(this.#options.signal);
    try {
      await using opened = await session.open();
      for await (const entry of opened.entries()) {
        this.#take(entry, { session, opened });
        if (this.#waiting.length < BATCH_ENTRIES && this.#waitingUnits < BATCH_UNITS) continue;
        await this.#flush();
        throwIfAborted(this.#options.signal);
        if (this.#isSpent) break;
      }
    } catch (error) {
      throwIfAborted(this.#options.signal);
      this.#options.onSkip?.(session.path ?? session.session, error);
    }
  }

  #take(
    entry: Entry,
    at: { readonly session: SearchedSession; readonly opened: OpenedSession },
  ): void {
    const { session, opened } = at;
    const text = entryText(entry);
    const counts = this.#countsOf(text);
    if (counts === null) return;
    const onActivePath = opened.isActive(entry.id);
    const { id, timestamp } = entry;
    const isPlaced = passesPlaces(this.#query.places, {
      session: session.session,
      name: session.name,
      cwd: session.cwd,
      timestamp,
      onActivePath,
      label: () => opened.labelOf(id),
    });
    if (!isPlaced) return;
    const candidate = { session, entry: id, timestamp, onActivePath, match: null, counts };
    if (this.#options.runners.length === 0) {
      this.#found.push(candidate);
      return;
    }
    this.#waiting.push({ candidate, pieces: text.pieces });
    for (const piece of text.pieces) this.#waitingUnits += piece.length;
  }

  /** How the entry ranks, or null where it does not match. Counts every entry. */
  #countsOf(text: EntryText): Counts | null {
    const query = this.#query;
    const comparer = new EntryComparer(text, this.#options.mode);
    this.#entries++;
    for (const piece of text.pieces) this.#units += piece.length;
    if (this.#phrases.length === 0) return comparer.matches(query) ? NO_COUNTS : null;
    const { tokens } = comparer;
    const counts = {
      frequencies: this.#phrases.map((phrase) => frequency(tokens, phrase)),
      tokens: countTokens(tokens.words) + countTokens(tokens.parts) + countTokens(tokens.fields),
    };
    this.#tokens += counts.tokens;
    for (const [at, count] of counts.frequencies.entries()) {
      if (count > 0) this.#holders[at] = (this.#holders[at] as number) + 1;
    }
    return comparer.matches(query) ? counts : null;
  }

  /** Lets every regular expression look at what waits, and keeps what all of them match. */
  async #flush(): Promise<void> {
    let waiting: readonly Waiting[] = this.#waiting;
    this.#waiting = [];
    this.#waitingUnits = 0;
    for (const runner of this.#options.runners) {
      if (waiting.length === 0) return;
      const answers = await runner.test(waiting.map((one) => one.pieces));
      const kept: Waiting[] = [];
      for (const [at, answer] of answers.entries()) {
        if (answer === "gave up") this.#gaveUp++;
        const one = waiting[at];
        if (one === undefined || answer === null || answer === "gave up") continue;
        const match = one.candidate.match ?? answer;
        kept.push({ ...one, candidate: { ...one.candidate, match } });
      }
      waiting = kept;
    }
    for (const { candidate } of waiting) this.#found.push(candidate);
  }

  #ranked({ counts, ...one }: Candidate): Found {
    if (this.#phrases.length === 0) return { ...one, score: 0 };
    const collection = { entries: this.#entries, tokens: this.#tokens, holders: this.#holders };
    return { ...one, score: bm25(counts, collection) };
  }
}

const NO_COUNTS: Counts = { frequencies: [], tokens: 0 };

/** Order of hits: best first, of equal ones the newest. */
export function byScore(a: Found, b: Found): number {
  const difference = Math.round(b.score * 1000) - Math.round(a.score * 1000);
  if (difference !== 0) return difference;
  if (a.timestamp === b.timestamp) return 0;
  return a.timestamp < b.timestamp ? 1 : -1;
}
