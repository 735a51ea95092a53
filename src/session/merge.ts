import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { BranchlineError } from "../errors.ts";
import { contentText, editableContent } from "./entry-content.ts";
import type { Session } from "./session.ts";
import type { AppendOptions } from "./session-handle.ts";

/** What another branch came to. */
export interface MergeNote {
  /** The entry where that branch ends. */
  readonly from: string;
  readonly text: string;
  /** For surfaces; never sent to the model. */
  readonly details?: unknown;
}

/** Longest question and answer that are copied, in UTF-16 units. */
const MAX_COPIED = 20_000;

/** Entries that the path to `from` has beyond the handle's, newest first. Throws TARGET_INVALID for none. */
function beyond(session: Session, from: string): readonly string[] {
  const { tree, leaf } = session;
  const common = tree.commonAncestor(leaf, from)?.id ?? null;
  const ids: string[] = [];
  for (const at of tree.ancestors(from)) {
    if (at.id === common) break;
    ids.push(at.id);
  }
  if (ids.length > 0) return ids;
  throw notMergeable(from, "it is on this path already");
}

function notMergeable(target: string, reason: string): BranchlineError<"TARGET_INVALID"> {
  return new BranchlineError(
    "TARGET_INVALID",
    { target, reason },
    {
      message: `${target} cannot be merged: ${reason}.`,
      hint: "Name the end of another branch; `branchline branch` lists them.",
    },
  );
}

function copied(text: string): string {
  if (text.length <= MAX_COPIED) return text;
  // Half of a character is no text.
  const shown = text.slice(0, MAX_COPIED).replace(/[\uD800-\uDBFF]$/, "");
  return `${shown}\n(cut: ${text.length} characters in all)`;
}

/**
 * What the branch that ends at `from` came to, without a model: its last question and its last answer,
 * word for word, and said to be that. Nothing is written. Throws ENTRY_UNKNOWN, and TARGET_INVALID where
 * `from` is on the path of the leaf or nothing was answered there.
 */
export async function branchConclusion(session: Session, from: string): Promise<MergeNote> {
  let answer: string | null = null;
  let question: string | null = null;
  let messages = 0;
  for (const id of beyond(session, from)) {
    const role = session.tree.get(id)?.role ?? null;
    if (role !== null) messages++;
    const isAnswer = role === "assistant" && answer === null;
    const isQuestion = role === "user" && answer !== null && question === null;
    if (!isAnswer && !isQuestion) continue;
    const entry = await session.store.mustGet(id);
    const text = isFailed(entry) ? "" : contentText(editableContent(entry)).trim();
    if (text === "") continue;
    if (isAnswer) answer = text;
    else question = text;
  }
  if (answer === null) throw notMergeable(from, "nothing was answered there");
  const asked = question === null ? "" : `Its last question was:\n\n${copied(question)}\n\n`;
  const title = `Copied from another branch of this conversation, which has ${messages} messages of its own; nothing else of it is here.`;
  return {
    from,
    text: `${title}\n\n${asked}Its last answer was:\n\n${copied(answer)}`,
    details: { branchline: { copied: true, messages } },
  };
}

function isFailed(entry: Entry): boolean {
  if (!isEntry(entry, "message") || entry.message.role !== "assistant") return false;
  const { stopReason } = entry.message;
  return stopReason === "error" || stopReason === "aborted";
}

/**
 * Appends what another branch came to under the leaf, as Pi's `branch_summary` of the entry where that
 * branch ends; nothing is rewritten, and the branch stays. Throws TARGET_INVALID where `from` is on the
 * path of the leaf, and what an append throws.
 */
export async function mergeBranch(
  session: Session,
  { from, text: summary, details }: MergeNote,
  options?: AppendOptions,
): Promise<Entry> {
  await session.refresh();
  beyond(session, from);
  const draft = { type: "branch_summary", fromId: from, summary };
  const [entry] = await session.append(
    details === undefined ? draft : { ...draft, details },
    options,
  );
  if (entry !== undefined) return entry;
  throw notMergeable(from, "nothing was appended");
}
