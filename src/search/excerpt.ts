import { latePattern } from "../entry/late-pattern.ts";
import type { TermFinder, TextSpan } from "./term-place.ts";

/** Widest excerpt in columns of a terminal: what is not ASCII counts as two. */
export const EXCERPT_COLUMNS = 160;
/** Columns kept before the first match. */
const COLUMNS_BEFORE = 48;

/** A line of text around a match. */
export interface Excerpt {
  readonly text: string;
  /** Parts of `text` that match, in order, in UTF-16 units. */
  readonly marks: readonly TextSpan[];
}

/** Characters that a terminal obeys or hides; joiners inside emoji stay. */
const hidden = latePattern(
  String.raw`(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))[\p{Cf}\p{Cs}\p{Co}\p{Cn}]`,
  "gu",
);
const control = latePattern(String.raw`[\p{Cc}\s]+`, "gu");

/** One line without control characters; blanks at the ends stay as one blank. */
function clean(text: string): string {
  return text.replace(hidden(), "").replace(control(), " ");
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += character < "\x80" ? 1 : 2;
  return columns;
}

/** The end of a text that fits into the columns, cut at a code point (P13). */
function tail(text: string, columns: number): string {
  const characters = Array.from(text.slice(-2 * columns));
  let from = characters.length;
  let left = columns;
  while (from > 0) {
    left -= (characters[from - 1] as string) < "\x80" ? 1 : 2;
    if (left < 0) break;
    from--;
  }
  return characters.slice(from).join("");
}

/** The beginning of a text that fits into the columns, cut at a code point (P13). */
function head(text: string, columns: number): string {
  let left = columns;
  let kept = "";
  for (const character of text) {
    left -= character < "\x80" ? 1 : 2;
    if (left < 0) break;
    kept += character;
  }
  return kept;
}

/** The first place in an entry's pieces where any finder finds something. */
function firstMatch(
  pieces: readonly string[],
  finders: readonly TermFinder[],
): { readonly piece: string; readonly span: TextSpan } | null {
  for (const find of finders) {
    for (const piece of pieces) {
      const span = find(piece);
      if (span !== null) return { piece, span };
    }
  }
  return null;
}

/** A line around the first match; the beginning of the text where nothing is found. */
export function makeExcerpt(pieces: readonly string[], finders: readonly TermFinder[]): Excerpt {
  const match = firstMatch(pieces, finders);
  if (match !== null) return excerptAround(match.piece, match.span, finders);
  const text = clean(joinHead(pieces)).trim();
  return { text: shortened(text, EXCERPT_COLUMNS), marks: [] };
}

function joinHead(pieces: readonly string[]): string {
  let text = "";
  for (const piece of pieces) {
    if (text.length >= 4 * EXCERPT_COLUMNS) break;
    text += `${text === "" ? "" : " "}${piece.slice(0, 4 * EXCERPT_COLUMNS)}`;
  }
  return text;
}

function shortened(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : `${head(text, columns - 2).trimEnd()}…`;
}

/** Runs of hidden characters and blanks take no columns, so more is looked at than is shown. */
const WINDOW = 8 * EXCERPT_COLUMNS;

/** A line around a place of a text. */
export function excerptAround(
  piece: string,
  span: TextSpan,
  finders: readonly TermFinder[],
): Excerpt {
  const found = head(clean(piece.slice(span.start, Math.min(span.end, span.start + WINDOW))), 96);
  const wholeBefore = clean(piece.slice(Math.max(0, span.start - WINDOW), span.start)).trimStart();
  const before = tail(wholeBefore, COLUMNS_BEFORE - 2);
  const isCut = before !== wholeBefore || span.start > WINDOW;
  const lead = isCut ? `…${before}` : before;
  const room = EXCERPT_COLUMNS - columnsOf(lead) - columnsOf(found);
  const wholeAfter = clean(piece.slice(span.end, span.end + WINDOW)).trimEnd();
  const after =
    span.end + WINDOW < piece.length
      ? `${head(wholeAfter, room - 2)}…`
      : shortened(wholeAfter, room);
  const text = lead + found + after;
  const first = { start: lead.length, end: lead.length + found.length };
  return { text, marks: [first, ...furtherMarks(text, first.end, finders)] };
}

/** Matches behind the first one, in order, without overlaps. */
function furtherMarks(
  text: string,
  from: number,
  finders: readonly TermFinder[],
): readonly TextSpan[] {
  const marks: TextSpan[] = [];
  for (let at = from; at < text.length; ) {
    const rest = text.slice(at);
    const spans = finders.map((find) => find(rest)).filter((span) => span !== null);
    const next = spans.sort((a, b) => a.start - b.start).find((span) => span.end > span.start);
    if (next === undefined) break;
    marks.push({ start: at + next.start, end: at + next.end });
    at += next.end;
  }
  return marks;
}
