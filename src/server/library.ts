import { isSessionId } from "../entry/ids.ts";
import { BranchlineError } from "../errors.ts";
import type { IndexedSession } from "../index/session-index.ts";
import type { LocalIndex } from "../local/local-index.ts";
import type { Facet, SessionPage, SessionRow } from "../protocol/session.ts";
import type { JsonlStore } from "../store/jsonl/jsonl-store.ts";
import type { SessionSummary } from "../store/store.ts";
import { byActivity } from "../store/summary.ts";
import type { GeneratedSessions } from "./generated-sessions.ts";
import { type RowDetails, rowDetails } from "./row-details.ts";

/** A folder with sessions, and the store that reads it. */
export interface ServerRoot {
  /** "samples" = shipped sessions: shown, copied when they are written to. */
  readonly kind: "own" | "pi" | "given" | "samples";
  readonly directory: string;
  readonly store: JsonlStore;
}

/** A session with the root it was found in. */
export interface LocatedSession {
  readonly id: string;
  readonly path: string;
  readonly root: ServerRoot;
}

/** Which rows of the library. */
export interface LibraryQuery {
  readonly q?: string | undefined;
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** ISO time: only sessions used at or after it. */
  readonly since?: string | undefined;
  readonly sort: "modified" | "created" | "title" | "bytes" | "messages" | "cost";
  readonly archived: "no" | "only" | "all";
  readonly offset: number;
  readonly limit: number;
}

/** What is written about sessions beside them, so that files of other agents stay as they are. */
export type Mark = "pinned" | "archived";

interface Found {
  readonly summary: SessionSummary;
  readonly root: ServerRoot;
}

const CONSENTS = { resource: "branchline.sources" } as const;
const SCOPE = { resource: "branchline.library" } as const;
const TITLES = { resource: "branchline.trash" } as const;
/** Rows whose details are remembered. */
const REMEMBERED = 2000;

/** All sessions of the roots of a server: rows, marks, where each one lies. */
export class Library {
  readonly roots: readonly [ServerRoot, ...ServerRoot[]];
  readonly index: LocalIndex | null;
  readonly #generated: GeneratedSessions | null;
  #consents: ReadonlySet<string> | null = null;
  readonly #details = new Map<string, RowDetails>();
  readonly #paths = new Map<string, LocatedSession>();

  constructor(
    roots: readonly [ServerRoot, ...ServerRoot[]],
    index: LocalIndex | null,
    generated: GeneratedSessions | null = null,
  ) {
    this.roots = roots;
    this.index = index;
    this.#generated = generated;
  }

  /** Where new sessions and what is kept about others go. */
  get home(): ServerRoot {
    return this.roots[0];
  }

  /** One page of rows; facets count what the other filters let through. */
  async page(query: LibraryQuery): Promise<SessionPage> {
    const [there, marks] = await Promise.all([this.#all(), this.#marks()]);
    const all = [...there, ...this.#notMade(there)];
    const models = this.#modelsByPath();
    const fits = all.filter((found) => isFit(found, query, { marks, models }));
    fits.sort(orderOf(query.sort, { marks, rank: this.#rankOf() }));
    const part = fits.slice(query.offset, query.offset + query.limit);
    const rows: SessionRow[] = [];
    for (const found of part) rows.push(await this.#row(found, marks));
    const next = query.offset + part.length;
    return {
      sessions: rows,
      cursor: next < fits.length ? String(next) : null,
      total: fits.length,
      facets: {
        projects: facets(fits.map(({ summary }) => [summary.cwd])),
        agents: facets(fits.map(({ summary }) => [summary.agent])),
        models: facets(fits.map(({ summary }) => [...(models.get(summary.path ?? "") ?? [])])),
      },
    };
  }

  /** The row of one session. */
  async row(located: LocatedSession, summary: SessionSummary): Promise<SessionRow> {
    return await this.#row({ summary, root: located.root }, await this.#marks());
  }

  /** Summaries of all sessions, newest first, samples last; of several with one id the first root's counts. */
  async summaries(): Promise<readonly SessionSummary[]> {
    const order = orderOf("modified", { marks: new Set(), rank: this.#rankOf() });
    return (await this.#all()).sort(order).map(({ summary }) => summary);
  }

  /** The roots that count: Pi's folder only after a person agreed. */
  async activeRoots(): Promise<readonly ServerRoot[]> {
    this.#consents ??= new Set(await this.home.store.values.keys(CONSENTS));
    const consents = this.#consents;
    return this.roots.filter(({ kind }) => kind !== "pi" || consents.has("pi"));
  }

  /** Agents whose sessions may be opened. */
  async consents(): Promise<ReadonlySet<string>> {
    return new Set(await this.home.store.values.keys(CONSENTS));
  }

  /** Remembers that an agent's sessions may be opened. */
  async consent(agent: string): Promise<void> {
    await this.home.store.values.set(CONSENTS, agent, true);
    this.#consents = null;
  }

  /** Throws SESSION_ID_INVALID, SESSION_UNKNOWN, SESSION_AMBIGUOUS. */
  async locate(id: string): Promise<LocatedSession> {
    for (const root of await this.activeRoots()) {
      const path = await pathIn(root, id);
      if (path !== null) return { id, path, root };
    }
    const known = this.#paths.get(id);
    if (known !== undefined) return known;
    throw new BranchlineError(
      "SESSION_UNKNOWN",
      { reference: id.slice(0, 200) },
      { message: "No session has this id.", hint: "GET /api/sessions lists them." },
    );
  }

  async setMark(id: string, mark: Mark, value: boolean): Promise<void> {
    const { values } = this.home.store;
    if (value) await values.set(SCOPE, `${mark}:${id}`, true);
    else await values.delete(SCOPE, `${mark}:${id}`);
  }

  /** Remembers what a session was called when it went to the trash; null = it is gone from there. */
  async noteTitle(id: string, title: string | null): Promise<void> {
    const { values } = this.home.store;
    if (title === null) await values.delete(TITLES, id);
    else await values.set(TITLES, id, title);
  }

  /** What a session in the trash was called; null where another program put it there. */
  async trashTitle(id: string): Promise<string | null> {
    const title = await this.home.store.values.get(TITLES, id);
    return typeof title === "string" ? title : null;
  }

  /** Real paths of the roots that exist, for questions to the index. */
  async realRoots(): Promise<readonly string[]> {
    const { realpath } = await import("node:fs/promises");
    const paths: string[] = [];
    for (const { directory } of await this.activeRoots()) {
      const real = await realpath(directory).catch(() => null);
      if (real !== null) paths.push(real);
    }
    return paths;
  }

  /** What is made when it is opened first, shown among the samples that are recorded. */
  #notMade(there: readonly Found[]): readonly Found[] {
    const root = this.roots.find(({ kind }) => kind === "samples");
    if (root === undefined) return [];
    const known = new Set(there.map(({ summary }) => summary.id));
    return (this.#generated?.missing(known) ?? []).map((summary) => ({ summary, root }));
  }

  /** A person's own sessions stand before all samples, the samples in the order of their roots. */
  #rankOf(): (root: ServerRoot) => number {
    const samples = this.roots.filter(({ kind }) => kind === "samples");
    return (root) => samples.indexOf(root);
  }

  async #marks(): Promise<ReadonlySet<string>> {
    return new Set(await this.home.store.values.keys(SCOPE));
  }

  async #all(): Promise<Found[]> {
    const byId = new Map<string, Found>();
    for (const root of await this.activeRoots()) {
      for await (const summary of root.store.list()) {
        if (byId.has(summary.id)) continue;
        byId.set(summary.id, { summary, root });
        const { id, path } = summary;
        if (path !== null) this.#paths.set(id, { id, path, root });
      }
    }
    return [...byId.values()];
  }

  /** Models that a session used, as `provider/model`; nothing without an index. */
  #modelsByPath(): ReadonlyMap<string, ReadonlySet<string>> {
    const models = new Map<string, Set<string>>();
    for (const { path, provider, model } of this.index?.sessions.usage() ?? []) {
      if (model === "") continue;
      const known = models.get(path) ?? new Set();
      models.set(path, known.add(`${provider}/${model}`));
    }
    return models;
  }

  async #row({ summary, root }: Found, marks: ReadonlySet<string>): Promise<SessionRow> {
    const { id, path, usage } = summary;
    const { model, glyph } = await this.#detailsOf(summary);
    const isArchive = path?.endsWith(".zst") === true;
    return {
      ...{ id, path, model, glyph },
      agent: summary.agent,
      cwd: summary.cwd,
      name: summary.name,
      title: summary.title,
      entries: summary.entries,
      messages: summary.messages,
      branches: summary.branches,
      created: summary.created,
      modified: summary.modified,
      bytes: summary.bytes,
      usage: { ...usage },
      pinned: marks.has(`pinned:${id}`),
      archived: marks.has(`archived:${id}`),
      sample: root.kind === "samples",
      readOnly: isArchive ? "the session is archived" : null,
    };
  }

  async #detailsOf(summary: SessionSummary): Promise<RowDetails> {
    const { path } = summary;
    const nothing = { model: null, glyph: [] };
    if (path === null || this.index === null) return nothing;
    const key = `${path} ${summary.bytes} ${summary.entries}`;
    const known = this.#details.get(key);
    if (known !== undefined) return known;
    const indexed: IndexedSession | null = await this.index.sessions.session(path);
    const made = indexed === null ? nothing : rowDetails(indexed);
    if (this.#details.size >= REMEMBERED) this.#details.clear();
    this.#details.set(key, made);
    return made;
  }
}

async function pathIn(root: ServerRoot, id: string): Promise<string | null> {
  try {
    return await root.store.findFile(id);
  } catch (error) {
    if (!BranchlineError.is(error, "SESSION_UNKNOWN") || !isSessionId(id)) throw error;
    return null;
  }
}

interface FitContext {
  readonly marks: ReadonlySet<string>;
  readonly models: ReadonlyMap<string, ReadonlySet<string>>;
}

function isFit({ summary }: Found, query: LibraryQuery, { marks, models }: FitContext): boolean {
  const { id, cwd, agent, path, name, title } = summary;
  const isArchived = marks.has(`archived:${id}`);
  if (query.archived !== "all" && isArchived !== (query.archived === "only")) return false;
  if (query.project !== undefined && cwd !== query.project) return false;
  if (query.agent !== undefined && agent !== query.agent) return false;
  if (query.model !== undefined && models.get(path ?? "")?.has(query.model) !== true) return false;
  if (query.since !== undefined && summary.modified < query.since) return false;
  const wanted = query.q?.toLowerCase().trim() ?? "";
  const text = `${name ?? ""}\n${title ?? ""}\n${cwd}\n${id}`.toLowerCase();
  return text.includes(wanted);
}

type Order = (a: Found, b: Found) => number;

/** What an order looks at besides the summaries. */
interface OrderContext {
  readonly marks: ReadonlySet<string>;
  readonly rank: (root: ServerRoot) => number;
}

/** Pinned sessions first, then as asked; what is equal goes by activity, samples behind all others. */
function orderOf(sort: LibraryQuery["sort"], { marks, rank }: OrderContext): Order {
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
