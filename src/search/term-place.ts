import { latePattern } from "../entry/late-pattern.ts";
import type { TextTerm } from "../index/text-query.ts";
import { BREAK, isSeparator, isWordCharacter, normalizeText } from "../index/tokens.ts";

/** Part of a text in UTF-16 units; `end` excluded. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A token and what may stand between it and the one before. */
interface Step {
  readonly token: string;
  readonly gap: "none" | "any" | "some";
  /** True where no further character of a word may stand beside it. */
  readonly isWhole: boolean;
}

/** The tokens of a term in a row, and which characters may stand between two of them. */
interface Pattern {
  readonly steps: readonly Step[];
  readonly isGap: (code: number) => boolean;
}

/** The phrase as it stands in a text: words whole, single characters side by side. */
function strictPattern(phrase: readonly string[]): Pattern {
  const steps: Step[] = [];
  let before: "none" | "word" | "single" | "apart" = "none";
  for (const token of phrase) {
    if (token === BREAK) {
      before = "apart";
      continue;
    }
    const isWhole = isWordCharacter(token.codePointAt(0) as number);
    const isApart = before === "apart" || (before === "word" && isWhole);
    const mayBeApart = before === "word" || (before === "single" && isWhole);
    steps.push({ token, gap: isApart ? "some" : mayBeApart ? "any" : "none", isWhole });
    before = isWhole ? "word" : "single";
  }
  return { steps, isGap: isSeparator };
}

/** The same words inside a longer one: `leaf id` in `getLeafId`. */
function loosePattern(phrase: readonly string[]): Pattern {
  const tokens = phrase.filter((token) => token !== BREAK);
  const steps = tokens.map((token): Step => ({ token, gap: "any", isWhole: false }));
  return { steps, isGap: (code) => code === UNDERSCORE || isSeparator(code) };
}

const UNDERSCORE = 0x5f;

/**
 * The first place of a pattern. No regular expression: one that knows the letters of all scripts takes
 * longer to be made than a search takes (T9).
 */
function findPattern(text: string, pattern: Pattern): TextSpan | null {
  const first = pattern.steps[0]?.token as string;
  for (let start = text.indexOf(first); start !== -1; start = text.indexOf(first, start + 1)) {
    const end = endOf(text, start, pattern);
    if (end !== null) return { start, end };
  }
  return null;
}

/** Where a pattern ends that begins at `start`, or null where it does not stand there. */
function endOf(text: string, start: number, { steps, isGap }: Pattern): number | null {
  let at = start;
  for (const { token, gap, isWhole } of steps) {
    const from = at;
    while ((gap === "some" && at === from) || !text.startsWith(token, at)) {
      const code = text.codePointAt(at);
      if (gap === "none" || code === undefined || !isGap(code)) return null;
      at += code > 0xffff ? 2 : 1;
    }
    const end = at + token.length;
    if (isWhole && (isWordAt(text, startBefore(text, at)) || isWordAt(text, end))) return null;
    at = end;
  }
  return at;
}

/** Where the character before a place begins, -1 at the start. */
function startBefore(text: string, at: number): number {
  return (text.codePointAt(at - 2) ?? 0) > 0xffff ? at - 2 : at - 1;
}

function isWordAt(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  return code !== undefined && isWordCharacter(code);
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
      const found = findPattern(normal, pattern);
      if (found !== null) return inOriginal(text, normal, found);
    }
    const at = literal === "" ? -1 : normal.indexOf(literal);
    if (at === -1) return null;
    return inOriginal(text, normal, { start: at, end: at + literal.length });
  };
}

/** What NFKC takes together: a character with its marks, a run of Hangul letters. */
const cluster = latePattern(
  String.raw`[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]*|[\p{M}\uff9e\uff9f]+`,
  "gsu",
);

/** A span of the normalised text as a span of the text itself. */
function inOriginal(text: string, normal: string, span: TextSpan): TextSpan {
  const part = text.slice(span.start, span.end);
  const fits =
    text.length === normal.length && normalizeText(part) === normal.slice(span.start, span.end);
  if (fits) return span;
  let normalAt = 0;
  let start: number | null = null;
  for (const one of text.matchAll(cluster())) {
    const next = normalAt + normalizeText(one[0]).length;
    if (start === null && next > span.start) start = one.index;
    if (next >= span.end) return { start: start ?? one.index, end: one.index + one[0].length };
    normalAt = next;
  }
  return { start: start ?? 0, end: text.length };
}
