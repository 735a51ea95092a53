/** The constants and the formula of SQLite's FTS5, so that both ways of searching rank alike. */
const K1 = 1.2;
const B = 0.75;
const LEAST_IDF = 1e-6;

/** What a collection of entries is like. */
export interface Collection {
  /** Number of entries. */
  readonly entries: number;
  /** Tokens in all of them. */
  readonly tokens: number;
  /** For each phrase: entries that hold it. */
  readonly holders: readonly number[];
}

/** One entry: how often it holds each phrase (weighted), and its tokens. */
export interface Counts {
  readonly frequencies: readonly number[];
  readonly tokens: number;
}

/** How well an entry fits: more is better. */
export function bm25(counts: Counts, collection: Collection): number {
  const average = collection.tokens / collection.entries;
  const length = K1 * (1 - B + (B * counts.tokens) / average);
  let score = 0;
  for (const [at, frequency] of counts.frequencies.entries()) {
    const holders = collection.holders[at] ?? 0;
    const idf = Math.log((0.5 + collection.entries - holders) / (0.5 + holders));
    score += (Math.max(idf, LEAST_IDF) * (frequency * (K1 + 1))) / (frequency + length);
  }
  return score;
}
