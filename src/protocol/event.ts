import type { QueueRow, RunState } from "./session.ts";

/**
 * Events of GET /api/events, /api/sessions/:s/events and /api/runs/:r/events (SSE). `id:` is the sequence number
 * of the server's stream, `Last-Event-ID` resumes; `event:` is the type. One stream may serve all sessions.
 */
export interface WireEvent {
  readonly seq: number;
  readonly type: WireEventType;
  readonly sessionId: string | null;
  readonly runId: string | null;
  /** Its shape depends on the type; see {@link EventData}. */
  readonly data: unknown;
}

/** Names of the events (product.md §3b). */
export type WireEventType = keyof EventData;

/** What each event carries in `data`. */
export interface EventData {
  agent_start: { readonly branch: string };
  turn_start: { readonly turn: number };
  message_start: { readonly message: unknown };
  /** Deltas are coalesced; `message` is the answer so far. */
  message_update: { readonly message: unknown };
  message_end: { readonly message: unknown; readonly entryId: string };
  tool_permission: {
    readonly callId: string;
    readonly name: string;
    readonly decision: string;
    readonly question: string | null;
    readonly arguments: unknown;
  };
  tool_execution_start: {
    readonly callId: string;
    readonly name: string;
    readonly arguments: unknown;
  };
  tool_execution_update: {
    readonly callId: string;
    readonly name: string;
    readonly output: unknown;
  };
  tool_execution_end: {
    readonly callId: string;
    readonly name: string;
    readonly output: unknown;
    readonly isError: boolean;
  };
  turn_end: { readonly turn: number };
  save_point: { readonly leaf: string | null };
  agent_end: { readonly outcome: string };
  settled: { readonly nextTurnCount: number };
  retry_scheduled: { readonly attempt: number; readonly delayMs: number; readonly error: string };
  /** Ids of entries that were added, whoever wrote them. */
  entry_appended: {
    readonly entries: readonly string[];
    readonly foreign: boolean;
    readonly revision: string;
    readonly leaf: string | null;
  };
  branch_switch: {
    readonly leafId: string | null;
    readonly previousLeafId: string | null;
    readonly op: string | null;
    readonly by: string;
  };
  branch_updated: { readonly branch: string };
  label_changed: { readonly entry: string; readonly text: string | null };
  context_edit: { readonly entry: string };
  compaction_start: { readonly reason: string };
  compaction: {
    readonly reason: string;
    readonly entryId: string | null;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly error: string | null;
  };
  queue_update: { readonly queue: readonly QueueRow[] };
  usage: { readonly tokens: number };
  op_undone: { readonly op: string };
  op_redone: { readonly op: string };
  diverged: { readonly branch: string; readonly entryId: string };
  session_created: { readonly id: string };
  session_updated: { readonly id: string };
  session_archived: { readonly id: string };
  session_removed: { readonly id: string };
  /** Somebody looked at a session; so many of its entries are seen. */
  session_seen: { readonly id: string; readonly entries: number };
  index_progress: { readonly done: number; readonly total: number; readonly what: string };
  run_done: { readonly outcome: string };
  run_error: { readonly message: string };
  /** Events were lost for this client: ask for everything again. */
  snapshot: { readonly revision: string | null; readonly run: RunState | null };
}
