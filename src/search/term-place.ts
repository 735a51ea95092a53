import type { TextTerm } from "../index/text-query.ts";
import { BREAK, normalizeText } from "../index/tokens.ts";

/** Part of a text in UTF-16 units; `end` excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

const SINGLE =
  "[[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Yi}" +
  "\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]&&[\\p{L}\\p{N}\\p{M}]]";
const WORD = `[[\\p{L}\\p{N}\\p{M}_]--${SINGLE}]`;
const BETWEEN = "[^\\p{L}\\p{N}\\p{M}_\\p{Extended_Pictographic}]";

/**
 * The phrase as it stands in a text: words whole, single characters side by side. Tokens are letters,
 * digits, marks and emoji, so none of them is syntax of an expression.
 */
function strictPattern(phrase: readonly string[]): RegExp {
  const startsWord = new RegExp(`^${WORD}`, "v");
  let source = "";
  let before: "none" | "word" | "single" | "apart" = "none";
  for (const token of phrase) {
    if (token === BREAK) {
      before = "apart";
      continue;
    }
    const isWord = startsWord.test(token);
    if (before === "apart" || (before === "word" && isWord)) source += `${BETWEEN}+`;
    else if (before === "word" || (before === "single" && isWord)) source += `${BETWEEN}*`;
    source += isWord ? `(?<!${WORD})${token}(?!${WORD})` : token;
    before = isWord ? "word" : "single";
  }
  return new RegExp(source, "v");
}

/** The same words inside a longer one: `leaf id` in `getLeafId`. */
function loosePattern(phrase: readonly string[]): RegExp {
  const tokens = phrase.filter((token) => token !== BREAK);
  return new RegExp(tokens.join("[^\\p{L}\\p{N}]*"), "v");
}

/** Finds a term's place in texts; made once a query. Only for showing: what matches is said by tokens. */
export type TermFinder = (text: string) => TextSpan | null;

/** A finder for the tokens of a term; for one without tokens its text as it is. */
export function termFinder(term: TextTerm & { readonly text: string }): TermFinder {
  const literal = normalizeText(term.text);
  const patterns =
    term.phrase.length === 0
      ? []
      : [
          strictPattern(term.phrase),
          ...[term.phrase, term.parts].filter((p) => p.length > 0).map(loosePattern),
        ];
  return (text) => {
    const normal = normalizeText(text);
    for (const pattern of patterns) {
      const found = pattern.exec(normal);
      if (found !== null) return inOriginal(text, normal, spanOf(found.index, found[0].length));
    }
    const at = literal === "" ? -1 : normal.indexOf(literal);
    return at === -1 ? null : inOriginal(text, normal, spanOf(at, literal.length));
  };
}

const spanOf = (start: number, length: number): TextSpan => ({ start, end: start + length });

/** What NFKC takes together: a character with its marks, a run of Hangul letters. */
const CLUSTER =
  /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]*|[\p{M}\uff9e\uff9f]+/gsu;

/** A span of the normalised text as a span of the text itself. */
function inOriginal(text: string, normal: string, span: TextSpan): TextSpan {
  const part = text.slice(span.start, span.end);
  const fits =
    text.length === normal.length && normalizeText(part) === normal.slice(span.start, span.end);
  if (fits) return span;
  let normalAt = 0;
  let start: number | null = null;
  for (const cluster of text.matchAll(CLUSTER)) {
    const next = normalAt + normalizeText(cluster[0]).length;
    if (start === null && next > span.start) start = cluster.index;
    if (next >= span.end)
      return { start: start ?? cluster.index, end: cluster.index + cluster[0].length };
    normalAt = next;
  }
  return { start: start ?? 0, end: text.length };
}
