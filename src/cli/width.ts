/** Display columns of text in a terminal: Chinese takes two columns a character, accents none. */

/** East Asian Wide and Fullwidth outside the emoji, as ranges of code points (UAX 11). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x2fffd],
  [0x30000, 0x3fffd],
];

const PLAIN = /^[\x20-\x7e…]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Its tables take ms to load, so they are loaded by the first text that needs them (T14). */
function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

function isWide(code: number): boolean {
  if (code < 0x1100) return false;
  return WIDE.some(([first, last]) => code >= first && code <= last);
}

function graphemeWidth(grapheme: string): number {
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff\u2028\u2029]$/u.test(character)) continue;
    width += isWide(character.codePointAt(0) as number) ? 2 : 1;
  }
  return width;
}

/** Columns that one line of text takes. Control characters count as 0: pass safe text. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/**
 * The beginning of the text that fits into `columns`, with `…` where something was cut. No character
 * is cut in two.
 */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return "";
  // No character is narrower than a column for long: what lies far behind cannot matter, but a wide
  // margin stays for combining marks.
  const head = text.length > columns * 16 + 64 ? text.slice(0, columns * 16 + 64) : text;
  if (head === text && displayWidth(text) <= columns) return text;
  if (PLAIN.test(head)) return `${head.slice(0, columns - 1)}…`;
  let width = 0;
  let kept = "";
  for (const { segment } of graphemes(head)) {
    const next = width + graphemeWidth(segment);
    if (next > columns - 1) break;
    width = next;
    kept += segment;
  }
  return `${kept}…`;
}

/** The text cut or filled with spaces to exactly `columns`. */
export function fit(text: string, columns: number): string {
  const cut = truncate(text, columns);
  return cut + " ".repeat(Math.max(0, columns - displayWidth(cut)));
}

/** The text moved to the right end of `columns`; longer text stays whole. */
export function fitRight(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - displayWidth(text))) + text;
}
