import type { AssistantMessage, Content, Message, SystemMessage, Usage } from "./message.ts";

/**
 * The immutable records of a session: Pi v3 entry types (formats.md §2), plus `active_tools_change`
 * and `leaf` of pi-agent-core 0.80. Wire names are Pi's. Entries read from a file may hold more
 * members than these; they are kept exactly.
 */
export interface EntryBase {
  readonly type: string;
  /** Unique within the session; any string of 1 to 256 characters. Ours have 80 random bits. */
  readonly id: string;
  /** The entry this one hangs under; null = a root. */
  readonly parentId: string | null;
  /** ISO 8601 time. Order is file order, never this. */
  readonly timestamp: string;
}

/** What the model and people said: one message of any role. */
export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly message: Message;
}

/** From here on the path uses this model. */
export interface ModelChangeEntry extends EntryBase {
  readonly type: "model_change";
  readonly provider: string;
  readonly modelId: string;
}

/** From here on the path uses this thinking level. */
export interface ThinkingLevelChangeEntry extends EntryBase {
  readonly type: "thinking_level_change";
  readonly thinkingLevel: string;
}

/** From here on the path offers these tools (pi-agent-core 0.80). */
export interface ActiveToolsChangeEntry extends EntryBase {
  readonly type: "active_tools_change";
  readonly activeToolNames: readonly string[];
}

/** Tokens and cost that belong to no message. */
export interface UsageEntry extends EntryBase {
  readonly type: "usage";
  readonly kind: string;
  readonly provider?: string;
  readonly model?: string;
  readonly usage: Usage;
  readonly note?: string;
}

/** Stands for the older path in projections. `firstKeptEntryId` = own id keeps nothing. */
export interface CompactionEntry extends EntryBase {
  readonly type: "compaction";
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: unknown;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
  readonly systemMessage?: SystemMessage;
}

/** Summary of a branch that was left. `fromId` = the leaf that was left, or "root". */
export interface BranchSummaryEntry extends EntryBase {
  readonly type: "branch_summary";
  readonly fromId: string;
  readonly summary: string;
  readonly details?: unknown;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
}

/** Changes what the model sees of another entry on the path. `replacement: null` hides it. */
export interface ContextEditEntry extends EntryBase {
  readonly type: "context_edit";
  readonly targetId: string;
  readonly replacement: { readonly content: Content } | null;
}

/** State of an extension, or our own (`customType` = `branchline.*`). Never in the context. */
export interface CustomEntry extends EntryBase {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: unknown;
}

/** A message that an extension put into the context. */
export interface CustomMessageEntry extends EntryBase {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: Content;
  readonly display: boolean;
  readonly details?: unknown;
}

/** Names an entry, session-wide; the latest row of a target wins, no label = cleared. */
export interface LabelEntry extends EntryBase {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

/** Names the session; the latest row wins, an empty name clears it. */
export interface SessionInfoEntry extends EntryBase {
  readonly type: "session_info";
  readonly name?: string;
}

/** A leaf move of pi-agent-core 0.80. Counts as its target, which the next entry hangs under. */
export interface LeafEntry extends EntryBase {
  readonly type: "leaf";
  readonly targetId: string | null;
}

/** An entry of a type we do not know, or of a known type with a wrong shape: kept, ignored. */
export interface UnknownEntry extends EntryBase {
  readonly [member: string]: unknown;
}

/** Every entry type with a meaning, by its wire name. */
export interface EntryTypes {
  message: MessageEntry;
  model_change: ModelChangeEntry;
  thinking_level_change: ThinkingLevelChangeEntry;
  active_tools_change: ActiveToolsChangeEntry;
  usage: UsageEntry;
  compaction: CompactionEntry;
  branch_summary: BranchSummaryEntry;
  context_edit: ContextEditEntry;
  custom: CustomEntry;
  custom_message: CustomMessageEntry;
  label: LabelEntry;
  session_info: SessionInfoEntry;
  leaf: LeafEntry;
}

/** Any entry. Narrow it with `isEntry`, which also checks the shape. */
export type Entry = EntryTypes[keyof EntryTypes] | UnknownEntry;

type Draft<E> = E extends EntryBase
  ? Omit<E, "id" | "parentId" | "timestamp"> & Partial<Pick<E, "id" | "parentId" | "timestamp">>
  : never;

/**
 * An entry to be appended. `id` and `timestamp` are made where missing; a missing `parentId` chains
 * the draft under the previous one of its commit, the first under the head of the branch.
 */
export type EntryDraft = Draft<EntryTypes[keyof EntryTypes]> | Draft<UnknownEntry>;

/** Assistant message entries carry model and usage; a shorthand for the fold. */
export type AssistantEntry = MessageEntry & { readonly message: AssistantMessage };

/** The first line of a session file. */
export interface SessionHeader {
  readonly type: "session";
  /** Pi's format version: absent = 1; we write 3. */
  readonly version?: number;
  readonly id: string;
  readonly timestamp: string;
  readonly cwd: string;
  /** Path or id of the session this one was forked from. Shown, never followed by itself. */
  readonly parentSession?: string;
  /** Present in files that we made. A higher `format` than ours opens read-only. */
  readonly branchline?: { readonly format: number };
  readonly [member: string]: unknown;
}
