/**
 * The agent harness of Branchline: runs, queues, tools, compaction, models. A subpath of its own, so that
 * who only stores sessions does not load it. Import from here; deeper paths may change without notice.
 *
 * @example
 * import { createHarness, createScriptedModel } from "branchline/harness";
 */
export {
  type BranchSummary,
  type BranchSummaryDetails,
  type BranchSummaryOptions,
  summariseBranch,
} from "../compaction/branch-summary.ts";
export {
  type CompactionDone,
  type CompactionOutcome,
  type CompactionProgress,
  type CompactOptions,
  compact,
} from "../compaction/compact.ts";
export { type CompactionDetails, compactionDetails } from "../compaction/compaction-details.ts";
export { type ContextSize, contextSize, needsCompaction } from "../compaction/context-size.ts";
export { extractiveSummariser } from "../compaction/extractive-summariser.ts";
export type { FactKind } from "../compaction/facts.ts";
export type { FileLists } from "../compaction/file-lists.ts";
export { type LossReport, type LostFact, lossReport } from "../compaction/loss-report.ts";
export {
  modelSummariser,
  type SummaryRequest,
  type SummaryStream,
} from "../compaction/model-summariser.ts";
export { expandCompaction } from "../compaction/originals.ts";
export {
  type CompactionPlan,
  type KeepRecent,
  type PlanOptions,
  planCompaction,
} from "../compaction/plan.ts";
export {
  type RangeOptions,
  type RecallHit,
  type RecallOptions,
  readRange,
  recall,
} from "../compaction/recall.ts";
export { type CompactionRefusal, isRefusal, type RefusalReason } from "../compaction/refusal.ts";
export {
  type CompactionSettings,
  DEFAULT_COMPACTION,
  type ModelCompactionSettings,
  settingsFor,
} from "../compaction/settings.ts";
export type {
  SourcedMessage,
  SummariseOptions,
  Summariser,
  Summary,
  SummaryInput,
} from "../compaction/summariser.ts";
export { AgreedInstructions } from "../local/agreed-instructions.ts";
export { type GitOptions, GitWorkingFiles } from "../local/git-working-files.ts";
export { NodeWorkspace, type NodeWorkspaceOptions } from "../local/node-workspace.ts";
export { usageCost } from "../model/cost.ts";
export { type FailureKind, failureKind, retryAfterMs } from "../model/failure.ts";
export type {
  JsonSchema,
  ModelContext,
  ModelEvent,
  ModelInfo,
  ModelPrices,
  ModelProvider,
  StopReason,
  StreamOptions,
  ToolSpec,
} from "../model/model.ts";
export { createModelTable } from "../model/model-table.ts";
export { createOfflineModel } from "../model/offline-model.ts";
export {
  createScriptedModel,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedRequest,
  type ScriptedStep,
  type ScriptedStepSource,
} from "../model/scripted-model.ts";
export { messagesForModel } from "../model/wire-messages.ts";
export type { PathSettings } from "./config-buffer.ts";
export { createDemoTools, READ_CHARACTERS } from "./demo-tools.ts";
export {
  type AddOptions,
  DurableQueues,
  type OutcomeCommit,
  type QueueParts,
} from "./durable-queues.ts";
export type { CompactionReason, HarnessEvent, HarnessListener, RunOutcome } from "./events.ts";
export {
  type AbortResult,
  type CompactRequest,
  createHarness,
  Harness,
  type HarnessState,
} from "./harness.ts";
export type { HarnessClock } from "./harness-clock.ts";
export type { ContextHook, HarnessOptions, QueueMode } from "./harness-options.ts";
export {
  agreedMessages,
  heldInstructions,
  type InstructionRules,
  type InstructionsCheck,
} from "./instructions.ts";
export type { BranchSummaryChoice, NavigateOptions } from "./navigation.ts";
export type { ConfirmHook, PermissionHook } from "./permission.ts";
export {
  type GoalRow,
  goalDraft,
  type PlanBudget,
  type PlanTask,
  TASK_STATES,
  type TaskState,
  tasksDraft,
} from "./plan-rows.ts";
export {
  NO_PLAN,
  type PlanGate,
  PlanReader,
  type PlanState,
  planGate,
  readPlan,
} from "./plan-state.ts";
export { createPlanTools, type PlanPort, planText } from "./plan-tools.ts";
export type { QueuedMessage, QueueName, QueueOutcome } from "./queue.ts";
export { QueueDesk } from "./queue-desk.ts";
export { createRecallTool } from "./recall-tool.ts";
export {
  INTERRUPTED_TEXT,
  interruptedOutput,
  planResume,
  type ResumeCall,
  type ResumePlan,
  type ResumeStep,
  readTail,
  TURN_LIMIT_TYPE,
} from "./resume-plan.ts";
export { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
export { type RunIdentity, RunJournal } from "./run-journal.ts";
export type { RunResult } from "./run-result.ts";
export type { CallPlace, JournaledCall } from "./run-rows.ts";
export {
  type CallRecord,
  type EndedRun,
  type OpenRun,
  RunState,
  readRunState,
} from "./run-state.ts";
export {
  openHarness,
  STANDARD_PROMPT,
  type StandardAgentOptions,
  type StandardParts,
  standardTools,
} from "./standard-agent.ts";
export type { PendingCall, Permission, Tool, ToolCallContext, ToolOutput } from "./tool.ts";
export type { AfterToolHook } from "./tool-call.ts";
export type { WorkingFiles, WorkingFilesState } from "./working-files.ts";
export type { Workspace, WorkspaceName, WorkspaceText } from "./workspace.ts";
