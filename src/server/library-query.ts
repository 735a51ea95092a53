import type { Facet, FlagCounts } from "../protocol/session.ts";
import type { SessionSummary } from "../store/store.ts";
import { byActivity } from "../store/summary.ts";
import type { ServerRoot } from "./server-root.ts";

/** What a session may be besides its values. */
export type LibraryFlag = keyof FlagCounts;

/** The flags, in the order of the filters. */
export const LIBRARY_FLAGS: readonly LibraryFlag[] = ["diverged", "secrets", "running", "unread"];

/** Which rows of the library. */
export interface LibraryQuery {
  readonly q?: string | undefined;
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** ISO time: only sessions used at or after it. */
  readonly since?: string | undefined;
  /** Text of a label. */
  readonly label?: string | undefined;
  /** Only sessions that all of these fit. */
  readonly flags: readonly LibraryFlag[];
  readonly sort: "modified" | "created" | "title" | "bytes" | "messages" | "cost";
  readonly archived: "no" | "only" | "all";
  readonly offset: number;
  readonly limit: number;
}

/** A session that was listed, and where. */
export interface Found {
  readonly summary: SessionSummary;
  readonly root: ServerRoot;
}

/** What filters, facets and rows look at besides the summaries. */
export interface LibraryContext {
  /** `pinned:<id>` and `archived:<id>`. */
  readonly marks: ReadonlySet<string>;
  /** Models that a session used, by path. */
  readonly models: ReadonlyMap<string, ReadonlySet<string>>;
  /** Secrets in the clear, by id, where somebody had them looked for. */
  readonly secrets: ReadonlyMap<string, number>;
  /** Entries that a person has seen, by id. */
  readonly seen: ReadonlyMap<string, number>;
  /** Where a run is active. */
  readonly running: (summary: SessionSummary) => "here" | "elsewhere" | null;
}

/** Whether a query lets a session through. */
export function isFit({ summary }: Found, query: LibraryQuery, context: LibraryContext): boolean {
  const { marks, models } = context;
  const { id, cwd, agent, path, name, title } = summary;
  const isArchived = marks.has(`archived:${id}`);
  if (query.archived !== "all" && isArchived !== (query.archived === "only")) return false;
  if (query.project !== undefined && cwd !== query.project) return false;
  if (query.agent !== undefined && agent !== query.agent) return false;
  if (query.model !== undefined && models.get(path ?? "")?.has(query.model) !== true) return false;
  if (query.since !== undefined && summary.modified < query.since) return false;
  if (query.label !== undefined && !summary.labels.includes(query.label)) return false;
  if (!query.flags.every((flag) => hasFlag(flag, summary, context))) return false;
  const wanted = query.q?.toLowerCase().trim() ?? "";
  const text = `${name ?? ""}\n${title ?? ""}\n${cwd}\n${id}`.toLowerCase();
  return text.includes(wanted);
}

/** Whether a flag fits a session. */
export function hasFlag(
  flag: LibraryFlag,
  summary: SessionSummary,
  context: LibraryContext,
): boolean {
  switch (flag) {
    case "diverged":
      return hasTwoWriters(summary);
    case "secrets":
      return (context.secrets.get(summary.id) ?? 0) > 0;
    case "running":
      return context.running(summary) !== null;
    case "unread":
      return (unreadOf(summary, context) ?? 0) > 0;
  }
}

/** Entries that came since somebody looked; null = nobody ever did. */
export function unreadOf(
  { id, entries }: SessionSummary,
  { seen }: Pick<LibraryContext, "seen">,
): number | null {
  const known = seen.get(id);
  return known === undefined ? null : Math.max(0, entries - known);
}

/** Other programs start branches without a mark, so that their siblings say nothing of a second writer. */
export function hasTwoWriters({ agent, diverged }: SessionSummary): boolean {
  return agent === "branchline" && diverged;
}

/** Values and flags of the sessions that a query let through. */
export function facetsOf(
  fits: readonly Found[],
  context: LibraryContext,
): {
  readonly projects: readonly Facet[];
  readonly agents: readonly Facet[];
  readonly models: readonly Facet[];
  readonly labels: readonly Facet[];
  readonly flags: FlagCounts;
} {
  const all = fits.map(({ summary }) => summary);
  const count = (flag: LibraryFlag): number =>
    all.filter((summary) => hasFlag(flag, summary, context)).length;
  return {
    projects: facets(all.map(({ cwd }) => [cwd])),
    agents: facets(all.map(({ agent }) => [agent])),
    models: facets(all.map(({ path }) => [...(context.models.get(path ?? "") ?? [])])),
    labels: facets(all.map(({ labels }) => labels)),
    flags: {
      diverged: count("diverged"),
      secrets: count("secrets"),
      running: count("running"),
      unread: count("unread"),
    },
  };
}

type Order = (a: Found, b: Found) => number;

/** What an order looks at besides the summaries. */
interface OrderContext {
  readonly marks: ReadonlySet<string>;
  readonly rank: (root: ServerRoot) => number;
}

/** Pinned sessions first, then as asked; what is equal goes by activity, samples behind all others. */
export function orderOf(sort: LibraryQuery["sort"], { marks, rank }: OrderContext): Order {
  const pinned = ({ summary }: Found): number => (marks.has(`pinned:${summary.id}`) ? 0 : 1);
  return (a, b) =>
    pinned(a) - pinned(b) ||
    compare(sort, a.summary, b.summary) ||
    rank(a.root) - rank(b.root) ||
    byActivity(a.summary, b.summary);
}

function compare(sort: LibraryQuery["sort"], a: SessionSummary, b: SessionSummary): number {
  switch (sort) {
    case "modified":
      return 0;
    case "created":
      return a.created === b.created ? 0 : a.created < b.created ? 1 : -1;
    case "title":
      return (a.title ?? "\uffff").localeCompare(b.title ?? "\uffff");
    case "bytes":
      return b.bytes - a.bytes;
    case "messages":
      return b.messages - a.messages;
    case "cost":
      return b.usage.cost - a.usage.cost;
  }
}

/** Values with the number of sessions that have them, most first; 100 at most. */
function facets(values: readonly (readonly string[])[]): readonly Facet[] {
  const counts = new Map<string, number>();
  for (const value of values.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
  const rows = [...counts].map(([value, count]) => ({ value, count }));
  return rows.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, 100);
}
