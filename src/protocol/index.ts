/** The wire types of the HTTP API and its events (`branchline/protocol`). */
export type { EventData, WireEvent, WireEventType } from "./event.ts";
export type {
  DiffRow,
  DiffSide,
  DiffTotals,
  DiffView,
  ErrorBody,
  HealthView,
  HitRow,
  MoveAnswer,
  OperationRow,
  StatsView,
} from "./operation.ts";
export type {
  BranchRow,
  Facet,
  FlagCounts,
  LabelRow,
  QueueRow,
  RunState,
  SessionPage,
  SessionRow,
  SessionState,
  WireModel,
  WireUsage,
} from "./session.ts";
export type {
  ContextCurve,
  ContextPart,
  ContextView,
  EntryPreview,
  HeldText,
  KindCode,
  PathWindow,
  TranscriptRow,
  TreeColumns,
} from "./tree.ts";
