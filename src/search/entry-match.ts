import { type EntryText, type EntryTokens, entryTokens, fieldTokens } from "../index/entry-text.ts";
import type { FieldFilter, TextTerm } from "../index/text-query.ts";
import { countPhrase, hasPhrase, normalizeText } from "../index/tokens.ts";
import type { Query, QueryTerm } from "./query.ts";

/** True where a term without words has to be looked for as it is. */
export function isLiteral(term: TextTerm): boolean {
  return term.phrase.length === 0;
}

/** True where only the texts themselves can answer: no index of words helps. */
export function needsTexts(query: Query): boolean {
  return query.regexes.length > 0 || [...query.terms, ...query.without].some(isLiteral);
}

/** How terms are compared: "words" as the index does, "letters" as plain text, also inside words. */
export type ScanMode = "words" | "letters";

/** Compares one entry with a query; tokens and plain texts are made only where they are asked for. */
export class EntryComparer {
  readonly #text: EntryText;
  readonly #mode: ScanMode;
  #tokens: EntryTokens | undefined;
  #pieces: readonly string[] | undefined;

  constructor(text: EntryText, mode: ScanMode) {
    this.#text = text;
    this.#mode = mode;
  }

  /** The tokens of texts and fields. */
  get tokens(): EntryTokens {
    this.#tokens ??= entryTokens(this.#text);
    return this.#tokens;
  }

  /** True where fields and terms fit; regular expressions and places are for others. */
  matches(query: Query): boolean {
    return (
      this.#passesFields(query.fields) &&
      query.terms.every((term) => this.#has(term)) &&
      !query.without.some((term) => this.#has(term))
    );
  }

  #passesFields(filters: readonly FieldFilter[]): boolean {
    if (filters.length === 0) return true;
    const { fields } = this.#tokens ?? entryTokens({ ...this.#text, pieces: [] });
    return filters.every(({ field, values, negated }) => {
      const found = values.some((value) => hasPhrase(fields, fieldTokens(field, value)));
      return found !== negated;
    });
  }

  #has(term: QueryTerm): boolean {
    return this.#mode === "letters" || isLiteral(term)
      ? this.#hasLetters(term)
      : this.#hasWords(term);
  }

  /** The same rule as that of the index. */
  #hasWords(term: QueryTerm): boolean {
    const { words, parts } = this.tokens;
    return (
      hasPhrase(words, term.phrase) || hasPhrase(parts, term.phrase) || hasPhrase(parts, term.parts)
    );
  }

  #hasLetters(term: QueryTerm): boolean {
    this.#pieces ??= this.#text.pieces.map(normalizeText);
    const wanted = normalizeText(term.text);
    return wanted !== "" && this.#pieces.some((piece) => piece.includes(wanted));
  }
}

/** One phrase of a query, as a ranking counts it. */
export interface RankedPhrase {
  readonly phrase: readonly string[];
  readonly where: "words and parts" | "parts";
}

/** The phrases that rank, in the order of the query. */
export function rankedPhrases(terms: readonly TextTerm[]): readonly RankedPhrase[] {
  const phrases: RankedPhrase[] = [];
  for (const { phrase, parts } of terms) {
    phrases.push({ phrase, where: "words and parts" });
    if (parts.length > 0) phrases.push({ phrase: parts, where: "parts" });
  }
  return phrases;
}

/** Weights of words and parts: those of the index (`text-index.ts`). */
const WEIGHTS = { words: 1, parts: 0.5 } as const;

/** How often a phrase stands in an entry, weighted. */
export function frequency(tokens: EntryTokens, { phrase, where }: RankedPhrase): number {
  const inParts = countPhrase(tokens.parts, phrase) * WEIGHTS.parts;
  return where === "parts" ? inParts : inParts + countPhrase(tokens.words, phrase) * WEIGHTS.words;
}
