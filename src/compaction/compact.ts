import type { CompactionEntry, EntryDraft } from "../entry/entry.ts";
import { newEntryId, type RandomBytes } from "../entry/ids.ts";
import type { CompactionSummaryMessage, Message } from "../entry/message.ts";
import { throwIfAborted } from "../io/clock.ts";
import { estimateTokens } from "../projection/token-estimate.ts";
import { platformRandom } from "../session/platform.ts";
import type { Session } from "../session/session.ts";
import { leafMatches } from "../store/commit-plan.ts";
import { appendCompaction } from "./append-compaction.ts";
import type { CompactionDetails } from "./compaction-details.ts";
import { withFiles, withoutFiles } from "./file-lists.ts";
import { brakeRefusal } from "./loop-brake.ts";
import { type LossReport, lossReportSteps } from "./loss-report.ts";
import { type CompactionPlan, type PlanOptions, planCompaction } from "./plan.ts";
import { type CompactionRefusal, isRefusal } from "./refusal.ts";
import { settingsFor } from "./settings.ts";
import { inSlices } from "./slices.ts";
import type { SourcedMessage, Summariser, Summary, SummaryInput } from "./summariser.ts";
import { summaryFault } from "./summary-check.ts";
import { PROMPT_TOKENS } from "./summary-prompt.ts";

/** How far a compaction is. */
export type CompactionProgress =
  /** `summarised` = number of messages that a summary will stand for. */
  | { readonly type: "planned"; readonly tokensBefore: number; readonly summarised: number }
  /** The summary as it comes. */
  | { readonly type: "text"; readonly delta: string };

/** How a compaction is made. */
export interface CompactOptions extends PlanOptions {
  readonly summariser: Summariser;
  /** What the summary should give weight to. */
  readonly instructions?: string | undefined;
  readonly onProgress?: ((progress: CompactionProgress) => void) | undefined;
  /** The leaf that the caller believes in; where it is another one, the compaction is refused. */
  readonly expectedLeaf?: string | null | undefined;
  /** Source of the entry's id; default: the random source of the platform. */
  readonly random?: RandomBytes | undefined;
}

/** A compaction that was written. */
export interface CompactionDone {
  /** The durable entry. */
  readonly entry: CompactionEntry;
  /** Tokens of the context before and after: usage as far as it is known, else estimated (F072). */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the new context does not hold; also in the entry's details. */
  readonly loss: LossReport;
  readonly plan: CompactionPlan;
}

/** What became of it. Narrow it with `isRefusal`. */
export type CompactionOutcome = CompactionDone | CompactionRefusal;

/** Share of the reserve that a summary may take, as in Pi. */
const SUMMARY_SHARE = 0.8;

/** A summary that may be used, with the entry it becomes. */
interface Prepared {
  readonly draft: EntryDraft & { readonly id: string };
  readonly tokensAfter: number;
  readonly loss: LossReport;
}

/**
 * Compacts the path to the handle's leaf: one `compaction` entry under it, durable when this resolves
 * (F073), in Pi's shape, so that Pi 1.6.0 reads it. The originals stay in the session: `recall` finds
 * them, `expandCompaction` reads them, `session.uncompact` and `session.undo` bring them back. Nothing is
 * written before the summary is whole (F082), and nothing at all where it is refused: an unusable
 * summary, a context that would not become smaller, a compaction nobody asked for while they are switched
 * off (F085) or bring nothing (F075). What others append meanwhile stays behind it. Throws ABORTED and what
 * an append throws.
 *
 * @example
 * const outcome = await compact(session, { reason: "manual", summariser: extractiveSummariser() });
 * if (isRefusal(outcome)) console.log(outcome.message);
 * else console.log(outcome.tokensBefore, outcome.tokensAfter, outcome.loss.items);
 */
export async function compact(
  session: Session,
  options: CompactOptions,
): Promise<CompactionOutcome> {
  throwIfAborted(options.signal);
  await session.whenVerified(options.signal);
  await session.refresh();
  const refused = await refusalBefore(session, options);
  if (refused !== null) return refused;
  const plan = await planCompaction(session, options);
  if (isRefusal(plan)) return plan;
  const tokensBefore = plan.size.tokens;
  const count = plan.messages.length + plan.turnPrefix.length;
  options.onProgress?.({ type: "planned", tokensBefore, summarised: count });
  const prepared = await summarised(plan, options);
  if (isRefusal(prepared)) return prepared;
  const strict = options.expectedLeaf !== undefined;
  const { draft, tokensAfter, loss } = prepared;
  const entry = await appendCompaction(session, { draft, leaf: plan.leaf, strict });
  return isRefusal(entry) ? entry : { entry, tokensBefore, tokensAfter, loss, plan };
}

/** What a planned compaction would come to. */
export type CompactionPreview = Pick<CompactionDone, "tokensAfter" | "loss">;

/**
 * What {@link compact} would make of a plan with this summariser; writes nothing. Give it one that asks no model,
 * where the preview shall cost nothing. Throws ABORTED and what reading throws.
 */
export async function previewCompaction(
  plan: CompactionPlan,
  options: CompactOptions,
): Promise<CompactionPreview | CompactionRefusal> {
  const prepared = await summarised(plan, options);
  if (isRefusal(prepared)) return prepared;
  const { tokensAfter, loss } = prepared;
  return { tokensAfter, loss };
}

/** Has the summary written and makes of it what would be appended. */
async function summarised(
  plan: CompactionPlan,
  options: CompactOptions,
): Promise<Prepared | CompactionRefusal> {
  const { onProgress, signal } = options;
  const summary = await options.summariser.summarise(inputOf(plan, options), {
    signal,
    onText: onProgress && ((delta) => onProgress({ type: "text", delta })),
  });
  throwIfAborted(signal);
  return summaryFault(summary) ?? (await prepare(plan, options, summary));
}

async function refusalBefore(
  session: Session,
  options: CompactOptions,
): Promise<CompactionRefusal | null> {
  const { reason, expectedLeaf, settings, model } = options;
  if (expectedLeaf !== undefined && !leafMatches(session.tree, session.leaf, expectedLeaf)) {
    const message = `The leaf is ${session.leaf ?? "root"}, not ${expectedLeaf ?? "root"}.`;
    return { refused: "leaf-moved", message };
  }
  if (reason === "manual") return null;
  const fold = session.leaf === null ? undefined : session.tree.get(session.leaf)?.fold;
  const { enabled, brakeAfter } = settingsFor(
    settings,
    model === undefined ? (fold?.model ?? null) : model,
  );
  if (enabled) return brakeRefusal(session, brakeAfter);
  return {
    refused: "off",
    message:
      "The context is too large and compaction is switched off. Compact by hand, hide what is not " +
      "needed, or switch it on.",
  };
}

function inputOf(plan: CompactionPlan, options: CompactOptions): SummaryInput {
  const { window, settings, previous } = plan;
  const reserve =
    window === null
      ? settings.reserveTokens
      : Math.min(settings.reserveTokens, Math.floor(window / 2));
  const maxTokens = Math.floor(reserve * SUMMARY_SHARE);
  return {
    kind: "compaction",
    previousSummary: previous === null ? null : withoutFiles(previous.summary),
    messages: plan.messages,
    turnPrefix: plan.turnPrefix,
    kept: plan.kept,
    files: plan.files,
    instructions: options.instructions ?? null,
    maxTokens,
    inputTokens: window === null ? null : window - maxTokens - PROMPT_TOKENS,
  };
}

/** The entry, once it is sure that it makes the context smaller and that the context then fits. */
async function prepare(
  plan: CompactionPlan,
  options: CompactOptions,
  summary: Summary,
): Promise<Prepared | CompactionRefusal> {
  const { size, estimated, window, previous } = plan;
  const text = withFiles(summary.text.trim(), plan.files);
  const spoken: CompactionSummaryMessage = {
    role: "compactionSummary",
    summary: text,
    tokensBefore: size.tokens,
    timestamp: 0,
  };
  const after = estimated.staying + estimateTokens(spoken);
  // Both ends in the same measure: what the estimate misses before, it misses behind.
  // What is sent besides the messages stays as large as it is.
  const besides = Math.min(options.besides?.tokens ?? 0, size.tokens);
  const scale = (size.tokens - besides) / Math.max(1, estimated.before);
  const tokensAfter = Math.floor(besides + after * scale);
  if (after >= estimated.before) return notShrinking(estimated.before, after);
  if (window !== null && tokensAfter > window) return stillTooLarge(tokensAfter, window);
  const before: readonly SourcedMessage[] = [
    ...(previous === null ? [] : [previousMessage(previous)]),
    ...plan.messages,
    ...plan.turnPrefix,
  ];
  const loss = await inSlices(lossReportSteps(before, afterMessages(plan, spoken)), options.signal);
  const draft = draftOf(plan, { options, summary, text, tokensAfter, loss });
  return { draft, tokensAfter, loss };
}

/** What the summary before this one said is dropped too where the new one does not say it. */
function previousMessage({ entry, summary }: { entry: string; summary: string }): SourcedMessage {
  const message: CompactionSummaryMessage = {
    role: "compactionSummary",
    summary: withoutFiles(summary),
    tokensBefore: 0,
    timestamp: 0,
  };
  return { entry, message };
}

function afterMessages(plan: CompactionPlan, spoken: Message): readonly Message[] {
  const system = plan.systemMessage === null ? [] : [plan.systemMessage];
  return [...system, spoken, ...plan.kept.map(({ message }) => message)];
}

function draftOf(
  plan: CompactionPlan,
  made: {
    readonly options: CompactOptions;
    readonly summary: Summary;
    readonly text: string;
    readonly tokensAfter: number;
    readonly loss: LossReport;
  },
): EntryDraft & { readonly id: string } {
  const { options, summary, text, tokensAfter, loss } = made;
  const id = newEntryId(options.random ?? platformRandom);
  const branchline: CompactionDetails = {
    reason: options.reason,
    summariser: options.summariser.name,
    extractive: options.summariser.isExtractive,
    tokensAfter,
    messages: plan.messages.length + plan.turnPrefix.length,
    split: plan.turnPrefix.length > 0,
    loss,
  };
  const { readFiles, modifiedFiles } = plan.files;
  return {
    type: "compaction",
    id,
    summary: text,
    firstKeptEntryId: plan.firstKeptEntryId ?? id,
    tokensBefore: plan.size.tokens,
    details: { readFiles, modifiedFiles, branchline },
    ...(summary.usage === undefined ? {} : { usage: summary.usage }),
    ...(plan.systemMessage === null ? {} : { systemMessage: plan.systemMessage }),
  };
}

function notShrinking(before: number, after: number): CompactionRefusal {
  return {
    refused: "not-shrinking",
    message: `The new context would not be smaller: ${after} tokens instead of ${before}. Nothing was changed.`,
  };
}

function stillTooLarge(after: number, window: number): CompactionRefusal {
  return {
    refused: "too-large",
    message: `Even compacted, the context has ${after} tokens; the window holds ${window}. Nothing was changed.`,
  };
}
