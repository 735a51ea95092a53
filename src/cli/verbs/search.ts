import { RegexWorker } from "../../io/regex-worker.ts";
import { FILTER_NAMES, parseQuery, type Query, regexQuery } from "../../search/query.ts";
import { type SearchHit, type SearchNote, searchSessions } from "../../search/search.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { openFullText } from "../full-text.ts";
import { withInterrupt } from "../interrupt.ts";
import { searchedSessions } from "../searched-sessions.ts";
import { styleOfKind } from "../tree-text.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** Hits that are shown without --limit. */
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 10_000;

function limitOf(call: Call): number {
  const text = call.text("limit");
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1) throw usage(`${text} is no number of hits.`);
  return Math.min(limit, MAX_LIMIT);
}

function queryOf(call: Call): Query {
  const text = call.words.join(" ");
  return call.has("regex") ? regexQuery(text) : parseQuery(text, Date.now());
}

const NOTES: { readonly [C in SearchNote["code"]]: (note: SearchNote & { code: C }) => string } = {
  LETTERS: () => "note: no entry has these words; shown is what holds these letters",
  CUT: () => "note: not all sessions were read, it would take too long; the newest were",
  GAVE_UP: ({ entries }) =>
    `note: the expression took too long at ${entries === 1 ? "1 entry" : `${entries} entries`}`,
};

function noteText(note: SearchNote): string {
  switch (note.code) {
    case "LETTERS":
      return NOTES.LETTERS(note);
    case "CUT":
      return NOTES.CUT(note);
    case "GAVE_UP":
      return NOTES.GAVE_UP(note);
  }
}

/** The excerpt with its matches marked. */
function marked({ excerpt, marks }: SearchHit): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    pieces.push(excerpt.slice(at, start), styled("match", excerpt.slice(start, end)));
    at = end;
  }
  return [...pieces, excerpt.slice(at)];
}

function* hitLines(hits: readonly SearchHit[]): Iterable<readonly Piece[]> {
  let session = "";
  for (const hit of hits) {
    const title = safeLine(hit.title ?? "(without a title)");
    const heading = `${hit.session} ${hit.path}`;
    if (heading !== session) yield [styled("strong", title), "  ", styled("faint", hit.session)];
    session = heading;
    const kind = hit.role ?? hit.type;
    const time = hit.timestamp.slice(0, 16).replace("T", " ");
    const left = hit.onActivePath ? [] : [styled("faint", " (left branch)")];
    yield [
      "  ",
      styled("id", hit.entry),
      " ",
      styled(styleOfKind(kind), kind),
      ...left,
      ` ${time}`,
    ];
    yield ["    ", ...marked(hit)];
  }
}

function* sentences(hits: readonly SearchHit[]): Iterable<readonly Piece[]> {
  for (const hit of hits) {
    const kind = hit.role ?? hit.type;
    yield [
      `Entry ${hit.entry}, ${kind}, of session ${hit.session}, ${hit.timestamp}: ${hit.excerpt}`,
    ];
  }
}

/** JSON of a hit: docs/cli-json.md. */
function shape({ session, path, entry, type, role, timestamp, ...rest }: SearchHit): object {
  const { excerpt, marks, onActivePath, score, title } = rest;
  const where = { session, path, entry, type, role, timestamp };
  return { ...where, excerpt, onActivePath, score, title, marks };
}

async function search(call: Call, signal: AbortSignal): Promise<readonly SearchHit[]> {
  const query = queryOf(call);
  const limit = limitOf(call);
  const text = await openFullText(call, signal);
  const { hits, notes } = await searchSessions(query, {
    index: text?.searcher ?? null,
    roots: text?.roots,
    sessions: () => searchedSessions(call, text, signal),
    makeRegexRunner: (regex) => new RegexWorker(regex),
    limit,
    activeFirst: call.has("active"),
    signal,
    onSkip: (path, error) =>
      call.out.talk(styled("faint", `note: ${path} was skipped: ${(error as Error).message}`)),
  });
  for (const note of notes) call.out.talk(styled("faint", noteText(note)));
  return hits;
}

/** Full text over all sessions. */
export const searchVerb: Verb = {
  name: "search",
  summary: 'find entries in all sessions: words, "phrases", role: tool: date: … (docs/search.md)',
  example: "branchline search '\"lock file\" role:assistant date:7d'",
  arguments: [
    {
      name: "query",
      about: `words, "phrases", /regex/, ${FILTER_NAMES.map((name) => `${name}:`).join(" ")}`,
      kind: "text",
      required: true,
      rest: true,
    },
  ],
  options: [
    { name: "limit", value: "n", about: `largest number of hits, default ${DEFAULT_LIMIT}` },
    { name: "regex", about: "the query is one regular expression" },
    { name: "active", about: "first what lies on the path to the session's leaf" },
  ],
  async run(call) {
    const hits = await withInterrupt((signal) => search(call, signal));
    if (call.out.json) {
      for (const hit of hits) call.out.object(shape(hit));
      return 0;
    }
    if (hits.length === 0) call.out.talk("Nothing found.");
    const lines = call.out.plain ? sentences(hits) : hitLines(hits);
    for (const line of lines) call.out.line(...line);
    return 0;
  },
};
