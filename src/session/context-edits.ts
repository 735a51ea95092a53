import type { CompactionEntry, ContextEditEntry, Entry, EntryDraft } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import type { Content } from "../entry/message.ts";
import { type OperationMark, UNCOMPACT_TYPE, type UncompactMark } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { activeCompaction, isUncompacted } from "../tree/fold.ts";
import { contentFor, editableContent, isEditable, isSameContent } from "./entry-content.ts";
import type { SessionHandle } from "./session-handle.ts";

/** What a context edit puts in the place of an entry's content; null hides the entry. */
export type Replacement = ContextEditEntry["replacement"];

/**
 * Leaves an entry out of the context, from here on along the path. Gives the id of the operation, or
 * null where it is hidden already. Throws ENTRY_UNKNOWN, TARGET_INVALID.
 */
export async function hide(handle: SessionHandle, target: string): Promise<string | null> {
  return edit(handle, target, () => null);
}

/** Shows the model another content. Result and codes as for {@link hide}. */
export async function replace(
  handle: SessionHandle,
  target: string,
  content: Content,
): Promise<string | null> {
  return edit(handle, target, (entry) => ({ content: contentFor(entry, content) }));
}

/**
 * Shows the model the original content again, written as a replacement since Pi needs one. Nothing is
 * written where no edit is in force. Result and codes as for {@link hide}.
 */
export async function unhide(handle: SessionHandle, target: string): Promise<string | null> {
  return edit(handle, target, (entry) => ({ content: editableContent(entry) }));
}

async function edit(
  handle: SessionHandle,
  target: string,
  wanted: (entry: Entry) => Replacement,
): Promise<string | null> {
  await handle.store.refresh();
  handle.mustFind(target);
  const entry = await handle.store.mustGet(target);
  if (!isEditable(entry))
    throw invalid(target, "only messages of users, models, tools and extensions can be edited");
  if (!handle.isOnPath(target)) throw invalid(target, "it is not on the path of the leaf");
  const replacement = wanted(entry);
  if (isSameReplacement(replacement, await replacementAt(handle, handle.leaf, entry))) return null;
  const op = handle.newOp();
  await handle.commitHere([contextEdit(target, replacement, { op })]);
  return op;
}

/** The replacement of `target` in force at an entry; the original content where there is none. */
export async function replacementAt(
  handle: SessionHandle,
  at: string | null,
  target: Entry,
): Promise<Replacement> {
  for (const above of handle.tree.ancestors(at)) {
    if (above.type !== "context_edit" || above.targetId !== target.id) continue;
    const entry = await handle.store.mustGet(above.id);
    if (isEntry(entry, "context_edit")) return entry.replacement;
  }
  return { content: editableContent(target) };
}

/** A context edit that belongs to an operation. */
export function contextEdit(
  targetId: string,
  replacement: Replacement,
  data: OperationMark,
): EntryDraft {
  return { type: "context_edit", targetId, replacement, data };
}

/**
 * Makes the context below skip a compaction; default: the one in force at the leaf. Gives the id of
 * the operation, or null where it is skipped already. Throws ENTRY_UNKNOWN, TARGET_INVALID.
 */
export async function uncompact(
  handle: SessionHandle,
  compaction?: CompactionEntry["id"],
): Promise<string | null> {
  await handle.store.refresh();
  const fold = handle.leaf === null ? null : handle.mustFind(handle.leaf).fold;
  const id = compaction ?? (fold === null ? null : activeCompaction(fold))?.id;
  if (id === undefined) throw invalid(handle.leaf ?? "root", "no compaction is in force here");
  const isCompaction = handle.mustFind(id).type === "compaction";
  if (!isCompaction) throw invalid(id, "it is no compaction");
  if (fold === null || !handle.isOnPath(id)) throw invalid(id, "it is not on the path of the leaf");
  if (isUncompacted(fold, id)) return null;
  const op = handle.newOp();
  await handle.commitHere([uncompactEntry({ session: handle.store.id, op, compaction: id })]);
  return op;
}

/** An uncompact mark. */
export function uncompactEntry(data: UncompactMark): EntryDraft {
  return { type: "custom", customType: UNCOMPACT_TYPE, data };
}

function isSameReplacement(a: Replacement, b: Replacement): boolean {
  if (a === null || b === null) return a === b;
  return isSameContent(a.content, b.content);
}

function invalid(target: string, reason: string): BranchlineError<"TARGET_INVALID"> {
  return new BranchlineError(
    "TARGET_INVALID",
    { target, reason },
    {
      message: `The entry ${target} cannot be the target: ${reason}.`,
      hint: "`branchline log` lists the entries of the path with their ids.",
    },
  );
}
