import type { ExportScope } from "branchline/protocol/export.ts";
import type {
  DiffView,
  HealthView,
  HitRow,
  MoveAnswer,
  OperationRow,
  StatsView,
} from "branchline/protocol/operation.ts";
import type {
  QueueRow,
  SessionPage,
  SessionState,
  WireModel,
} from "branchline/protocol/session.ts";
import type {
  ContextCurve,
  ContextView,
  EntryPreview,
  PathWindow,
  TreeColumns,
} from "branchline/protocol/tree.ts";
import { call, type Query } from "./http.ts";

const session = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;

/** A folder of an agent that was found on this machine. */
export interface SourceRow {
  readonly agent: string;
  readonly root: string;
  readonly sessions: number;
  /** False while there is no reader for this agent's files. */
  readonly readable: boolean;
  readonly consented: boolean;
}

/** An answer to a change that may move the leaf. */
export type ChangeAnswer = { readonly op: string | null } & Partial<MoveAnswer>;

/** Swaps the token for a cookie. */
export const login = (token: string): Promise<unknown> =>
  call("/api/login", { method: "POST", body: { token } });

/** One page of the library. */
export const listSessions = (query: Query, signal?: AbortSignal): Promise<SessionPage> =>
  call("/api/sessions", { query, signal });

/** A new session. */
export const createSession = (body: { cwd?: string; name?: string }): Promise<SessionState> =>
  call("/api/sessions", { method: "POST", body, once: true });

/** Everything small about one session. */
export const readSession = (id: string, signal?: AbortSignal): Promise<SessionState> =>
  call(session(id), { signal });

/** Names, pins or archives. */
export const patchSession = (
  id: string,
  body: { name?: string | null; pinned?: boolean; archived?: boolean },
): Promise<unknown> => call(session(id), { method: "PATCH", body });

/** Says that so many entries of a session were on a screen. */
export const markSeen = (id: string, entries: number): Promise<unknown> =>
  call(`${session(id)}/seen`, { method: "POST", body: { entries } });

/** Moves a session to the trash. */
export const trashSession = (id: string): Promise<unknown> =>
  call(session(id), { method: "DELETE" });

/** A session in the trash. */
export interface TrashRow {
  readonly id: string;
  readonly path: string | null;
  readonly trashed: string;
  readonly title: string | null;
}

/** Sessions in the trash, newest first. */
export const listTrash = (
  signal?: AbortSignal,
): Promise<{ readonly sessions: readonly TrashRow[] }> => call("/api/trash", { signal });

/** Takes a session out of the trash. */
export const restoreSession = (id: string): Promise<unknown> =>
  call(`/api/trash/${encodeURIComponent(id)}/restore`, { method: "POST" });

/** Destroys a session in the trash. */
export const purgeSession = (id: string): Promise<unknown> =>
  call(`/api/trash/${encodeURIComponent(id)}`, { method: "DELETE", query: { confirm: id } });

/** Says where the working folder of a session is now. */
export const relocateSession = (id: string, cwd: string): Promise<unknown> =>
  call(`${session(id)}/relocate`, { method: "POST", body: { cwd } });

/** The skeleton, or what came since `from`. */
export const readTree = (id: string, from: number, signal?: AbortSignal): Promise<TreeColumns> =>
  call(`${session(id)}/tree`, { query: { from: from > 0 ? from : undefined }, signal });

/** Short views of at most 200 entries. */
export const readRows = (
  id: string,
  places: string,
  signal?: AbortSignal,
): Promise<{ readonly rows: readonly EntryPreview[] }> =>
  call(`${session(id)}/rows`, { query: { places }, signal });

/** A window of the path. */
export const readPath = (id: string, query: Query, signal?: AbortSignal): Promise<PathWindow> =>
  call(`${session(id)}/path`, { query, signal });

/** One entry whole. */
export const readEntry = (
  id: string,
  entry: string,
  signal?: AbortSignal,
): Promise<{ readonly entry: unknown; readonly preview: EntryPreview }> =>
  call(`${session(id)}/entries/${encodeURIComponent(entry)}`, { signal });

/** What the model sees at an entry; `as` adds the request body of a provider. */
export const readContext = (
  id: string,
  query: Query,
  signal?: AbortSignal,
): Promise<ContextView & { readonly body?: unknown }> =>
  call(`${session(id)}/context`, { query, signal });

/** Size of the context along the path. */
export const readCurve = (id: string, signal?: AbortSignal): Promise<ContextCurve> =>
  call(`${session(id)}/curve`, { signal });

/** The operation log, newest last. */
export const readOperations = (
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly operations: readonly OperationRow[] }> =>
  call(`${session(id)}/ops`, { signal });

/** Checks the file. */
export const readHealth = (id: string, signal?: AbortSignal): Promise<HealthView> =>
  call(`${session(id)}/fsck`, { signal });

/** What packing a session's file does to its size, in bytes. */
export interface Packed {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly applied: boolean;
}

/** Packs the file of a session; without `apply` only says what it would save. */
export const packSession = (id: string, body: { readonly apply: boolean }): Promise<Packed> =>
  call(`${session(id)}/archive`, { method: "POST", body });

/** Brings a packed file back, so that it can be written to. */
export const unpackSession = (id: string): Promise<Packed> =>
  call(`${session(id)}/unarchive`, { method: "POST", body: {} });

/** Compares two leaves. */
export const readDiff = (id: string, query: Query, signal?: AbortSignal): Promise<DiffView> =>
  call(`${session(id)}/diff`, { query, signal });

/** Moves the leaf; `ifLeaf` refuses when somebody else moved it. */
export const moveLeaf = (body: {
  sessionId: string;
  leafId: string;
  ifLeaf?: string | null;
  abort?: boolean;
  summary?: string;
}): Promise<MoveAnswer> => call("/api/branch", { method: "POST", body, once: true });

/** One change of a session: `verb` is the last part of the address, e.g. `fork`. */
export const change = (id: string, verb: string, body: unknown = {}): Promise<ChangeAnswer> =>
  call(`${session(id)}/${verb}`, { method: "POST", body, once: true });

/** Renames or archives a branch. */
export const patchBranch = (
  id: string,
  branch: string,
  body: { name?: string; archived?: boolean },
): Promise<ChangeAnswer> =>
  call(`${session(id)}/branches/${encodeURIComponent(branch)}`, { method: "PATCH", body });

/** The entries that a compaction stands for. */
export const readOriginals = (
  id: string,
  entry: string,
  cursor?: string,
): Promise<{ readonly rows: readonly EntryPreview[]; readonly cursor: string | null }> =>
  call(`${session(id)}/compactions/${encodeURIComponent(entry)}/originals`, { query: { cursor } });

/** Sends a message. */
export const startRun = (
  id: string,
  body: { text?: string; mode: string; at?: string | null; ifLeaf?: string | null },
): Promise<{
  readonly runId: string | null;
  readonly model: WireModel | null;
  /** The path's own model, where another answers in its place. */
  readonly insteadOf: string | null;
}> => call(`${session(id)}/runs`, { method: "POST", body, once: true });

/** Stops a run. */
export const stopRun = (run: string): Promise<unknown> =>
  call(`/api/runs/${encodeURIComponent(run)}`, { method: "DELETE" });

/** Answers a tool's question. */
export const decidePermission = (
  run: string,
  callId: string,
  body: { decision: "allow" | "block" | "rewrite"; reason?: string; arguments?: unknown },
): Promise<unknown> =>
  call(`/api/runs/${encodeURIComponent(run)}/permissions/${encodeURIComponent(callId)}`, {
    method: "POST",
    body,
  });

/** Changes a waiting message. */
export const patchQueued = (id: string, item: string, text: string): Promise<QueueRow> =>
  call(`${session(id)}/queue/${encodeURIComponent(item)}`, {
    method: "PATCH",
    body: { content: text },
  });

/** Takes a waiting message away. */
export const dropQueued = (id: string, item: string): Promise<unknown> =>
  call(`${session(id)}/queue/${encodeURIComponent(item)}`, { method: "DELETE" });

/** Model, thinking level, tools. */
export const changeSettings = (id: string, body: unknown): Promise<unknown> =>
  call(`${session(id)}/settings`, { method: "POST", body });

/** Full text over all sessions. */
export const search = (
  q: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ readonly hits: readonly HitRow[] }> =>
  call("/api/search", { query: { q, limit }, signal });

/** Tokens and cost. */
export const readStats = (by: string, signal?: AbortSignal): Promise<StatsView> =>
  call("/api/stats", { query: { by }, signal });

/** Agents' folders found. */
export const listSources = (
  signal?: AbortSignal,
): Promise<{ readonly sources: readonly SourceRow[] }> => call("/api/sources", { signal });

/** Agrees to reading an agent's folder in place. */
export const consentSource = (agent: string): Promise<unknown> =>
  call("/api/sources", { method: "POST", body: { agent, consent: true } });

/** Models that can be asked. */
export const listModels = (): Promise<{ readonly models: readonly WireModel[] }> =>
  call("/api/models");

/** Adds a model of an OpenAI-compatible address; kept in memory unless `keep`. */
export const addModel = (body: {
  baseUrl: string;
  apiKey: string;
  model: string;
  keep?: boolean;
}): Promise<unknown> => call("/api/models", { method: "POST", body });

/** What redaction takes out of an export. */
export interface ExportReview {
  readonly entries: number;
  readonly changed: number;
  readonly total: number;
  readonly kinds: readonly { readonly kind: string; readonly count: number }[];
  readonly findings: readonly {
    readonly kind: string;
    readonly masked: string;
    readonly placeholder: string;
    readonly count: number;
    readonly entry: string | null;
    readonly place: string;
  }[];
}

/** Counts of what redaction finds, before anything is written. */
export const readExportReview = (
  id: string,
  scope: ExportScope,
  signal?: AbortSignal,
): Promise<ExportReview> => call(`${session(id)}/export/review`, { query: { scope }, signal });

/** Address of an export; the browser saves what it gives. */
export function exportAddress(
  id: string,
  how: { readonly to: string; readonly scope: ExportScope; readonly redact: boolean },
): string {
  const redact = how.redact ? "1" : "0";
  return `${session(id)}/export?${new URLSearchParams({ to: how.to, scope: how.scope, redact })}`;
}
