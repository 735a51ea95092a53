import { isEntry } from "../entry/entry-check.ts";
import type { Message, Usage } from "../entry/message.ts";
import { throwIfAborted } from "../io/clock.ts";
import { frozenTokens } from "../projection/token-estimate.ts";
import type { Session } from "../session/session.ts";
import { FileCollector, type FileLists, withFiles } from "./file-lists.ts";
import type { CompactionRefusal } from "./refusal.ts";
import type { SourcedMessage, Summariser, SummaryInput } from "./summariser.ts";
import { summaryFault } from "./summary-check.ts";
import { PROMPT_TOKENS } from "./summary-prompt.ts";

/** Which branch is summarised, and how. */
export interface BranchSummaryOptions {
  /** The leaf that is left; null = before the first entry. */
  readonly from: string | null;
  /** Where the leaf goes. */
  readonly to: string | null;
  readonly summariser: Summariser;
  /** What the summary should give weight to. */
  readonly instructions?: string | undefined;
  /** Most estimated tokens of the messages that are summarised, the newest first; default 100,000. */
  readonly budget?: number | undefined;
  /** Most tokens of the summary; default 4,000, and never more than a quarter of the window. */
  readonly maxTokens?: number | undefined;
  /** Tokens of the summariser's window: what does not fit into it is summarised in steps. null = not known. */
  readonly contextWindow?: number | null | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onText?: ((delta: string) => void) | undefined;
}

/** What our branch summaries hold in `details`, Pi's file lists first. */
export interface BranchSummaryDetails extends FileLists {
  readonly branchline: {
    readonly summariser: string;
    readonly extractive: boolean;
    /** Number of messages that the summary was made from, and of older ones that the budget left out. */
    readonly messages: number;
    readonly leftOut: number;
  };
}

/** A summary for `session.moveLeaf`, which writes it with `fromId` = the leaf that was left. */
export interface BranchSummary {
  readonly text: string;
  readonly details: BranchSummaryDetails;
  /** What the summary cost; undefined where no model was asked. */
  readonly usage?: Usage | undefined;
}

const DEFAULT_BUDGET = 100_000;
const DEFAULT_MAX_TOKENS = 4000;

/** The newest messages that fit; at least one. */
function newest(messages: readonly SourcedMessage[], budget: number): readonly SourcedMessage[] {
  let left = budget;
  let from = messages.length;
  while (from > 0) {
    left -= frozenTokens((messages[from - 1] as SourcedMessage).message);
    if (left < 0 && from < messages.length) break;
    from--;
  }
  return messages.slice(from);
}

/** What the model saw of the entries that only the path to `from` holds. */
async function leftMessages(
  session: Session,
  from: string,
  common: string | null,
): Promise<{ readonly entries: ReadonlySet<string>; readonly messages: SourcedMessage[] }> {
  const entries = new Set<string>();
  for (const at of session.tree.ancestors(from)) {
    if (at.id === common) break;
    entries.add(at.id);
  }
  const { messages, sources } = await session.context({ at: from });
  const left: SourcedMessage[] = [];
  for (const [at, message] of messages.entries()) {
    const entry = sources[at] as string;
    if (message.role !== "system" && entries.has(entry)) left.push({ entry, message });
  }
  return { entries, messages: left };
}

/** Files of the branch: of its calls, and of the compactions and summaries on it. */
async function filesOf(
  session: Session,
  left: { readonly entries: ReadonlySet<string>; readonly messages: readonly SourcedMessage[] },
): Promise<FileLists> {
  const files = new FileCollector();
  const summaries = [...left.entries].filter((id) => {
    const type = session.tree.get(id)?.type;
    return type === "compaction" || type === "branch_summary";
  });
  for (const entry of await session.store.getAll(summaries.reverse())) {
    const isOne = isEntry(entry, "compaction") || isEntry(entry, "branch_summary");
    if (isOne) files.addDetails(entry.details);
  }
  files.addMessages(left.messages.map(({ message }): Message => message));
  return files.lists();
}

/**
 * Summarises what a move of the leaf leaves: the entries of the path to `from` below its common ancestor
 * with the path to `to`, as the model saw them there (the same projection as a request, compactions and
 * edits in force), the newest first within the budget (harness.md §5). Writes nothing: hand the result to
 * `moveLeaf` as its `summary`. Refuses where nothing is left, or where the summary is not usable. Throws
 * ENTRY_UNKNOWN, ABORTED.
 */
export async function summariseBranch(
  session: Session,
  options: BranchSummaryOptions,
): Promise<BranchSummary | CompactionRefusal> {
  const { from, to, summariser, signal, onText, budget = DEFAULT_BUDGET } = options;
  throwIfAborted(signal);
  await session.whenVerified(signal);
  const common = session.tree.commonAncestor(from, to)?.id ?? null;
  if (from === null || from === common) return nothingLeft();
  const left = await leftMessages(session, from, common);
  if (left.messages.length === 0) return nothingLeft();
  const files = await filesOf(session, left);
  const messages = newest(left.messages, budget);
  const summary = await summariser.summarise(
    {
      ...{ kind: "branch", previousSummary: null, messages, turnPrefix: [], kept: [], files },
      instructions: options.instructions ?? null,
      ...limitsOf(options, budget),
    },
    { signal, onText },
  );
  throwIfAborted(signal);
  const fault = summaryFault(summary);
  if (fault !== null) return fault;
  const { name, isExtractive: extractive } = summariser;
  const leftOut = left.messages.length - messages.length;
  const branchline = { summariser: name, extractive, messages: messages.length, leftOut };
  const text = withFiles(summary.text.trim(), files);
  return { text, details: { ...files, branchline }, usage: summary.usage };
}

/** What one request of the summariser may hold. */
function limitsOf(
  { contextWindow = null, maxTokens = DEFAULT_MAX_TOKENS }: BranchSummaryOptions,
  budget: number,
): Pick<SummaryInput, "maxTokens" | "inputTokens"> {
  if (contextWindow === null) return { maxTokens, inputTokens: budget };
  const most = Math.min(maxTokens, Math.floor(contextWindow / 4));
  return { maxTokens: most, inputTokens: Math.min(budget, contextWindow - most - PROMPT_TOKENS) };
}

function nothingLeft(): CompactionRefusal {
  return { refused: "nothing-to-compact", message: "The move leaves nothing that was said." };
}
