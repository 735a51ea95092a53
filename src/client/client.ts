import type { WireEvent } from "../protocol/event.ts";
import type {
  DiffView,
  HealthView,
  HitRow,
  MoveAnswer,
  OperationRow,
  StatsView,
} from "../protocol/operation.ts";
import type { QueueRow, SessionPage, SessionState, WireModel } from "../protocol/session.ts";
import type {
  ContextCurve,
  ContextView,
  EntryPreview,
  PathWindow,
  TreeColumns,
} from "../protocol/tree.ts";
import { type FollowOptions, followEvents } from "./event-stream.ts";
import { type ClientOptions, HttpCaller, type QueryValues } from "./http-caller.ts";

/** One entry whole. */
export interface EntryView {
  readonly entry: unknown;
  readonly preview: EntryPreview;
  readonly parents: readonly EntryPreview[];
  readonly children: readonly EntryPreview[];
  readonly where: {
    readonly line: number;
    readonly start: number;
    readonly end: number;
    readonly file: string | null;
  } | null;
  readonly gap: unknown;
}

/** How the leaf is moved. */
export interface MoveWish {
  readonly leafId: string | null;
  readonly sessionId: string;
  /** A text, or true = the model writes one. */
  readonly summary?: string | true;
  readonly ifLeaf?: string | null;
  readonly abort?: boolean;
}

/** What is said to the agent. */
export interface RunWish {
  readonly text?: string;
  readonly content?: unknown;
  readonly mode?: "run" | "steer" | "followUp" | "nextTurn" | "resume" | "retry";
  readonly at?: string | null;
  readonly model?: string;
  readonly ifLeaf?: string | null;
}

/** What a change is made with. */
export interface ChangeOptions {
  readonly body?: unknown;
  readonly key?: string;
}

/** The answer to it. */
export interface RunAnswer {
  readonly runId: string | null;
  readonly queued: QueueRow | null;
}

/**
 * The typed client of a Branchline server, for browsers and Node. Methods are named after what they ask;
 * docs/http-api.md tells the rest. Refusals are thrown as `ClientError`.
 *
 * @example
 * const client = createClient({ baseUrl, token });
 * const { sessions } = await client.sessions();
 * for await (const event of client.events(sessions[0].id)) console.log(event.type);
 */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(options);
}

/** See {@link createClient}. */
export class Client {
  readonly http: HttpCaller;
  readonly #name: string | undefined;

  constructor(options: ClientOptions) {
    this.http = new HttpCaller(options);
    this.#name = options.client;
  }

  /** Swaps the token for the cookie of this browser. */
  async login(token: string): Promise<void> {
    await this.http.json("POST", "/api/login", { body: { token } });
  }

  sessions(query: QueryValues = {}): Promise<SessionPage> {
    return this.http.json("GET", "/api/sessions", { query });
  }

  createSession(
    wish: { readonly cwd?: string; readonly name?: string } = {},
  ): Promise<SessionState> {
    return this.http.json("POST", "/api/sessions", { body: wish });
  }

  state(session: string): Promise<SessionState> {
    return this.http.json("GET", at(session));
  }

  update(
    session: string,
    changes: {
      readonly name?: string | null;
      readonly pinned?: boolean;
      readonly archived?: boolean;
    },
  ): Promise<SessionState> {
    return this.http.json("PATCH", at(session), { body: changes });
  }

  /** Says that so many entries were on a screen. */
  seen(
    session: string,
    entries: number,
  ): Promise<{ readonly id: string; readonly entries: number }> {
    return this.http.json("POST", at(session, "seen"), { body: { entries } });
  }

  trash(session: string): Promise<{ readonly id: string; readonly trashed: boolean }> {
    return this.http.json("DELETE", at(session));
  }

  tree(session: string, from = 0): Promise<TreeColumns> {
    return this.http.json("GET", at(session, "tree"), { query: from === 0 ? {} : { from } });
  }

  /** `places` as `1,5,9-20`. */
  rows(session: string, places: string): Promise<{ readonly rows: readonly EntryPreview[] }> {
    return this.http.json("GET", at(session, "rows"), { query: { places } });
  }

  path(session: string, query: QueryValues = {}): Promise<PathWindow> {
    return this.http.json("GET", at(session, "path"), { query });
  }

  /** `entry` is an id, or `~i` for place i. */
  entry(session: string, entry: string): Promise<EntryView> {
    return this.http.json("GET", at(session, "entries", entry));
  }

  context(session: string, query: QueryValues = {}): Promise<ContextView> {
    return this.http.json("GET", at(session, "context"), { query });
  }

  curve(session: string, leaf?: string): Promise<ContextCurve> {
    return this.http.json("GET", at(session, "curve"), { query: { leaf } });
  }

  operations(session: string): Promise<{ readonly operations: readonly OperationRow[] }> {
    return this.http.json("GET", at(session, "ops"));
  }

  health(session: string): Promise<HealthView> {
    return this.http.json("GET", at(session, "fsck"));
  }

  diff(session: string, query: QueryValues): Promise<DiffView> {
    return this.http.json("GET", at(session, "diff"), { query });
  }

  /** Moves the leaf for everybody. Refused with 409: a run is active, or the leaf is not `ifLeaf`. */
  branch(wish: MoveWish, key?: string): Promise<MoveAnswer> {
    return this.http.json("POST", "/api/branch", { body: wish, ...keyed(key) });
  }

  /** One change of a session: labels, context-edits, undo, redo, select, merge, pick, compact, … */
  change<T = MoveAnswer>(session: string, what: string, options: ChangeOptions = {}): Promise<T> {
    const { body = {}, key } = options;
    return this.http.json("POST", at(session, what), { body, ...keyed(key) });
  }

  run(session: string, wish: RunWish, key?: string): Promise<RunAnswer> {
    return this.http.json("POST", at(session, "runs"), { body: wish, ...keyed(key) });
  }

  abort(run: string): Promise<{ readonly runId: string; readonly returned: readonly QueueRow[] }> {
    return this.http.json("DELETE", `/api/runs/${encodeURIComponent(run)}`);
  }

  decide(run: string, call: string, decision: unknown): Promise<{ readonly ok: boolean }> {
    const path = `/api/runs/${encodeURIComponent(run)}/permissions/${encodeURIComponent(call)}`;
    return this.http.json("POST", path, { body: decision });
  }

  search(q: string, limit?: number): Promise<{ readonly hits: readonly HitRow[] }> {
    return this.http.json("GET", "/api/search", { query: { q, limit } });
  }

  stats(by?: "day" | "model" | "project" | "tool"): Promise<StatsView> {
    return this.http.json("GET", "/api/stats", { query: { by } });
  }

  models(): Promise<{ readonly models: readonly WireModel[] }> {
    return this.http.json("GET", "/api/models");
  }

  /** Events of one session, several, or (null) all; across lost connections. */
  events(
    sessions: string | readonly string[] | null,
    options?: FollowOptions,
  ): AsyncGenerator<WireEvent, void, void> {
    const names = sessions === null ? [] : [sessions].flat();
    const session = names.length === 0 ? undefined : names.join(",");
    const query = { session, client: this.#name };
    const place = { caller: this.http, path: "/api/events", query, isEndless: true };
    return followEvents(place, options);
  }

  /** Events of one run from its beginning to its end. */
  runEvents(run: string, options?: FollowOptions): AsyncGenerator<WireEvent, void, void> {
    const path = `/api/runs/${encodeURIComponent(run)}/events`;
    const query = { client: this.#name };
    return followEvents({ caller: this.http, path, query, isEndless: false }, options);
  }
}

function at(session: string, ...rest: readonly string[]): string {
  return ["/api/sessions", session, ...rest]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join("/");
}

function keyed(key: string | undefined): { readonly key?: string } {
  return key === undefined ? {} : { key };
}
