import { BranchlineError } from "../errors.ts";
import type { EntryField } from "../index/entry-text.ts";
import type { FieldFilter, PlaceFilter, TextTerm } from "../index/text-query.ts";
import { termParts, termTokens } from "../index/tokens.ts";
import { dateRange } from "./date-range.ts";
import { type QueryWord, splitQuery } from "./query-words.ts";

/** Longest query, in UTF-16 units. */
export const MAX_QUERY_LENGTH = 4096;
/** Most words, phrases and filters in one query. */
export const MAX_QUERY_WORDS = 64;

/** A word or phrase as the person wrote it, and its tokens. */
export interface QueryTerm extends TextTerm {
  readonly text: string;
}

/** A regular expression as the person wrote it. */
export interface QueryRegex {
  readonly pattern: string;
  readonly flags: string;
}

/** What is looked for: everything must hold of one entry. */
export interface Query {
  readonly terms: readonly QueryTerm[];
  readonly without: readonly QueryTerm[];
  readonly regexes: readonly QueryRegex[];
  readonly fields: readonly FieldFilter[];
  readonly places: readonly PlaceFilter[];
}

type FilterMaker = (filter: FilterText, query: QueryParts) => void;

interface FilterText {
  readonly values: readonly string[];
  readonly negated: boolean;
  readonly now: number;
}

interface QueryParts {
  readonly terms: QueryTerm[];
  readonly without: QueryTerm[];
  readonly regexes: QueryRegex[];
  readonly fields: FieldFilter[];
  readonly places: PlaceFilter[];
}

/** What people write for a role; the rest is taken as it is. */
const ROLES: Readonly<Record<string, string>> = {
  tool: "toolResult",
  result: "toolResult",
  bash: "bashExecution",
};

const field =
  (name: EntryField, translate: (value: string) => string = (value) => value): FilterMaker =>
  ({ values, negated }, query) =>
    void query.fields.push({ field: name, values: values.map(translate), negated });

const FILTERS: ReadonlyMap<string, FilterMaker> = new Map<string, FilterMaker>([
  ["role", field("role", (value) => ROLES[value.toLowerCase()] ?? value)],
  ["tool", field("tool")],
  ["type", field("type")],
  ["model", field("model")],
  ["label", ({ values, negated }, q) => void q.places.push({ kind: "label", values, negated })],
  ["session", ({ values, negated }, q) => void q.places.push({ kind: "session", values, negated })],
  ["cwd", ({ values, negated }, q) => void q.places.push({ kind: "cwd", values, negated })],
  ["branch", addBranch],
  ["date", addDate],
]);

/** Names of the filters, for help and completion. */
export const FILTER_NAMES: readonly string[] = [...FILTERS.keys()];

function addBranch({ values, negated }: FilterText, query: QueryParts): void {
  const odd = values.find((value) => value !== "active" && value !== "left");
  if (odd !== undefined) throw queryError(`branch:${odd} is not known.`, BRANCH_HINT);
  query.places.push({ kind: "branch", values, negated });
}

const BRANCH_HINT = "Say branch:active for the path to the leaf, branch:left for what was left.";

function addDate({ values, negated, now }: FilterText, query: QueryParts): void {
  const text = values.join(",");
  const range = dateRange(text, now);
  if (range === null) {
    throw queryError(
      `date:${text} is no date.`,
      "Use date:2026-11, date:2026-10-01..2026-10-15, date:2026-11-29.. or date:7d.",
    );
  }
  query.places.push({ kind: "date", ...range, negated });
}

/**
 * Reads a query (docs/search.md). A word with a colon whose name is no filter is a word like any other,
 * and a quote without its end goes to the end, so that nearly everything means something (S8).
 *
 * `now` is the time in ms since the epoch, for dates such as `7d`. Throws USAGE: nothing to look for,
 * too long, a filter value that cannot be, a bad regular expression.
 */
export function parseQuery(text: string, now: number): Query {
  if (text.length > MAX_QUERY_LENGTH) throw queryError("The query is too long.");
  const words = wordsOf(text);
  if (words.length > MAX_QUERY_WORDS) throw queryError("The query has too many words.");
  if (words.length === 0) throw queryError("There is nothing to look for.");
  const query: QueryParts = { terms: [], without: [], regexes: [], fields: [], places: [] };
  for (const word of words) addWord(query, word, now);
  return query;
}

/** Where nothing stands between the quotes, the quotes themselves are what is looked for (S8). */
function wordsOf(text: string): readonly QueryWord[] {
  const words = splitQuery(text);
  const value = text.trim();
  if (words.length > 0 || value === "") return words;
  return [{ kind: "term", value, quoted: true, negated: false }];
}

/** A query that is one regular expression. Throws USAGE where it is none. */
export function regexQuery(pattern: string, flags = ""): Query {
  if (pattern.length > MAX_QUERY_LENGTH) throw queryError("The query is too long.");
  if (pattern === "") throw queryError("There is nothing to look for.");
  const regexes = [checkRegex({ pattern, flags })];
  return { terms: [], without: [], regexes, fields: [], places: [] };
}

function addWord(query: QueryParts, word: QueryWord, now: number): void {
  if (word.kind === "regex") {
    query.regexes.push(checkRegex(word));
    return;
  }
  const make = word.kind === "filter" ? FILTERS.get(word.name) : undefined;
  if (word.kind === "filter" && make !== undefined) {
    make({ values: word.values, negated: word.negated, now }, query);
    return;
  }
  const text = word.kind === "filter" ? word.text : word.value;
  const isPhrase = word.kind === "term" && word.quoted;
  const term = { text, phrase: termTokens(text), parts: isPhrase ? [] : termParts(text) };
  (word.negated ? query.without : query.terms).push(term);
}

function checkRegex({ pattern, flags }: QueryRegex): QueryRegex {
  if (!/^[imsuv]*$/.test(flags)) {
    throw queryError(`The flags ${flags} are not known.`, "Use i, m, s, u or v.");
  }
  try {
    // Only made, never run here: matching belongs into a worker (reliability.md S7).
    void new RegExp(pattern, flags);
  } catch (error) {
    throw queryError(`The regular expression is not valid: ${(error as Error).message}`);
  }
  return { pattern, flags };
}

function queryError(message: string, hint?: string): BranchlineError<"USAGE"> {
  return new BranchlineError("USAGE", {}, { message, hint: hint ?? "See docs/search.md." });
}
