import type { Entry } from "../entry/entry.ts";
import { entryText } from "../index/entry-text.ts";
import type { TextHit, TextSearcher } from "../index/text-query.ts";
import { needsTexts, type ScanMode } from "./entry-match.ts";
import { type Excerpt, excerptAround, makeExcerpt } from "./excerpt.ts";
import type { Query } from "./query.ts";
import type { MakeRegexRunner, RegexMatch, RegexRunner } from "./regex-runner.ts";
import { byScore, type Found, SCAN_LIMIT, Scan } from "./scan.ts";
import type { SearchedSession } from "./searched-session.ts";
import { type TermFinder, type TextSpan, termFinder } from "./term-place.ts";

/** One entry that fits, as people and programs see it. */
export interface SearchHit {
  /** Id of the session. */
  readonly session: string;
  readonly title: string | null;
  /** Real path of the session's file, or null. */
  readonly path: string | null;
  /** Id of the entry. */
  readonly entry: string;
  readonly type: string;
  /** Role of a message, else null. */
  readonly role: string | null;
  readonly timestamp: string;
  /** One line, 160 columns at most, without control characters. */
  readonly excerpt: string;
  /** Parts of `excerpt` that match, in UTF-16 units. */
  readonly marks: readonly TextSpan[];
  readonly onActivePath: boolean;
  /** More is better; 0 where nothing ranks. */
  readonly score: number;
}

/** What people should know about an answer. */
export type SearchNote =
  /** Nothing had these words: the texts were searched letter by letter, also inside words. */
  | { readonly code: "LETTERS" }
  /** Not all sessions were read: the limit of text or time was reached; the newest come first. */
  | { readonly code: "CUT" }
  /** At so many entries the regular expression took too long; they are left out. */
  | { readonly code: "GAVE_UP"; readonly entries: number };

/** An answer. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly notes: readonly SearchNote[];
}

/** What is searched, and with what. */
export interface SearchOptions {
  /** null: sessions are read instead; slower, the same answer. */
  readonly index: TextSearcher | null;
  /** Real paths of the folders that count in the index; undefined = all that it knows. */
  readonly roots?: readonly string[] | undefined;
  /** The sessions that count, newest first; asked for anew at every scan. */
  readonly sessions: () => AsyncIterable<SearchedSession>;
  readonly makeRegexRunner: MakeRegexRunner;
  /** Largest number of hits. */
  readonly limit: number;
  /** Hits on the active path come before the others. */
  readonly activeFirst: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onSkip?: ((path: string, error: unknown) => void) | undefined;
}

/**
 * Looks for entries over all sessions (F101): by the index of words, else by reading. Where no entry has
 * the words, they are looked for letter by letter, also inside words. Throws ABORTED.
 */
export async function searchSessions(query: Query, options: SearchOptions): Promise<SearchResult> {
  const indexed = needsTexts(query) ? null : await searchIndex(query, options);
  const found =
    indexed === null ? await scan(query, options, "words") : { hits: indexed, notes: [] };
  const isEmpty = found.hits.length === 0 && query.terms.some((term) => term.phrase.length > 0);
  if (!isEmpty || found.notes.some((note) => note.code === "CUT")) return found;
  const inLetters = await scan(query, options, "letters");
  const notes = inLetters.hits.length === 0 ? [] : [{ code: "LETTERS" } as const];
  return { hits: inLetters.hits, notes: [...notes, ...inLetters.notes] };
}

/** null where no index can answer. */
async function searchIndex(
  query: Query,
  options: SearchOptions,
): Promise<readonly SearchHit[] | null> {
  const { index, roots, activeFirst, limit } = options;
  if (index === null) return null;
  const { terms, without, fields, places } = query;
  const asked = { terms, without, fields, places, activeFirst, limit };
  const found = await index.search(roots === undefined ? asked : { ...asked, roots });
  if (found === null) return null;
  const finders = query.terms.map(termFinder);
  const hits: SearchHit[] = [];
  for (const hit of found) {
    const entry = await index.read(hit);
    if (entry !== null) hits.push(shown(entry, hit, makeExcerpt(entryText(entry).pieces, finders)));
  }
  return hits;
}

async function scan(query: Query, options: SearchOptions, mode: ScanMode): Promise<SearchResult> {
  const { signal, onSkip } = options;
  const runners = query.regexes.map(options.makeRegexRunner);
  const isLimited = mode === "letters" || needsTexts(query);
  try {
    const { found, cut, gaveUp } = await new Scan(query, {
      sessions: options.sessions(),
      mode,
      runners,
      signal,
      onSkip,
      ...(isLimited ? { limit: SCAN_LIMIT } : {}),
    }).run();
    const notes: SearchNote[] = cut || isSpent(runners) ? [{ code: "CUT" }] : [];
    if (gaveUp > 0) notes.push({ code: "GAVE_UP", entries: gaveUp });
    return { hits: await load(best(found, options), query), notes };
  } finally {
    for (const runner of runners) await runner[Symbol.asyncDispose]();
  }
}

const isSpent = (runners: readonly RegexRunner[]): boolean => runners.some((one) => one.isSpent);

function best(found: readonly Found[], { activeFirst, limit }: SearchOptions): readonly Found[] {
  const sorted = found.toSorted(byScore);
  if (!activeFirst) return sorted.slice(0, limit);
  const active = sorted.filter((one) => one.onActivePath);
  return [...active, ...sorted.filter((one) => !one.onActivePath)].slice(0, limit);
}

/** Reads the payloads of hits, opening each session once. */
async function load(found: readonly Found[], query: Query): Promise<readonly SearchHit[]> {
  const finders = query.terms.map(termFinder);
  const bySession = Map.groupBy(found, (one) => one.session);
  const hits = new Map<Found, SearchHit>();
  for (const [session, ones] of bySession) {
    await using opened = await session.open();
    for (const one of ones) {
      const entry = await opened.get(one.entry);
      if (entry === undefined) continue;
      const { title, path } = session;
      const at = { ...one, session: session.session, title, path };
      hits.set(one, shown(entry, at, excerptOf(entry, one.match, finders)));
    }
  }
  return found.map((one) => hits.get(one)).filter((hit) => hit !== undefined);
}

function excerptOf(
  entry: Entry,
  match: RegexMatch | null,
  finders: readonly TermFinder[],
): Excerpt {
  const { pieces } = entryText(entry);
  const piece = match === null ? undefined : pieces[match.piece];
  if (match === null || piece === undefined) return makeExcerpt(pieces, finders);
  return excerptAround(piece, match, finders);
}

type Place = Pick<TextHit, "session" | "title" | "timestamp" | "onActivePath" | "score"> & {
  readonly path: string | null;
};

function shown(entry: Entry, place: Place, { text: excerpt, marks }: Excerpt): SearchHit {
  const { session, title, path, timestamp, onActivePath, score } = place;
  const { id, type } = entry;
  const { role } = entryText(entry);
  const found = { session, title, path, entry: id, type, role, timestamp };
  return { ...found, excerpt, marks, onActivePath, score: Math.round(score * 1000) / 1000 };
}
