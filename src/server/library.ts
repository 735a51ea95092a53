import { isSessionId } from "../entry/ids.ts";
import { BranchlineError } from "../errors.ts";
import type { IndexedSession } from "../index/session-index.ts";
import type { LocalIndex } from "../local/local-index.ts";
import type { SessionPage, SessionRow } from "../protocol/session.ts";
import type { SessionSummary } from "../store/store.ts";
import type { GeneratedSessions } from "./generated-sessions.ts";
import {
  type Found,
  facetsOf,
  hasTwoWriters,
  isFit,
  type LibraryContext,
  type LibraryQuery,
  orderOf,
  unreadOf,
} from "./library-query.ts";
import { type RowDetails, rowDetails } from "./row-details.ts";
import { RunsElsewhere } from "./runs-elsewhere.ts";
import type { SeenEntries } from "./seen-entries.ts";
import type { ServerRoot } from "./server-root.ts";

/** A session with the root it was found in. */
export interface LocatedSession {
  readonly id: string;
  readonly path: string;
  readonly root: ServerRoot;
}

/** What is written about sessions beside them, so that files of other agents stay as they are. */
export type Mark = "pinned" | "archived";

const CONSENTS = { resource: "branchline.sources" } as const;
const SCOPE = { resource: "branchline.library" } as const;
const TITLES = { resource: "branchline.trash" } as const;
/** Rows whose details are remembered. */
const REMEMBERED = 2000;

/** Labels that a row tells. */
const SHOWN_LABELS = 8;

/** What a library is made from. */
export interface LibraryParts {
  readonly roots: readonly [ServerRoot, ...ServerRoot[]];
  readonly index: LocalIndex | null;
  readonly generated: GeneratedSessions;
  readonly seen: SeenEntries;
  /** Whether a run of this server is active in a session. */
  readonly isRunning: (session: string) => boolean;
}

/** All sessions of the roots of a server: rows, marks, where each one lies. */
export class Library {
  readonly roots: readonly [ServerRoot, ...ServerRoot[]];
  readonly index: LocalIndex | null;
  /** How much of each session a person has seen. */
  readonly seen: SeenEntries;
  readonly #generated: GeneratedSessions;
  readonly #isRunning: LibraryParts["isRunning"];
  readonly #elsewhere = new RunsElsewhere();
  #consents: ReadonlySet<string> | null = null;
  readonly #details = new Map<string, RowDetails>();
  readonly #secrets = new Map<string, number>();
  readonly #paths = new Map<string, LocatedSession>();

  constructor({ roots, index, generated, seen, isRunning }: LibraryParts) {
    this.roots = roots;
    this.index = index;
    this.seen = seen;
    this.#generated = generated;
    this.#isRunning = isRunning;
  }

  /** Where new sessions and what is kept about others go. */
  get home(): ServerRoot {
    return this.roots[0];
  }

  /** One page of rows; facets count what the other filters let through. */
  async page(query: LibraryQuery): Promise<SessionPage> {
    const there = await this.#all();
    const all = [...there, ...this.#notMade(there)];
    const context = await this.#context(all.map(({ summary }) => summary));
    const fits = all.filter((found) => isFit(found, query, context));
    fits.sort(orderOf(query.sort, { marks: context.marks, rank: this.#rankOf() }));
    const part = fits.slice(query.offset, query.offset + query.limit);
    const rows: SessionRow[] = [];
    for (const found of part) rows.push(await this.#row(found, context));
    const next = query.offset + part.length;
    return {
      sessions: rows,
      cursor: next < fits.length ? String(next) : null,
      total: fits.length,
      facets: facetsOf(fits, context),
    };
  }

  /** Keeps what a look for secrets in a session found, for as long as the server runs. */
  noteSecrets(session: string, found: number): void {
    this.#secrets.set(session, found);
  }

  /** The row of one session. */
  async row(located: LocatedSession, summary: SessionSummary): Promise<SessionRow> {
    const context = await this.#context([summary]);
    return await this.#row({ summary, root: located.root }, context);
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
    return this.#generated.missing(known).map((summary) => ({ summary, root }));
  }

  /** A person's own sessions stand before all samples, the samples in the order of their roots. */
  #rankOf(): (root: ServerRoot) => number {
    const samples = this.roots.filter(({ kind }) => kind === "samples");
    return (root) => samples.indexOf(root);
  }

  /** Where a run is active among these sessions. */
  async running(summaries: readonly SessionSummary[]): Promise<LibraryContext["running"]> {
    const elsewhere = await this.#elsewhere.among(summaries);
    return ({ id, path }) => {
      if (this.#isRunning(id)) return "here";
      return path !== null && elsewhere.has(path) ? "elsewhere" : null;
    };
  }

  async #context(summaries: readonly SessionSummary[]): Promise<LibraryContext> {
    const [keys, seen, running] = await Promise.all([
      this.home.store.values.keys(SCOPE),
      this.seen.all(),
      this.running(summaries),
    ]);
    const models = this.#modelsByPath();
    return { marks: new Set(keys), models, secrets: this.#secrets, seen, running };
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

  async #row({ summary, root }: Found, context: LibraryContext): Promise<SessionRow> {
    const { id, path, usage } = summary;
    const { model, glyph } = await this.#detailsOf(summary);
    const isArchive = path?.endsWith(".zst") === true;
    const { marks } = context;
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
      labels: summary.labels.slice(0, SHOWN_LABELS),
      diverged: hasTwoWriters(summary),
      secrets: context.secrets.get(id) ?? null,
      running: context.running(summary),
      unread: unreadOf(summary, context),
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
