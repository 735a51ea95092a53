/**
 * The public surface of Branchline. Import from here; deeper paths may change without notice.
 *
 * @example
 * import { createJsonlStore, Session } from "branchline";
 */
export type {
  ActiveToolsChangeEntry,
  BranchSummaryEntry,
  CompactionEntry,
  ContextEditEntry,
  CustomEntry,
  CustomMessageEntry,
  Entry,
  EntryBase,
  EntryDraft,
  EntryTypes,
  LabelEntry,
  LeafEntry,
  MessageEntry,
  ModelChangeEntry,
  SessionHeader,
  SessionInfoEntry,
  ThinkingLevelChangeEntry,
  UnknownEntry,
  UsageEntry,
} from "./entry/entry.ts";
export { isEntry } from "./entry/entry-check.ts";
export { checkSessionId, isSessionId, newEntryId, newSessionId } from "./entry/ids.ts";
export { encodeEntry, encodeHeader } from "./entry/line-encode.ts";
export type { Block, Content, Message, Usage } from "./entry/message.ts";
export type { LinePlace, Problem, ProblemCode } from "./entry/problem.ts";
export { SessionDecoder } from "./entry/session-decoder.ts";
export {
  BranchlineError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorFields,
  type LockOwner,
  type Place,
} from "./errors.ts";
export {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  exportSession,
  isRedactedByDefault,
  reviewSession,
} from "./export/export.ts";
export type { PageOptions } from "./export/html-export.ts";
export type {
  IndexedSession,
  IndexedSummary,
  IndexListOptions,
  RefreshReport,
  SessionIndex,
} from "./index/session-index.ts";
export { type LocalIndex, type LocalIndexOptions, openLocalIndex } from "./local/local-index.ts";
export { type Context, project } from "./projection/context.ts";
export type { PathStep } from "./projection/cut.ts";
export type { ContextGap } from "./projection/gap-marker.ts";
export { projectRaw, type RawProjection } from "./projection/raw.ts";
export { estimateContextTokens, estimateTokens } from "./projection/token-estimate.ts";
export type { ExportScope } from "./protocol/export.ts";
export type { PersonFacts } from "./redaction/personal-names.ts";
export type { Finding, RedactionReview } from "./redaction/redaction-review.ts";
export {
  type RedactionOptions,
  Redactor,
  redactEntry,
  reviewEntries,
} from "./redaction/redactor.ts";
export { parseQuery, type Query } from "./search/query.ts";
export {
  type SearchHit,
  type SearchOptions,
  type SearchResult,
  searchSessions,
} from "./search/search.ts";
export { type CloneOptions, cloneSession, type ForkOptions, forkSession } from "./session/fork.ts";
export { checkSession, type SessionReport } from "./session/fsck.ts";
export type { MoveOptions, MoveResult, MoveSummary, SelectResult } from "./session/leaf-move.ts";
export type { Operation, OperationKind } from "./session/operations.ts";
export { resolveRevision } from "./session/revision.ts";
export { type RevisionRange, resolveRange } from "./session/revision-range.ts";
export { type AttachOptions, Session } from "./session/session.ts";
export type { ContextOptions, SessionContext } from "./session/session-context.ts";
export type { AppendOptions } from "./session/session-handle.ts";
export type { Capabilities } from "./store/capabilities.ts";
export {
  createJsonlStore,
  type JsonlStore,
  type JsonlStoreOptions,
} from "./store/jsonl/jsonl-store.ts";
export { applyRepair, planRepair, type RepairResult } from "./store/jsonl/repair.ts";
export type { RepairAction, RepairPlan } from "./store/jsonl/repair-plan.ts";
export { createMemoryStore } from "./store/memory/memory-store.ts";
export type {
  CommitRequest,
  CommitResult,
  CreateOptions,
  ListOptions,
  OpenOptions,
  PathLink,
  PathOptions,
  PurgeOptions,
  ScanOptions,
  SessionLink,
  SessionStore,
  SessionSummary,
  StoreEvent,
  StoreSession,
  TrashedSession,
  ValueScope,
  ValueStore,
} from "./store/store.ts";
export type { Fold, ModelRef, UsageTotals } from "./tree/fold.ts";
export { SessionTree } from "./tree/session-tree.ts";
export type { TreeBase } from "./tree/tree-base.ts";
export type { BranchInfo, Gap, LabelInfo, TreeEntry } from "./tree/tree-entry.ts";
