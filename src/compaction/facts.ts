import { DECISION_CUE, ERROR_CUE, FAILURE_CUE } from "./cues.ts";
import { linesOf, MAX_LOOKED_AT, sentencesOf } from "./sentences.ts";

/** Kinds of facts that a loss report looks for, the most important first. */
export const FACT_KINDS = ["decision", "error", "path", "identifier", "number", "url"] as const;

/** One of {@link FACT_KINDS}. */
export type FactKind = (typeof FACT_KINDS)[number];

/** Something exact that a text says. */
export interface Fact {
  readonly kind: FactKind;
  /** As it was written; long lines are cut. */
  readonly text: string;
  /** The form in which it is compared: lower case, no blanks and commas in numbers. */
  readonly key: string;
}

/** How a text is read. */
export interface FactOptions {
  /** True for what people and models say: decisions are looked for, and numbers without a unit count. */
  readonly isSpeech: boolean;
}

/** What stands between the pieces of a text. */
const BETWEEN = /[\s"'`<>(){}[\]|,;，。；：！？、“”‘’「」『』《》【】（）…]+/u;
/** Longer pieces are data. URLs may be longer. */
const MAX_PIECE = 300;
const MAX_URL = 2000;
/** Characters of a line that are kept. */
const MAX_LINE = 240;

/** Most pieces are plain words, which are none of all this. */
const PLAIN = /^[A-Za-z]?[a-z]*[.:!?]*$/;
const URL = /https?:\/\/[\x21-\x7e]+/i;
const ASCII_RUN = /[\x21-\x7e]+/g;
const TRAILING = /[.:!?*…-]+$/u;
const LEADING = /^[*:!?]+/;

const DRIVE = /^[A-Za-z]:[\\/]/;
const PATH =
  /^(?:[A-Za-z]:[\\/]|~[\\/]|\.{1,2}[\\/]|[\\/])?[\p{L}\p{N}_@.+%-]+(?:[\\/][\p{L}\p{N}_@.+%-]+)*[\\/]?$/u;
const EXTENSION = /[^\\/.]\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const FILE =
  /^[\w@+.-]*[\w+-]\.(?:[cm]?[jt]sx?|jsonl?|md|txt|py|rs|go|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|sh|ps1|sql|ya?ml|toml|ini|cfg|conf|env|lock|xml|html?|s?css|csv|tsv|log|pdf|png|jpe?g|gif|svg|zip|tar|gz|db|sqlite|proto|vue|svelte|ipynb|dockerfile)$/i;
const FOLDERS =
  /^(?:src|lib|test|tests|docs?|bin|app|apps|packages|scripts|examples|config|dist|build|web|server|client|tmp|etc|usr|var|home|opt)[\\/]/;

const NAME = /^[A-Za-z_$][\w$]*$/;
const NAME_BORDER = /[a-z0-9][A-Z]|[A-Za-z0-9]_+[A-Za-z0-9]/;
const DOTTED = /^[A-Za-z_$][\w$]+(?:\.[A-Za-z_$][\w$]+)+$/;
const FLAG = /^--?[a-z][a-z0-9]*(?:-[a-z0-9]+)+$|^--[a-z][a-z0-9]+$/;
const HASH = /^(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const VERSION = /^v?\d+\.\d+\.\d+(?:[-+.][\w.-]+)?$/;
const ISSUE = /^#\d+$/;

const UNITS =
  "%|‰|ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|" +
  "[kmgt]i?b|bytes?|bits?|[kmg]?hz|px|em|rem|pt|mm|cm|m|km|kg|g|tokens?|lines?|rows?|files?|entries|" +
  "users?|items?|times|x|usd|eur|cny|rmb|" +
  "毫秒|微秒|秒|分钟|小时|天|周|个月|月|年|元|块|万|亿|次|个|条|行|字节|字|人|倍|度|页|章";
const MEASURED = new RegExp(
  `(?<![\\w.,-])[$€£¥]?\\d+(?:,\\d{3})*(?:\\.\\d+)?\\s?(?:${UNITS})(?![A-Za-z0-9_])`,
  "giu",
);
const MONEY = /(?<![\w.,])[$€£¥]\s?\d+(?:,\d{3})*(?:\.\d+)?/gu;
/** A number that is named: a port, a line. */
const NAMED =
  /(?:\b(?:port|line|pid|issue|pr|row|id|limit|timeout|seed|size|version|build|level)\b|端口|行号|编号|版本|上限|超时)\s{0,8}(?:is|=|:|：|为|是|#)?\s{0,8}\d+(?:,\d{3})*(?:\.\d+)*/giu;
const BARE = /(?<![\w.,/#-])\d{4,12}(?![\w/-]|\.\d)/g;

const BLANKS = /\s+/gu;

/** Lower case, blanks made one: how lines are compared. */
export function lineKey(text: string): string {
  return text.replace(BLANKS, " ").trim().toLowerCase();
}

/** The form in which numbers are compared: `5,000 ms` and `5000ms` are the same. */
function numberKey(text: string): string {
  return text
    .replace(/[\s,]+/gu, "")
    .replace(/\.$/, "")
    .toLowerCase();
}

function isPath(text: string): boolean {
  if (!PATH.test(text) || !/\p{L}/u.test(text)) return false;
  if (!/[\\/]/.test(text)) return FILE.test(text);
  if (DRIVE.test(text) || /^[~.]{0,2}[\\/]/.test(text)) return text.length > 2;
  // "and/or" is no path; names with an extension, a known folder or three steps are.
  return EXTENSION.test(text) || FOLDERS.test(text) || text.split(/[\\/]/).length > 3;
}

function isIdentifier(text: string): boolean {
  if (NAME.test(text)) return text.length > 3 && NAME_BORDER.test(text);
  return FLAG.test(text) || DOTTED.test(text) || UUID.test(text);
}

function classify(piece: string): Fact | null {
  const text = piece.replace(LEADING, "").replace(TRAILING, "");
  if (text.length < 2) return null;
  const key = text.toLowerCase();
  if (VERSION.test(text) || ISSUE.test(text)) return { kind: "number", text, key };
  if (HASH.test(text)) return { kind: "identifier", text, key };
  if (isPath(text)) return { kind: "path", text, key: key.replace(/^\.[\\/]/, "") };
  return isIdentifier(text) ? { kind: "identifier", text, key } : null;
}

/** `name=value`, `src/a.ts:42` and `host:port` are looked at in parts where they are nothing as a whole. */
function* partsOf(run: string): IterableIterator<Fact> {
  const whole = classify(run);
  if (whole !== null) {
    yield whole;
    return;
  }
  if (DRIVE.test(run)) return;
  for (const part of run.split(/[=:&?]+/)) {
    const fact = part === run ? null : classify(part);
    if (fact !== null) yield fact;
  }
}

/** A path may hold letters of any script; what stands before and behind it without a blank does not count. */
function widePath(piece: string): Fact | null {
  const path = piece.replace(/^[^\x21-\x7e]+/u, "").replace(/[^\x21-\x7e]+$/u, "");
  const isWide = /[^\x21-\x7e]/u.test(path) && /[\\/]/.test(path) && EXTENSION.test(path);
  return isWide ? classify(path) : null;
}

function* pieceFacts(piece: string): IterableIterator<Fact> {
  if (PLAIN.test(piece)) return;
  const url = URL.exec(piece.slice(0, MAX_URL));
  if (url !== null) {
    const text = url[0].replace(TRAILING, "");
    yield { kind: "url", text, key: text.toLowerCase().replace(/\/$/, "") };
    return;
  }
  if (piece.length > MAX_PIECE) return;
  const wide = widePath(piece);
  if (wide !== null) {
    yield wide;
    return;
  }
  for (const [run] of piece.matchAll(ASCII_RUN)) yield* partsOf(run);
}

/** The digits of a number, as they are counted once. */
function digitsOf(text: string): string {
  return (/\d[\d,.]*/.exec(text)?.[0] ?? "").replace(/[,.]+$/, "").replaceAll(",", "");
}

/** Each number once, with its unit or name where it has one. */
function* numberFacts(text: string, { isSpeech }: FactOptions): IterableIterator<Fact> {
  const patterns = isSpeech ? [MEASURED, MONEY, NAMED, BARE] : [MEASURED, MONEY];
  const told = new Set<string>();
  for (const pattern of patterns) {
    const digits: string[] = [];
    for (const [found] of text.matchAll(pattern)) {
      const shown = found.replace(BLANKS, " ").replace(/[.,]$/, "").trim();
      digits.push(digitsOf(shown));
      if (told.has(digitsOf(shown))) continue;
      yield { kind: "number", text: shown, key: numberKey(shown) };
    }
    for (const one of digits) told.add(one);
  }
}

function lineFact(kind: FactKind, line: string): Fact {
  return { kind, text: line, key: lineKey(line) };
}

/**
 * The exact things that a text says: decisions, error lines, paths, identifiers, hashes, numbers with
 * units, URLs. English and Chinese. Found by form, without a model; linear, and only the first 200,000
 * characters are looked at.
 */
export function* factsIn(text: string, options: FactOptions): IterableIterator<Fact> {
  const looked = text.slice(0, MAX_LOOKED_AT);
  for (const piece of looked.split(BETWEEN)) if (piece.length > 1) yield* pieceFacts(piece);
  yield* numberFacts(looked, options);
  for (const line of linesOf(looked, MAX_LINE)) {
    const tells = options.isSpeech
      ? FAILURE_CUE.test(line) && !DECISION_CUE.test(line)
      : ERROR_CUE.test(line);
    if (tells) yield lineFact("error", line);
  }
  if (!options.isSpeech) return;
  for (const sentence of sentencesOf(looked)) {
    if (DECISION_CUE.test(sentence)) yield lineFact("decision", sentence);
  }
}
