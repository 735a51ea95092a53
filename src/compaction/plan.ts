import { isEntry } from "../entry/entry-check.ts";
import type { Message, SystemMessage } from "../entry/message.ts";
import { throwIfAborted } from "../io/clock.ts";
import { frozenTokens } from "../projection/token-estimate.ts";
import type { Session } from "../session/session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { activeCompaction, type ModelRef } from "../tree/fold.ts";
import { type ContextSize, contextSize, tokenLimit } from "./context-size.ts";
import { type CutBudget, type CutPoint, Cutter } from "./cut-point.ts";
import { FileCollector, type FileLists } from "./file-lists.ts";
import { messageBytes } from "./message-bytes.ts";
import type { CompactionRefusal } from "./refusal.ts";
import { type CompactionSettings, type ModelCompactionSettings, settingsFor } from "./settings.ts";
import type { SourcedMessage } from "./summariser.ts";
import { replaySystem } from "./system-replay.ts";

/** Why a compaction is made: a person asked, a budget was passed, or a provider refused the request. */
export type CompactionReason = "manual" | "threshold" | "overflow";

/**
 * How much at the end stays as it is, in tokens or messages; what would tear a call from its results is
 * kept or taken as a whole. 0 keeps nothing.
 */
export type KeepRecent = { readonly tokens: number } | { readonly messages: number };

/** What a plan is made for. */
export interface PlanOptions {
  readonly reason: CompactionReason;
  /** Default: {@link settingsFor} without settings. */
  readonly settings?: Partial<CompactionSettings> | undefined;
  /** The model of the next request; default: the one in force on the path. */
  readonly model?: ModelRef | null | undefined;
  /** Tokens of its window; null or missing = not known. `settings.contextWindow` goes before it. */
  readonly contextWindow?: number | null | undefined;
  /** Default: `keepRecentTokens` of the settings. */
  readonly keep?: KeepRecent | undefined;
  /** What is sent besides the messages, as in `contextSize`. */
  readonly besides?: { readonly tokens: number; readonly bytes: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a compaction will do. */
export interface CompactionPlan {
  /** The leaf that it was made for. */
  readonly leaf: string | null;
  /** First entry that is kept; null = nothing is kept (the entry then names itself). */
  readonly firstKeptEntryId: string | null;
  /** The compaction that is in force now, and its summary. */
  readonly previous: { readonly entry: string; readonly summary: string } | null;
  /** What is summarised. */
  readonly messages: readonly SourcedMessage[];
  /** The beginning of a turn whose rest is kept (harness.md §6). */
  readonly turnPrefix: readonly SourcedMessage[];
  readonly kept: readonly SourcedMessage[];
  /** System prompt and tools in force: they re-enter word for word (F074). null = the path holds none. */
  readonly systemMessage: SystemMessage | null;
  /** Over all compactions of the path. */
  readonly files: FileLists;
  /** The context as it is. */
  readonly size: ContextSize;
  /** Estimated tokens of the present messages, and of those that stay (system prompt included). */
  readonly estimated: { readonly before: number; readonly staying: number };
  /** Tokens that the next request may have; null = not known. */
  readonly limit: number | null;
  /** Tokens of the whole window; null = not known. */
  readonly window: number | null;
  readonly settings: ModelCompactionSettings;
}

/** Tokens that are left for a summary when it is decided what may stay. */
const SUMMARY_ROOM = 1000;

interface Basis {
  readonly options: PlanOptions;
  readonly context: SessionContext;
  readonly settings: ModelCompactionSettings;
  readonly size: ContextSize;
  readonly systemMessage: SystemMessage | null;
  /** Number of messages that the compaction in force gives. */
  readonly head: number;
  readonly limit: number | null;
  readonly window: number | null;
}

/**
 * Plans a compaction of the path to the handle's leaf, from its context as it would be sent, so that what
 * other branches hold never gets in (F081, F084). Writes nothing. Refuses where nothing can be taken out,
 * or where what has to stay leaves no room. A session that was opened from its end is waited for. Throws
 * ABORTED.
 */
export async function planCompaction(
  session: Session,
  options: PlanOptions,
): Promise<CompactionPlan | CompactionRefusal> {
  throwIfAborted(options.signal);
  await session.whenVerified(options.signal);
  const context = await session.context();
  const { tree } = session;
  const fold = context.at === null ? undefined : tree.get(context.at)?.fold;
  const active = fold === undefined ? null : activeCompaction(fold);
  const basis = basisOf(session, { options, context, active: active?.id ?? null });
  const line = { messages: context.messages, sources: context.sources, head: basis.head };
  const cutter = new Cutter(line, tree);
  const budget = budgetOf(basis, cutter);
  if (budget.roomTokens < 0) return tooLarge(basis);
  const cut = cutter.choose(budget);
  if (cut === null) return nothing(basis);
  return planOf(session, { basis, cut, cutter, active: active?.id ?? null });
}

function basisOf(
  session: Session,
  from: { options: PlanOptions; context: SessionContext; active: string | null },
): Basis {
  const { options, context, active } = from;
  const model = options.model === undefined ? context.model : options.model;
  const settings = settingsFor(options.settings, model);
  const { besides } = options;
  const size = contextSize(context, { tree: session.tree, model, besides });
  const window = settings.contextWindow ?? options.contextWindow ?? null;
  let head = 0;
  while (active !== null && context.sources[head] === active) head++;
  return {
    ...{ options, context, settings, size, head, window },
    systemMessage: replaySystem(context.messages),
    limit: tokenLimit(window, settings),
  };
}

/** Share of the limit, and of the present context, that may stay where the engine found it too large. */
const AUTOMATIC_SHARE = 0.75;

/** Tokens and bytes that may stay beside the system prompt, what is sent besides, and a summary. */
function roomOf({ options, settings, systemMessage, limit }: Basis): {
  readonly tokens: number;
  readonly bytes: number;
} {
  const { tokens, bytes } = options.besides ?? { tokens: 0, bytes: 0 };
  const system = systemMessage === null ? 0 : frozenTokens(systemMessage);
  const systemBytes = systemMessage === null ? 0 : messageBytes(systemMessage);
  const summary = Math.min(SUMMARY_ROOM, Math.floor((limit ?? 0) / 4));
  return {
    tokens: (limit ?? Number.POSITIVE_INFINITY) - tokens - system - summary,
    bytes: (settings.maxBytes ?? Number.POSITIVE_INFINITY) - bytes - systemBytes,
  };
}

/**
 * How much stays. By default never more than half of what the window leaves, so that a small window is
 * not full again at once. Where the engine itself found the context too large, never more than half of
 * what is there by choice and three quarters at all: the estimates must be short of the truth then, and a
 * giant tail has to go (F078).
 */
function budgetOf(basis: Basis, cutter: Cutter): CutBudget {
  const { options, settings, limit, head } = basis;
  const room = roomOf(basis);
  const talk = cutter.tokensFrom(head);
  const isForced = options.reason !== "manual";
  const share = isForced ? AUTOMATIC_SHARE : 1;
  const most = Math.min(
    settings.keepRecentTokens,
    Math.floor((limit ?? Number.POSITIVE_INFINITY) / 2),
    isForced ? Math.floor(talk / 2) : Number.POSITIVE_INFINITY,
  );
  return {
    keep: options.keep ?? { tokens: most },
    keepBytes: room.bytes / 2,
    roomTokens: Math.min(room.tokens * share, isForced ? talk * share : Number.POSITIVE_INFINITY),
    roomBytes: room.bytes * share,
    mayTakeAll: isForced,
  };
}

async function planOf(
  session: Session,
  from: { basis: Basis; cut: CutPoint; cutter: Cutter; active: string | null },
): Promise<CompactionPlan | CompactionRefusal> {
  const { basis, cut, cutter, active } = from;
  const { context, size, limit, window, settings, systemMessage, head } = basis;
  const parts = split(context, head, cut);
  if (parts.messages.length + parts.turnPrefix.length === 0) return nothing(basis);
  const entry = active === null ? undefined : await session.store.get(active);
  const previous = entry !== undefined && isEntry(entry, "compaction") ? entry : null;
  const files = new FileCollector();
  if (previous !== null) files.addDetails(previous.details);
  files.addMessages([...parts.messages, ...parts.turnPrefix].map(({ message }) => message));
  const system = systemMessage === null ? 0 : frozenTokens(systemMessage);
  return {
    ...{ size, limit, window, settings, systemMessage, ...parts },
    leaf: context.at,
    firstKeptEntryId: context.sources[cut.at] ?? null,
    previous: previous === null ? null : { entry: previous.id, summary: previous.summary },
    files: files.lists(),
    estimated: { before: context.tokens, staying: system + cutter.tokensFrom(cut.at) },
  };
}

function split(
  { messages, sources }: SessionContext,
  head: number,
  { at, turnStart }: CutPoint,
): Pick<CompactionPlan, "messages" | "turnPrefix" | "kept"> {
  const talk = (from: number, to: number): readonly SourcedMessage[] => {
    const part: SourcedMessage[] = [];
    for (let index = from; index < to; index++) {
      const message = messages[index] as Message;
      if (message.role !== "system") part.push({ entry: sources[index] as string, message });
    }
    return part;
  };
  return {
    messages: talk(head, turnStart),
    turnPrefix: talk(turnStart, at),
    kept: talk(at, messages.length),
  };
}

function nothing({ size, head, context }: Basis): CompactionRefusal {
  const count = context.messages.length - head;
  return {
    refused: "nothing-to-compact",
    message: `There is nothing to compact: all ${count} messages (${size.tokens} tokens) stay as they are.`,
  };
}

function tooLarge({ options, limit, window, systemMessage }: Basis): CompactionRefusal {
  const system = systemMessage === null ? 0 : frozenTokens(systemMessage);
  const fixed = system + (options.besides?.tokens ?? 0);
  return {
    refused: "too-large",
    message:
      `The system prompt and tools (${fixed} tokens) leave no room in the window: ` +
      `${limit} of its ${window} tokens may be used. Choose a model with a larger window.`,
  };
}
