/**
 * How text becomes searchable words (dependencies.md §2): one function for what is stored in an index,
 * what is asked for, and what is read without an index, so that all three agree by construction. The
 * tokens of a text are written as one string, `" foo bar "`: a phrase is found where its own string
 * stands in it.
 */

import { latePattern } from "../entry/late-pattern.ts";

/**
 * Stands between two single characters that are no neighbours in the text, so that no phrase joins
 * across a punctuation mark or a blank. No text gives this token: the character is punctuation.
 */
export const BREAK = "¶";

/** Longer words (hashes, encoded data) count by their beginning, in UTF-16 units. */
export const MAX_TOKEN_LENGTH = 128;

/** The tokens of a text: `" a b c "`, or `" "` where it has none. */
export interface TextTokens {
  readonly words: string;
  /** The parts of `camelCase` and `snake_case` words, one identifier after the other, breaks between. */
  readonly parts: string;
}

const SEPARATOR = 1;
const WORD = 2;
const SINGLE = 3;
type CharacterClass = typeof SEPARATOR | typeof WORD | typeof SINGLE;

const NON_ASCII = /[^\0-\x7f]/;

/** Zero, so that the table takes no memory before it is used. */
const UNKNOWN = 0;
const classes: Uint8Array = new Uint8Array(0x10000);
const highClasses: Map<number, CharacterClass> = new Map();

/** Han and Hangul: blocks in which every place holds a letter that is a token, in every version of Unicode. */
function isCommonSingle(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fa5) || (code >= 0xac00 && code <= 0xd7a3);
}

/** Written without blanks between words: each character is a token. Emoji too. */
const singles = latePattern(
  String.raw`^(?:[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Yi}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]&&[\p{L}\p{N}\p{M}]]|[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}])$`,
  "v",
);
const wordCharacter = latePattern(String.raw`^[\p{L}\p{N}\p{M}_]$`, "u");
/** Joiners, soft hyphens, variation selectors. They would hide words from a search. */
const unseen = latePattern(String.raw`\p{Default_Ignorable_Code_Point}+`, "gu");

function classify(code: number): CharacterClass {
  if (isCommonSingle(code)) return SINGLE;
  const character = String.fromCodePoint(code);
  if (singles().test(character)) return SINGLE;
  return wordCharacter().test(character) ? WORD : SEPARATOR;
}

/** Class of a code point; remembered, since a text has few different ones. */
function classOf(code: number): number {
  if (code < 0x10000) {
    const known = classes[code] as number;
    if (known !== UNKNOWN) return known;
    const found = classify(code);
    classes[code] = found;
    return found;
  }
  const known = highClasses.get(code);
  if (known !== undefined) return known;
  const found = classify(code);
  highClasses.set(code, found);
  return found;
}

/** True for a character that is part of a word together with its neighbours. */
export function isWordCharacter(code: number): boolean {
  return code < 0x80 ? LOWER[code] !== 0 : classOf(code) === WORD;
}

/** True for a character that belongs to no token. */
export function isSeparator(code: number): boolean {
  return code < 0x80 ? LOWER[code] === 0 : classOf(code) === SEPARATOR;
}

/** Compatibility forms made one (NFKC), what is not seen taken out; upper case stays. */
export function composeText(text: string): string {
  if (!NON_ASCII.test(text)) return text;
  return text.normalize("NFKC").replace(unseen(), "");
}

/** The form in which texts are compared: {@link composeText} in lower case. */
export function normalizeText(text: string): string {
  return composeText(text).toLowerCase();
}

/** The tokens of a text. Linear in its length. */
export function tokenizeText(text: string): TextTokens {
  const composed = composeText(text);
  const identifiers = new Set<string>();
  const words = NON_ASCII.test(composed)
    ? mixedWords(composed, identifiers)
    : asciiWords(composed, identifiers);
  let parts = "";
  for (const identifier of identifiers) {
    const pieces = splitIdentifier(identifier);
    if (pieces.length > 0) parts += `${parts === "" ? " " : ` ${BREAK} `}${pieces.join(" ")}`;
  }
  return { words, parts: `${parts} ` };
}

/** The tokens of a query term, without breaks at its ends; empty where the term has none. */
export function termTokens(term: string): readonly string[] {
  const tokens = tokenizeText(term).words.split(" ").filter(Boolean);
  while (tokens.at(-1) === BREAK) tokens.pop();
  return tokens[0] === BREAK ? tokens.slice(1) : tokens;
}

/** The parts of a term that is one `camelCase` or `snake_case` word; empty where it is none. */
export function termParts(term: string): readonly string[] {
  const composed = composeText(term).trim();
  return /^[A-Za-z0-9_]+$/.test(composed) ? splitIdentifier(composed) : [];
}

/** True where the tokens stand one after the other in the token string. */
export function hasPhrase(tokens: string, phrase: readonly string[]): boolean {
  return phrase.length > 0 && tokens.includes(` ${phrase.join(" ")} `);
}

/** How often the phrase stands in the token string. */
export function countPhrase(tokens: string, phrase: readonly string[]): number {
  if (phrase.length === 0) return 0;
  const wanted = ` ${phrase.join(" ")} `;
  let count = 0;
  let at = tokens.indexOf(wanted);
  // The blank behind one occurrence may be the one before the next, and phrases may overlap.
  for (; at !== -1; at = tokens.indexOf(wanted, at + 1)) count++;
  return count;
}

/** Number of tokens in a token string. */
export function countTokens(tokens: string): number {
  let count = -1;
  for (let at = tokens.indexOf(" "); at !== -1; at = tokens.indexOf(" ", at + 1)) count++;
  return Math.max(0, count);
}

/** Lower-case code of each ASCII character of words, 0 for what stands between words. */
const LOWER: Uint8Array = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyz0123456789_") {
  LOWER[character.charCodeAt(0)] = character.charCodeAt(0);
  LOWER[character.toUpperCase().charCodeAt(0)] = character.charCodeAt(0);
}
const BLANK = 0x20;
const UNDERSCORE = 0x5f;
const BREAK_UNIT: number = BREAK.charCodeAt(0);
const latin1 = new TextDecoder("latin1");
const utf16 = new TextDecoder("utf-16le");

const isUpper = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a;

/** The words of an ASCII text; words with an upper-case letter or underscore inside are collected. */
function asciiWords(text: string, identifiers: Set<string>): string {
  const units = new Uint8Array(text.length + 2);
  let length = 0;
  let start = 0;
  let hasBorder = false;
  units[length++] = BLANK;
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : 0;
    const lower = LOWER[unit] as number;
    if (lower !== 0) {
      hasBorder ||= at > start && (unit === UNDERSCORE || isUpper(unit));
      if (at - start < MAX_TOKEN_LENGTH) units[length++] = lower;
      continue;
    }
    if (at > start) units[length++] = BLANK;
    if (hasBorder && at - start <= MAX_IDENTIFIER) identifiers.add(text.slice(start, at));
    hasBorder = false;
    start = at + 1;
  }
  return latin1.decode(units.subarray(0, length));
}

/** Writes tokens into a buffer; a text of n units has tokens of at most 2 n + 1 units. */
class TokenWriter {
  readonly #units: Uint16Array<ArrayBuffer>;
  #length = 0;
  /** Units of the word that is being written; 0 = none. */
  #word = 0;
  /** A single character was the last token. */
  #single = false;
  /** Something stood between the last single character and this place. */
  #apart = false;

  constructor(length: number) {
    this.#units = new Uint16Array(2 * length + 1);
  }

  separator(): void {
    this.#word = 0;
    this.#apart = true;
  }

  wordUnit(unit: number): void {
    if (this.#word === 0) this.#put(BLANK);
    this.#word++;
    this.#single = false;
    if (this.#word <= MAX_TOKEN_LENGTH) this.#put(unit);
  }

  /** `low` is the second unit of a pair, 0 for a character of one unit. */
  single(unit: number, low: number): void {
    if (this.#single && this.#apart) {
      this.#put(BLANK);
      this.#put(BREAK_UNIT);
    }
    this.#put(BLANK);
    this.#put(unit);
    if (low !== 0) this.#put(low);
    this.#word = 0;
    this.#single = true;
    this.#apart = false;
  }

  text(): string {
    this.#put(BLANK);
    return utf16.decode(this.#units.subarray(0, this.#length));
  }

  #put(unit: number): void {
    this.#units[this.#length++] = unit;
  }
}

function mixedWords(composed: string, identifiers: Set<string>): string {
  const lower = composed.toLowerCase();
  // A few letters change their length in lower case; then the places do not fit and names stay whole.
  collectIdentifiers(lower.length === composed.length ? composed : lower, identifiers);
  const writer = new TokenWriter(lower.length);
  for (let at = 0; at < lower.length; at++) {
    const unit = lower.charCodeAt(at);
    if (unit < 0x80) {
      if (LOWER[unit] === 0) writer.separator();
      else writer.wordUnit(unit);
      continue;
    }
    const isPair = unit >= 0xd800 && unit < 0xdc00 && at + 1 < lower.length;
    const code = isPair ? (lower.codePointAt(at) as number) : unit;
    const low = code > 0xffff ? lower.charCodeAt(++at) : 0;
    const kind = classOf(code);
    if (kind === SEPARATOR) writer.separator();
    else if (kind === SINGLE) writer.single(unit, low);
    else {
      writer.wordUnit(unit);
      if (low !== 0) writer.wordUnit(low);
    }
  }
  return writer.text();
}

/** The words of ASCII letters with a border inside. */
function collectIdentifiers(text: string, identifiers: Set<string>): void {
  let start = 0;
  let hasBorder = false;
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : 0;
    if (unit < 0x80 && LOWER[unit] !== 0) {
      hasBorder ||= at > start && (unit === UNDERSCORE || isUpper(unit));
      continue;
    }
    if (hasBorder && at - start <= MAX_IDENTIFIER) identifiers.add(text.slice(start, at));
    hasBorder = false;
    start = at + 1;
  }
}

/** Longer ones are encoded data, not names. */
const MAX_IDENTIFIER = 64;
const PIECE = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+/g;
/** Upper-case words with digits are numbers and ids (`7DED75B8`), not names. */
const NAME = /[a-z][A-Z0-9]*[A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_+[A-Za-z0-9]/;

function splitIdentifier(identifier: string): readonly string[] {
  if (identifier.length > MAX_IDENTIFIER || !NAME.test(identifier)) return [];
  const parts = identifier.match(PIECE) as readonly string[];
  return parts.length < 2 ? [] : parts.map((part) => part.toLowerCase());
}
