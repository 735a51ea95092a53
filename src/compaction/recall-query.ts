import { type EntryText, entryTokens } from "../index/entry-text.ts";
import { BREAK, hasPhrase, normalizeText, termParts, termTokens } from "../index/tokens.ts";
import { splitQuery } from "../search/query-words.ts";
import { type TermFinder, termFinder } from "../search/term-place.ts";

/** One thing that an entry may hold. */
interface Wanted {
  readonly text: string;
  readonly phrase: readonly string[];
  readonly parts: readonly string[];
  /** What it counts beside the others. */
  readonly weight: number;
}

/** Words of questions that say nothing of what is looked for. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are be did do does for from had has have how i in is it me my of on or our that the this to " +
    "was we were what when where which who why with you your"
  ).split(" "),
);
/** Characters of a run that are looked for in pairs, since no blanks stand between its words. */
const PAIRS_FROM = 3;

function plain(text: string): readonly string[] {
  return termTokens(text).filter((token) => token !== BREAK);
}

/** True for a token that is a character of its own. */
function isCharacter(token: string): boolean {
  return Array.from(token).length === 1 && token > "\u2e80";
}

/** Pairs of neighbouring characters: 数据库端口 is also found where only 端口 stands. */
function pairsOf(phrase: readonly string[]): readonly Wanted[] {
  const pairs: Wanted[] = [];
  for (let at = 0; at + 1 < phrase.length; at++) {
    const pair = phrase.slice(at, at + 2);
    if (!pair.every(isCharacter)) continue;
    pairs.push({ text: pair.join(""), phrase: pair, parts: [], weight: 1 });
  }
  return pairs;
}

/** A term as a whole, and what it is made of. */
function wantedOf(text: string, quoted: boolean): readonly Wanted[] {
  const phrase = termTokens(text);
  const whole: Wanted = { text, phrase, parts: quoted ? [] : termParts(text), weight: 2 };
  if (quoted) return [{ ...whole, weight: 4 }];
  const words = plain(text);
  const isRun = words.filter(isCharacter).length >= PAIRS_FROM;
  const single = words.filter((word) => !isCharacter(word) && words.length > 1);
  const parts = single.map((word) => ({ text: word, phrase: [word], parts: [], weight: 1 }));
  return [whole, ...(isRun ? pairsOf(phrase) : []), ...parts];
}

/** A query as a model writes it: every word counts, none has to be there; what is negated does not count. */
export class RecallQuery {
  readonly #wanted: readonly Wanted[];
  /** Finds the places that are shown, the whole words first. */
  readonly finders: readonly TermFinder[];

  constructor(text: string) {
    const wanted = new Map<string, Wanted>();
    for (const word of splitQuery(text)) {
      if (word.kind !== "regex" && word.negated) continue;
      const term =
        word.kind === "term" ? word.value : word.kind === "filter" ? word.text : word.pattern;
      const quoted = word.kind === "term" && word.quoted;
      for (const one of wantedOf(term, quoted)) {
        const key = one.phrase.join(" ") || normalizeText(one.text);
        if (key !== "" && !wanted.has(key)) wanted.set(key, one);
      }
    }
    const all = [...wanted.values()];
    const telling = all.filter(({ phrase }) => !phrase.every((token) => EMPTY_WORDS.has(token)));
    this.#wanted = (telling.length > 0 ? telling : all).sort((a, b) => b.weight - a.weight);
    this.finders = this.#wanted.map(termFinder);
  }

  /** True where it has nothing to look for. */
  get isEmpty(): boolean {
    return this.#wanted.length === 0;
  }

  /** Which of the wanted things an entry holds, by their place in the query. */
  match(text: EntryText): readonly number[] {
    if (text.pieces.length === 0) return [];
    const { words, parts } = entryTokens(text);
    const matched: number[] = [];
    let letters: string | undefined;
    for (const [at, one] of this.#wanted.entries()) {
      if (one.phrase.length === 0) letters ??= normalizeText(text.pieces.join("\n"));
      const isThere =
        one.phrase.length === 0
          ? letters?.includes(normalizeText(one.text)) === true
          : hasPhrase(words, one.phrase) ||
            hasPhrase(parts, one.phrase) ||
            hasPhrase(parts, one.parts);
      if (isThere) matched.push(at);
    }
    return matched;
  }

  /** A score for each entry: what few entries hold counts more. */
  scores(entries: readonly (readonly number[])[]): readonly number[] {
    const holders = this.#wanted.map(() => 0);
    for (const matched of entries) {
      for (const at of matched) holders[at] = (holders[at] as number) + 1;
    }
    return entries.map((matched) => {
      let score = 0;
      for (const at of matched) {
        const { weight } = this.#wanted[at] as Wanted;
        score += weight * Math.log1p(entries.length / (holders[at] as number));
      }
      return score;
    });
  }
}
