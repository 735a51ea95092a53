/** A text without its escapes, with the way back to the places of the original. */
export interface DecodedText {
  readonly text: string;
  /** Place in the original of a place in `text`; its length gives the length of the original. */
  readonly original: (place: number) => number;
}

const NAMED: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/g;
const PERCENT = /%[2-7][\da-fA-F]/g;

/** The text with JSON's escapes replaced once; undefined where it has none. */
export function withoutEscapes(text: string): DecodedText | undefined {
  if (!text.includes("\\")) return undefined;
  return replaced(text, ESCAPE, (sequence) =>
    sequence[1] === "u"
      ? String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
      : (NAMED[sequence.slice(1)] as string),
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const COLOR = /\u001b\[[\d;]{0,32}[A-Za-z]/g;

/** The text with a blank for each colour of a terminal, whose last letter would touch the next word; undefined where it has none. */
export function withoutColors(text: string): DecodedText | undefined {
  return text.includes("\u001b") ? replaced(text, COLOR, () => " ") : undefined;
}

/** The text with percent codes of ASCII replaced; undefined where it has none. */
export function withoutPercents(text: string): DecodedText | undefined {
  if (!text.includes("%")) return undefined;
  return replaced(text, PERCENT, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Replaces matches by one character each and remembers where they stood. */
function replaced(
  text: string,
  pattern: RegExp,
  decode: (match: string) => string,
): DecodedText | undefined {
  const parts: string[] = [];
  // Stretches that were kept: where they begin in the new text and in the original.
  const starts: number[] = [0];
  const places: number[] = [0];
  let last = 0;
  let length = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(last, match.index), decode(match[0]));
    length += match.index - last;
    starts.push(length, length + 1);
    places.push(match.index, match.index + match[0].length);
    length += 1;
    last = match.index + match[0].length;
  }
  if (last === 0) return undefined;
  parts.push(text.slice(last));
  return { text: parts.join(""), original: (place) => placeBefore(starts, places, place) };
}

/** By halving: the last stretch that begins at or before a place. */
function placeBefore(starts: readonly number[], places: readonly number[], place: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= place) low = middle;
    else high = middle - 1;
  }
  return (places[low] as number) + place - (starts[low] as number);
}
