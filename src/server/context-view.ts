import { createHash } from "node:crypto";
import { isEntry, isObject } from "../entry/entry-check.ts";
import type { Message, SystemMessage } from "../entry/message.ts";
import { heldInstructions, type InstructionsCheck } from "../harness/instructions.ts";
import { frozenTokens } from "../projection/token-estimate.ts";
import type { ContextPart, ContextView } from "../protocol/tree.ts";
import { contentWords, entryText } from "../session/entry-preview.ts";
import type { SessionContext } from "../session/session-context.ts";
import { activeCompaction, type CompactionLink } from "../tree/fold.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { isShown, kindOf } from "../view/entry-kind.ts";
import { shortText } from "../view/entry-view.ts";
import { heldTexts } from "./held-texts.ts";
import type { ServerCore } from "./server-core.ts";
import type { SessionHost } from "./session-host.ts";

/** Entries that are not sent, of which the view tells. */
const MOST_UNSENT = 1000;
/** Tokens that are kept free for the answer (harness.md). */
const RESERVE = 16_384;

/** A view and the messages that it tells of. */
export interface MadeView {
  readonly view: ContextView;
  readonly messages: readonly Message[];
  /** The messages that a run would send. */
  readonly sent: readonly Message[];
}

/** What the model sees at an entry; the view itself has no whole messages. */
export async function contextView(
  core: ServerCore,
  host: SessionHost,
  at: string | null,
): Promise<MadeView> {
  const { session, store } = host;
  const isHere = at === session.leaf;
  const context = await session.context(isHere ? {} : { at });
  const fold = (at === null ? undefined : store.tree.get(at))?.fold;
  const compaction = fold === undefined ? null : activeCompaction(fold);
  const model = context.model;
  const { model: answering } = await core.models.answering({ tree: store.tree, leaf: at });
  const instructions: InstructionsCheck = (message) => core.instructions.has(message);
  const held = await heldInstructions(context.messages, { instructions });
  const parts = partsOf(host, context, compaction);
  const texts = heldTexts(host, context, held);
  const view: ContextView = {
    at,
    model,
    contextWindow: answering?.contextWindow ?? null,
    reserve: RESERVE,
    thinkingLevel: context.thinkingLevel,
    activeTools: context.activeTools,
    tokens: context.tokens,
    parts: parts.map((part, index) => {
      const message = context.messages[index] as Message;
      if (held.has(message)) return { ...part, held: true };
      return isAgreed(core, message) ? { ...part, agreed: true } : part;
    }),
    messages: [],
    unsent: await unsentOf(host, context),
    gaps: context.gaps.length,
    ...(texts.length > 0 && { held: texts }),
    compaction: await compactionView(host, compaction),
  };
  const sent = context.messages.filter((message) => !held.has(message));
  return { view, messages: context.messages, sent };
}

/** Instructions of the session that are sent are agreed to, unless they are our own. */
function isAgreed({ instructions }: ServerCore, message: Message): boolean {
  return message.role === "system" && !instructions.isOwn(message as SystemMessage);
}

/** One part a message; each prefix hash stands on the one before. */
function partsOf(
  host: SessionHost,
  { messages, sources }: SessionContext,
  compaction: CompactionLink | null,
): readonly ContextPart[] {
  const { tree } = host.store;
  const summaryAt = compaction === null ? -1 : (tree.get(compaction.id)?.ordinal ?? -1);
  let prefix = "";
  return messages.map((message, index) => {
    const entry = sources[index] as string;
    prefix = createHash("sha256")
      .update(prefix)
      .update(JSON.stringify(message))
      .digest("hex")
      .slice(0, 16);
    const ordinal = tree.get(entry)?.ordinal ?? 0;
    return {
      entry,
      role: message.role,
      part: partOf(message, ordinal, summaryAt),
      tokens: frozenTokens(message),
      text: shortText(messageText(message)),
      prefix,
    };
  });
}

function partOf(message: Message, ordinal: number, summaryAt: number): ContextPart["part"] {
  if (message.role === "system") return "system";
  if (message.role === "compactionSummary" || message.role === "branchSummary") return "summary";
  return ordinal < summaryAt ? "kept" : "new";
}

function messageText(message: Message): string {
  const members: Readonly<Record<string, unknown>> = isObject(message) ? message : {};
  if (typeof members.summary === "string") return members.summary;
  if (message.role === "bashExecution") return `$ ${String(members.command)}`;
  return contentWords(members.content);
}

interface Unsent {
  readonly at: TreeEntry;
  readonly before: number;
}

/** What lies on the path and is not sent; the newest thousand. */
async function unsentOf(
  host: SessionHost,
  context: SessionContext,
): Promise<ContextView["unsent"]> {
  const selected = new Set(context.entries);
  const left = unsentEntries(host, context).reverse();
  const entries = await host.store.getAll(left.map(({ at }) => at.id));
  return left.map(({ at, before }, index) => {
    const entry = entries[index];
    return {
      entry: at.id,
      before,
      why: whyNot(at, selected),
      text: entry === undefined ? "" : shortText(entryText(entry), 120),
      tokens: host.skeleton.tokensAt(at.ordinal),
    };
  });
}

/** Leaf first; `before` is the index of the first message that comes from below. */
function unsentEntries(host: SessionHost, { at, sources }: SessionContext): Unsent[] {
  const firsts = new Map<string, number>();
  for (const [index, id] of sources.entries()) if (!firsts.has(id)) firsts.set(id, index);
  const left: Unsent[] = [];
  let before = sources.length;
  for (const entry of host.store.tree.ancestors(at)) {
    const index = firsts.get(entry.id);
    if (index !== undefined) before = Math.min(before, index);
    else if (isShown(entry)) left.push({ at: entry, before });
    if (left.length >= MOST_UNSENT) break;
  }
  return left;
}

type Why = ContextView["unsent"][number]["why"];

function whyNot(at: TreeEntry, selected: ReadonlySet<string>): Why {
  if ("okxnl.gv".includes(kindOf(at))) return "state";
  return selected.has(at.id) ? "hidden" : "compacted";
}

async function compactionView(
  host: SessionHost,
  link: CompactionLink | null,
): Promise<ContextView["compaction"]> {
  if (link === null) return null;
  const entry = await host.store.mustGet(link.id);
  if (!isEntry(entry, "compaction")) return null;
  const details: unknown = entry.details;
  const own = isObject(details) ? details.branchline : undefined;
  return {
    entry: link.id,
    tokensBefore: typeof entry.tokensBefore === "number" ? entry.tokensBefore : 0,
    summary: String(entry.summary),
    loss: isObject(own) ? (own.loss ?? null) : null,
  };
}
