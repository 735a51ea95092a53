/** Longest sentence that is taken; longer ones are data. */
const MAX_SENTENCE = 400;
/** Text of one message that is looked at, in UTF-16 units; what lies behind it is left out. */
export const MAX_LOOKED_AT = 200_000;

const END = /(?<=[.!?])\s+|(?<=[。！？；])|\n+/u;
const BLANKS = /\s+/gu;
/** What begins a line of a list or quote. */
const BULLET = /^(?:[-*•>#]+|\d+[.)、])\s*/u;

/** The sentences of a text, each in one line without the sign of a list, too long ones left out. */
export function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = [];
  for (const part of text.slice(0, MAX_LOOKED_AT).split(END)) {
    if (part.length > 2 * MAX_SENTENCE) continue;
    const sentence = oneSentence(part);
    if (sentence.length > 1 && sentence.length <= MAX_SENTENCE) sentences.push(sentence);
  }
  return sentences;
}

/** One line without the sign of a list at its beginning. */
function oneSentence(text: string): string {
  return text.replace(BLANKS, " ").trim().replace(BULLET, "");
}

/** The lines of a text, blanks made one, cut to `max` units. */
export function linesOf(text: string, max: number): readonly string[] {
  const lines: string[] = [];
  for (const part of text.slice(0, MAX_LOOKED_AT).split("\n")) {
    const line = headOf(
      part
        .slice(0, 4 * max)
        .replace(BLANKS, " ")
        .trim(),
      max,
    );
    if (line !== "") lines.push(line);
  }
  return lines;
}

/** The beginning of a text, at most `max` UTF-16 units with the mark of the cut; no pair is cut (P13). */
export function headOf(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${whole(text.slice(0, max - 1))}…`;
}

/** Without half a surrogate pair at the end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

/**
 * A text of at most about `max` UTF-16 units: what is left out in the middle is told. Beginning and end
 * say most: what was asked for, and how it ended.
 */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = whole(text.slice(0, Math.ceil(max * 0.7)));
  const from = text.length - Math.floor(max * 0.3);
  const last = text.charCodeAt(from);
  const tail = text.slice(last >= 0xdc00 && last < 0xe000 ? from + 1 : from);
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} characters left out …]\n${tail}`;
}
