import { latePattern } from "../entry/late-pattern.ts";

/** A part of a query: a word or phrase, a filter, a regular expression. */
export type QueryWord =
  | {
      readonly kind: "term";
      readonly value: string;
      readonly quoted: boolean;
      readonly negated: boolean;
    }
  | {
      readonly kind: "filter";
      /** In lower case. */
      readonly name: string;
      /** Separated by commas outside quotes; never empty. */
      readonly values: readonly string[];
      /** As it was written, without a minus before it. */
      readonly text: string;
      readonly negated: boolean;
    }
  | { readonly kind: "regex"; readonly pattern: string; readonly flags: string };

/** What people type for quotes, by their closing one. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "”": "”",
  "„": "“",
  "「": "」",
  "『": "』",
};

const BLANK = /\s/u;
const negatable = latePattern(String.raw`^[\p{L}\p{N}_"“”„「『]`, "u");
const FILTER = /^([A-Za-z]+)[:：](.*)$/su;

/** Splits a query into its parts. Never throws; linear in the length of the text. */
export function splitQuery(text: string): readonly QueryWord[] {
  const words: QueryWord[] = [];
  const reader = new QueryReader(text);
  for (let word = reader.next(); word !== null; word = reader.next()) {
    const isEmpty = word.kind === "term" && word.value.trim() === "";
    if (!isEmpty) words.push(word);
  }
  return words;
}

class QueryReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): QueryWord | null {
    while (this.#at < this.#text.length && BLANK.test(this.#peek())) this.#at++;
    if (this.#at >= this.#text.length) return null;
    const regex = this.#peek() === "/" ? this.#regex() : null;
    if (regex !== null) return regex;
    // `->` and `--flag` are text; only what can be left out is.
    const negated = this.#peek() === "-" && negatable().test(this.#text[this.#at + 1] ?? "");
    if (negated) this.#at++;
    const closing = QUOTES[this.#peek()];
    if (closing !== undefined) {
      return { kind: "term", value: this.#quoted(closing), quoted: true, negated };
    }
    return this.#word(negated);
  }

  #peek(): string {
    return this.#text[this.#at] as string;
  }

  /** `/pattern/flags`, where a second slash ends a word; else the slash is part of a word (a path). */
  #regex(): QueryWord | null {
    const rest = this.#text.slice(this.#at);
    const found = /^\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([A-Za-z]*)(?=\s|$)/su.exec(rest);
    if (found === null) return null;
    const [all, pattern = "", flags = ""] = found;
    this.#at += all.length;
    return { kind: "regex", pattern, flags };
  }

  /** From the opening quote to its end, or to the end of the text. */
  #quoted(closing: string): string {
    const from = this.#at + 1;
    const end = this.#text.indexOf(closing, from);
    this.#at = end === -1 ? this.#text.length : end + 1;
    return this.#text.slice(from, end === -1 ? undefined : end);
  }

  #word(negated: boolean): QueryWord {
    const values = [""];
    let raw = "";
    let colonAt = -1;
    while (this.#at < this.#text.length && !BLANK.test(this.#peek())) {
      const character = this.#peek();
      const closing = colonAt === -1 ? undefined : QUOTES[character];
      if (closing !== undefined) {
        const from = this.#at;
        values[values.length - 1] += this.#quoted(closing);
        raw += this.#text.slice(from, this.#at);
        continue;
      }
      this.#at++;
      raw += character;
      if (colonAt === -1 && (character === ":" || character === "：")) colonAt = raw.length;
      else if (colonAt !== -1 && character === ",") values.push("");
      else if (colonAt !== -1) values[values.length - 1] += character;
    }
    const name = FILTER.exec(raw)?.[1];
    const given = values.filter((value) => value !== "");
    if (name === undefined || given.length === 0) {
      return { kind: "term", value: raw, quoted: false, negated };
    }
    return { kind: "filter", name: name.toLowerCase(), values: given, text: raw, negated };
  }
}
