import { isObject } from "../entry/entry-check.ts";
import type { Message } from "../entry/message.ts";
import { UNCOMPACT_TYPE } from "../entry/own-state.ts";
import { frozenTokens } from "../projection/token-estimate.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { ModelRef } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import { messageBytes } from "./message-bytes.ts";
import type { ModelCompactionSettings } from "./settings.ts";

/** How large the request for a context is. */
export interface ContextSize {
  /** Real usage as far as it is known, estimated behind it. */
  readonly tokens: number;
  /** Bytes of the request, images included. */
  readonly bytes: number;
  /** The entry whose usage was counted; null = all is estimated. */
  readonly calibratedBy: string | null;
}

/** What a size is measured with. */
export interface SizeOptions {
  /** The tree of the session: what changed the context behind an answer makes its usage stale. */
  readonly tree: SessionTree;
  /** The model of the next request; null = any. */
  readonly model: ModelRef | null;
  /** What is sent besides the messages of the context (tools, a system prompt of the caller). */
  readonly besides?: { readonly tokens: number; readonly bytes: number } | undefined;
}

/** An answer whose usage tells how large its request was. */
interface Measured {
  readonly at: number;
  readonly tokens: number;
  readonly model: ModelRef;
}

/** Answers that were cut off report what had come until then, if anything. */
const UNMEASURED: ReadonlySet<unknown> = new Set(["error", "aborted"]);

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

function measuredTokens(message: Message): number {
  const { role, stopReason, usage }: Record<string, unknown> = { ...message };
  if (role !== "assistant" || UNMEASURED.has(stopReason) || !isObject(usage)) return 0;
  const { input, output, cacheRead, cacheWrite, totalTokens } = usage;
  const sum = amount(input) + amount(output) + amount(cacheRead) + amount(cacheWrite);
  return amount(totalTokens) || sum;
}

function lastMeasured({ messages }: SessionContext): Measured | null {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as Message;
    const tokens = measuredTokens(message);
    if (tokens === 0) continue;
    const { provider, model }: Record<string, unknown> = { ...message };
    return { at, tokens, model: { provider: String(provider), modelId: String(model) } };
  }
  return null;
}

/**
 * True where the context of the answer is no longer the beginning of the present one: a compaction, an
 * uncompact mark, or an edit of something above it lies between. Such usage would trigger again and again.
 */
function isStale(tree: SessionTree, at: string | null, answer: string): boolean {
  const edited = new Set<string>();
  for (const entry of tree.ancestors(at)) {
    edited.delete(entry.id);
    if (entry.id === answer) break;
    if (entry.type === "compaction" || entry.customType === UNCOMPACT_TYPE) return true;
    if (entry.type === "context_edit" && entry.targetId !== null) edited.add(entry.targetId);
  }
  return edited.size > 0;
}

/** The messages that were summed last for a tree, and their bytes. */
const summed = new WeakMap<SessionTree, { readonly messages: readonly Message[]; bytes: number }>();

function isBeginning(before: readonly Message[], messages: readonly Message[]): boolean {
  if (before.length > messages.length) return false;
  for (let at = 0; at < before.length; at++) if (before[at] !== messages[at]) return false;
  return true;
}

/** Bytes of the messages. Contexts grow at their end: what was summed for the last one is not asked again. */
function contextBytes(tree: SessionTree, messages: readonly Message[]): number {
  const last = summed.get(tree);
  const isGrown = last !== undefined && isBeginning(last.messages, messages);
  let bytes = isGrown ? last.bytes : 0;
  for (let at = isGrown ? last.messages.length : 0; at < messages.length; at++) {
    bytes += messageBytes(messages[at] as Message);
  }
  summed.set(tree, { messages, bytes });
  return bytes;
}

/**
 * How large the request for a context is: the usage of the last answer, as long as its context is the
 * beginning of this one, and the estimate of what came after it; without such an answer all is
 * estimated. Usage that is less than half of the estimate is not believed, and that of another model
 * never makes it smaller than the estimate: a provider that reports too little must not hold compactions
 * back for good.
 */
export function contextSize(context: SessionContext, options: SizeOptions): ContextSize {
  const { tree, model, besides = { tokens: 0, bytes: 0 } } = options;
  const { messages, sources } = context;
  const bytes = besides.bytes + contextBytes(tree, messages);
  const estimated = context.tokens + besides.tokens;
  const last = lastMeasured(context);
  const answer = last === null ? undefined : sources[last.at];
  if (last === null || answer === undefined || isStale(tree, context.at, answer)) {
    return { tokens: estimated, bytes, calibratedBy: null };
  }
  let real = last.tokens;
  for (const message of messages.slice(last.at + 1)) real += frozenTokens(message);
  const isSame =
    model === null ||
    (model.provider === last.model.provider && model.modelId === last.model.modelId);
  const least = isSame ? Math.floor(estimated / 2) : estimated;
  if (real < least) return { tokens: least, bytes, calibratedBy: null };
  return { tokens: real, bytes, calibratedBy: answer };
}

/**
 * Tokens that a request may have: the window less the reserve for the answer, which is never more than
 * half of it. null = not known.
 */
export function tokenLimit(
  window: number | null,
  settings: ModelCompactionSettings,
): number | null {
  const known = settings.contextWindow ?? window;
  if (known === null) return null;
  return known - Math.min(settings.reserveTokens, Math.floor(known / 2));
}

/**
 * Whether a compaction is due, and by which budget: `contextTokens > contextWindow − reserveTokens`, or
 * more bytes than a request may have (F065). `window` in tokens; null = not known, then bytes alone
 * decide. Switched off means "no" (F085).
 */
export function needsCompaction(
  size: Pick<ContextSize, "tokens" | "bytes">,
  window: number | null,
  settings: ModelCompactionSettings,
): "no" | "tokens" | "bytes" {
  if (!settings.enabled) return "no";
  const limit = tokenLimit(window, settings);
  if (limit !== null && size.tokens > limit) return "tokens";
  return settings.maxBytes !== null && size.bytes > settings.maxBytes ? "bytes" : "no";
}
