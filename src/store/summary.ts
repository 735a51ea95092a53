import type { Entry, MessageEntry, SessionHeader } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import type { Content } from "../entry/message.ts";
import { addUsage, EMPTY_FOLD, type UsageTotals } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { LabelInfo } from "../tree/tree-entry.ts";
import { isDiverged } from "./divergence.ts";
import type { SessionSummary } from "./store.ts";

/** How far a clock may be ahead of ours before its times count for nothing, in ms. */
const MAX_AHEAD_MS = 24 * 3600 * 1000;

/** Longest title, in characters (code points), the ellipsis included. */
export const MAX_TITLE_LENGTH = 80;

/** What a summary says that is not in the entries. */
export interface SummarySource {
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  readonly file: string | null;
  /** Size of the file, 0 for stores without files. */
  readonly bytes: number;
  /** Ms since the epoch; default: the present time of the platform. */
  readonly now?: number;
}

/** The times that tell when a session was used last, as they are written. */
export interface ActivityTimes {
  /** The header's time. */
  readonly created: string;
  /** Time of the last message in file order that has one, null without any. */
  readonly lastMessage: string | null;
}

/**
 * When a session was used last, as ISO 8601 in UTC: the newer of its making and its last message, so
 * that a fresh copy is new and naming or labelling counts for nothing (P75). What is no time, or lies
 * more than a day after `now`, is passed over: one wrong clock must not make a session the newest for
 * ever. Empty where no time is left: such a session comes last.
 */
export function activityOf({ created, lastMessage }: ActivityTimes, now: number): string {
  const times = [created, lastMessage ?? ""].map((text) => Date.parse(text));
  const known = times.filter((time) => time <= now + MAX_AHEAD_MS);
  return known.length === 0 ? "" : new Date(Math.max(...known)).toISOString();
}

/**
 * What of a summary comes from the payloads, gathered entry by entry in file order; for stores that
 * read their entries one after the other.
 */
export class SummaryTally {
  #messages = 0;
  #usage: UsageTotals = EMPTY_FOLD.usage;
  #lastMessage: string | null = null;
  #firstPrompt: string | null = null;

  /** Takes the next entry in file order. */
  add(entry: Entry): void {
    this.#usage = addUsage(this.#usage, usageOf(entry));
    if (!isEntry(entry, "message")) return;
    this.#messages++;
    if (entry.timestamp !== "") this.#lastMessage = entry.timestamp;
    if (this.#firstPrompt === null && entry.message.role === "user")
      this.#firstPrompt = promptTitle(entry);
  }

  /** The row of the session. */
  row(source: SummarySource): SessionSummary {
    const { header, tree, file, bytes, now = Date.now() } = source;
    const created = header.timestamp;
    const name = tree.name();
    return {
      id: header.id,
      path: file,
      agent: agentOf(header),
      cwd: header.cwd,
      name,
      title: nameTitle(name) ?? this.#firstPrompt,
      entries: tree.size,
      messages: this.#messages,
      branches: tree.branches().length,
      leaf: tree.leaf(),
      labels: labelTexts(tree.labels().values()),
      diverged: isDiverged(tree),
      created,
      modified: activityOf({ created, lastMessage: this.#lastMessage }, now),
      bytes,
      usage: this.#usage,
    };
  }
}

/** The title that a user message makes, or null where it has no text. */
export function promptTitle({ message }: MessageEntry): string | null {
  return oneLine(textOf((message as { content?: unknown }).content));
}

/** The title that a session's name makes, or null where it has none. */
export function nameTitle(name: string | null): string | null {
  return name === null ? null : oneLine(name);
}

/** The row of a session whose entries are at hand. */
export function summarize(
  source: SummarySource & { readonly entries: Iterable<Entry> },
): SessionSummary {
  const tally = new SummaryTally();
  for (const entry of source.entries) tally.add(entry);
  return tally.row(source);
}

/** The program that made a session, as far as its header tells. */
export function agentOf({ branchline }: Pick<SessionHeader, "branchline">): "pi" | "branchline" {
  return branchline === undefined ? "pi" : "branchline";
}

/** Texts of labels in force, each once, newest first; of one time the one that is further down first. */
export function labelTexts(labels: Iterable<LabelInfo>): readonly string[] {
  const newest = [...labels].reverse();
  newest.sort((a, b) => descending(a.timestamp, b.timestamp));
  return [...new Set(newest.map(({ label }) => label))];
}

/**
 * Order of a list: newest activity first; what is equally new, in the order of its making, then of ids, and
 * copies of one file by their paths.
 */
export function byActivity(a: SessionSummary, b: SessionSummary): number {
  return (
    descending(a.modified, b.modified) ||
    descending(a.created, b.created) ||
    descending(a.id, b.id) ||
    descending(String(a.path), String(b.path))
  );
}

function descending(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}

function usageOf(entry: Entry): unknown {
  switch (entry.type) {
    case "message":
      return isEntry(entry, "message")
        ? (entry.message as { readonly usage?: unknown }).usage
        : undefined;
    case "usage":
    case "compaction":
    case "branch_summary":
      return (entry as { readonly usage?: unknown }).usage;
    default:
      return undefined;
  }
}

/** The text of a content from disk, which may have any shape. */
function textOf(content: Content | unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map(blockText).join(" ");
}

function blockText(block: unknown): string {
  const { type, text } = Object(block) as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : "";
}

/** One line of at most {@link MAX_TITLE_LENGTH} code points, or null where there is no text. */
function oneLine(text: string): string | null {
  // Enough for any title; a prompt may be as long as a file.
  const line = text.trimStart().slice(0, 4096).replace(/\s+/g, " ").trim();
  if (line === "") return null;
  const characters = Array.from(line);
  if (characters.length <= MAX_TITLE_LENGTH) return line;
  return `${characters.slice(0, MAX_TITLE_LENGTH - 1).join("")}…`;
}
