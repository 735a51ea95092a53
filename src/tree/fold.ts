import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { leafMark, uncompactMark } from "../entry/own-state.ts";

/** The model in force. */
export interface ModelRef {
  readonly provider: string;
  readonly modelId: string;
}

/** Tokens and cost (US dollars) summed over a path. */
export interface UsageTotals {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number;
}

/** The compactions of a path, newest first, as a list that paths share. */
export interface CompactionLink {
  readonly id: string;
  readonly firstKeptEntryId: string | null;
  readonly previous: CompactionLink | null;
}

/** The uncompact marks of a path, newest first, as a list that paths share. */
export interface UncompactLink {
  readonly compaction: string;
  /** True = from here on the compaction counts again. */
  readonly off: boolean;
  readonly previous: UncompactLink | null;
}

/**
 * Everything that depends only on an entry's path, carried from parent to child (design.md §1): the
 * settings at any entry are one look-up.
 */
export interface Fold {
  /** Entries on the path, this one included. */
  readonly depth: number;
  /** Id of the branch: "main" or the id of the marker that started it. */
  readonly branch: string;
  readonly model: ModelRef | null;
  /** "off" before the first change, as in Pi. */
  readonly thinkingLevel: string;
  /** null = never set on the path. */
  readonly activeTools: readonly string[] | null;
  /** Id of the newest entry that holds the system prompt. */
  readonly system: string | null;
  readonly compactions: CompactionLink | null;
  readonly uncompacted: UncompactLink | null;
  /** Message entries on the path. */
  readonly messages: number;
  readonly usage: UsageTotals;
}

/** A setting of a path. */
export type SettingName = "model" | "thinkingLevel" | "activeTools";

/** Id of the branch before any starting marker. */
export const MAIN_BRANCH = "main";

/** The value before the first entry of a session. */
export const EMPTY_FOLD: Fold = Object.freeze({
  depth: 0,
  branch: MAIN_BRANCH,
  model: null,
  thinkingLevel: "off",
  activeTools: null,
  system: null,
  compactions: null,
  uncompacted: null,
  messages: 0,
  usage: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 }),
});

type Changes = Partial<Omit<Fold, "depth">>;

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Adds a `usage` member of any shape; what is no number counts as 0. */
export function addUsage(totals: UsageTotals, usage: unknown): UsageTotals {
  if (!isObject(usage)) return totals;
  const cost = isObject(usage.cost) ? amount(usage.cost.total) : 0;
  return {
    input: totals.input + amount(usage.input),
    output: totals.output + amount(usage.output),
    cacheRead: totals.cacheRead + amount(usage.cacheRead),
    cacheWrite: totals.cacheWrite + amount(usage.cacheWrite),
    cost: totals.cost + cost,
  };
}

function messageChanges(parent: Fold, entry: Entry): Changes {
  if (!isEntry(entry, "message")) return {};
  const message = entry.message as Readonly<Record<string, unknown>>;
  const changes: { -readonly [K in keyof Changes]: Changes[K] } = { messages: parent.messages + 1 };
  if (message.role === "system") changes.system = entry.id;
  // Pi takes the model from answers too, so that a model chosen elsewhere is not lost.
  const { provider, model } = message;
  if (message.role === "assistant" && typeof provider === "string" && typeof model === "string") {
    changes.model = { provider, modelId: model };
  }
  if (message.usage !== undefined) changes.usage = addUsage(parent.usage, message.usage);
  return changes;
}

function compactionChanges(parent: Fold, entry: Entry): Changes {
  if (!isEntry(entry, "compaction")) return {};
  const kept: unknown = entry.firstKeptEntryId;
  const link: CompactionLink = {
    id: entry.id,
    firstKeptEntryId: typeof kept === "string" ? kept : null,
    previous: parent.compactions,
  };
  return {
    compactions: link,
    usage: addUsage(parent.usage, entry.usage),
    ...(isObject(entry.systemMessage) ? { system: entry.id } : {}),
  };
}

function customChanges(parent: Fold, entry: Entry, session: string): Changes {
  if (leafMark(entry, session)?.start === true) return { branch: entry.id };
  const mark = uncompactMark(entry, session);
  if (mark === null) return {};
  const link = {
    compaction: mark.compaction,
    off: mark.off === true,
    previous: parent.uncompacted,
  };
  return { uncompacted: link };
}

function changesOf(parent: Fold, entry: Entry, session: string): Changes {
  switch (entry.type) {
    case "message":
      return messageChanges(parent, entry);
    case "compaction":
      return compactionChanges(parent, entry);
    case "custom":
      return customChanges(parent, entry, session);
    case "model_change":
      return isEntry(entry, "model_change")
        ? { model: { provider: entry.provider, modelId: entry.modelId } }
        : {};
    case "thinking_level_change":
      return isEntry(entry, "thinking_level_change") ? { thinkingLevel: entry.thinkingLevel } : {};
    case "active_tools_change":
      return isEntry(entry, "active_tools_change") ? { activeTools: entry.activeToolNames } : {};
    case "usage":
    case "branch_summary":
      return { usage: addUsage(parent.usage, (entry as { readonly usage?: unknown }).usage) };
    default:
      return {};
  }
}

/** The child's value from the parent's and the entry; `session` decides which own state counts. */
export function foldEntry(parent: Fold, entry: Entry, session: string): Fold {
  return { ...parent, ...changesOf(parent, entry, session), depth: parent.depth + 1 };
}

/** The newest compaction of a path that no uncompact mark has taken out of the projection. */
export function activeCompaction(fold: Fold): CompactionLink | null {
  const skipped = newestMarks(fold);
  for (let link = fold.compactions; link !== null; link = link.previous) {
    if (skipped.get(link.id) !== true) return link;
  }
  return null;
}

/** True where the newest mark for this compaction says that projections skip it. */
export function isUncompacted(fold: Fold, compaction: string): boolean {
  return newestMarks(fold).get(compaction) === true;
}

/** By compaction, whether projections skip it: one pass, however many compactions ask. */
function newestMarks(fold: Fold): ReadonlyMap<string, boolean> {
  const skipped = new Map<string, boolean>();
  for (let mark = fold.uncompacted; mark !== null; mark = mark.previous) {
    if (!skipped.has(mark.compaction)) skipped.set(mark.compaction, !mark.off);
  }
  return skipped;
}
