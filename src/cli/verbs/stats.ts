import { type EntryFact, entryFact } from "../../index/usage-fact.ts";
import type { OpenedSession, SearchedSession } from "../../search/searched-session.ts";
import { Stats, type StatsGroup, type StatsOptions, type StatsRow } from "../../search/stats.ts";
import { safeLine } from "../../view/safe-text.ts";
import { parseSince } from "../age.ts";
import { type Piece, styled } from "../color.ts";
import { openFullText } from "../full-text.ts";
import { withInterrupt } from "../interrupt.ts";
import { searchedSessions } from "../searched-sessions.ts";
import type { Call, Verb } from "../verb.ts";
import { displayWidth, fit, fitRight, truncate } from "../width.ts";

const GROUPS = ["day", "model", "project", "tool"] as const;

async function* factsOf(opened: OpenedSession): AsyncGenerator<EntryFact> {
  for await (const entry of opened.entries()) yield entryFact(entry);
}

/** Without an index every session is read, oldest first, as the index gives them. */
async function addByReading(call: Call, stats: Stats, signal: AbortSignal): Promise<void> {
  const sessions: SearchedSession[] = [];
  for await (const session of searchedSessions(call, null, signal)) sessions.push(session);
  const place = (one: SearchedSession): string => `${one.created} ${one.path}`;
  sessions.sort((a, b) => (place(a) < place(b) ? -1 : 1));
  for (const { session, path, cwd, created, open } of sessions) {
    signal.throwIfAborted();
    await using opened = await open();
    await stats.add({ session, path, cwd, created, facts: factsOf(opened) });
  }
}

async function collect(
  call: Call,
  options: StatsOptions,
  signal: AbortSignal,
): Promise<readonly StatsRow[]> {
  const text = await openFullText(call, signal);
  const stats = new Stats(options);
  const isDone = await text?.searcher.eachSession(text.roots, (session) => stats.add(session));
  if (isDone === true) return stats.rows();
  const byReading = new Stats(options);
  await addByReading(call, byReading, signal);
  return byReading.rows();
}

function optionsOf(call: Call): StatsOptions {
  const by = GROUPS.find((group) => group === call.text("by")) ?? "all";
  const since = call.text("since");
  return { by, since: since === undefined ? "" : parseSince(since, Date.now()) };
}

const NUMBER = new Intl.NumberFormat("en-US");
const count = (value: number): string => NUMBER.format(value);

function costText({ cost, unpriced }: StatsRow): string {
  if (cost === null) return "?";
  // What is known is a lower bound where some requests do not say their price.
  return `$${cost.toFixed(cost !== 0 && cost < 0.1 ? 4 : 2)}${unpriced > 0 ? " + ?" : ""}`;
}

function rateText({ cacheHitRate }: StatsRow): string {
  return cacheHitRate === null ? "–" : `${(cacheHitRate * 100).toFixed(1)} %`;
}

const COLUMNS: readonly (readonly [string, (row: StatsRow) => string])[] = [
  ["sessions", (row) => count(row.sessions)],
  ["messages", (row) => count(row.messages)],
  ["calls", (row) => count(row.toolCalls)],
  ["input", (row) => count(row.input)],
  ["output", (row) => count(row.output)],
  ["cache read", (row) => count(row.cacheRead)],
  ["cache write", (row) => count(row.cacheWrite)],
  ["cache hits", rateText],
  ["cost", costText],
];

const nameOf = (row: StatsRow): string => safeLine(row.key ?? (row.by === "all" ? "all" : "?"));

function* table(rows: readonly StatsRow[], by: StatsGroup): Iterable<readonly Piece[]> {
  const names = rows.map((row) => truncate(nameOf(row), 40));
  const nameWidth = names.reduce((width, name) => Math.max(width, displayWidth(name)), by.length);
  const widths = COLUMNS.map(([title, text]) =>
    rows.reduce((width, row) => Math.max(width, text(row).length), title.length),
  );
  const titles = COLUMNS.map(([title], at) => fitRight(title, widths[at] as number)).join("  ");
  yield [styled("faint", `${fit(by === "all" ? "" : by, nameWidth)}  ${titles}`)];
  for (const [index, row] of rows.entries()) {
    const cells = COLUMNS.map(([, text], at) => fitRight(text(row), widths[at] as number));
    const name = names[index] as string;
    const room = " ".repeat(nameWidth - displayWidth(name));
    yield [styled("strong", name), `${room}  ${cells.join("  ")}`];
  }
}

function* sentences(rows: readonly StatsRow[]): Iterable<readonly Piece[]> {
  for (const row of rows) {
    const cells = COLUMNS.map(([title, text]) => `${title} ${text(row)}`);
    yield [`${nameOf(row)}: ${cells.join(", ")}.`];
  }
}

/** Tokens, cost and counts over all sessions. */
export const statsVerb: Verb = {
  name: "stats",
  summary: "tokens, cost and cache hits of all sessions, by day, model, project or tool",
  example: "branchline stats --by model --since 30d",
  arguments: [],
  options: [
    { name: "by", value: "group", choices: GROUPS, about: "day, model, project or tool" },
    { name: "since", value: "time", about: "only entries since a date, or for example 7d" },
  ],
  async run(call) {
    const options = optionsOf(call);
    const rows = await withInterrupt((signal) => collect(call, options, signal));
    if (call.out.json) {
      for (const row of rows) call.out.object(row);
      return 0;
    }
    if (rows.length === 0) {
      call.out.talk("There is nothing to count.");
      return 0;
    }
    const lines = call.out.plain ? sentences(rows) : table(rows, options.by);
    for (const line of lines) call.out.line(...line);
    return 0;
  },
};
