import type { Entry } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import { throwIfAborted } from "../io/clock.ts";
import type { Session } from "../session/session.ts";
import { activeCompaction, type CompactionLink } from "../tree/fold.ts";
import { isOwn } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";

/** Entries that are read at once. */
const PAGE = 256;

/** Reads entries page by page, so that a range of any length costs one page of memory. */
export async function* readPages(
  session: Session,
  ids: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Entry, void, undefined> {
  for (let from = 0; from < ids.length; from += PAGE) {
    throwIfAborted(signal);
    yield* await session.store.getAll(ids.slice(from, from + PAGE));
  }
}

/** The compaction in force at the handle's leaf, or null. */
export function compactionInForce(session: Session): CompactionLink | null {
  const at = session.leaf === null ? undefined : session.tree.get(session.leaf);
  return at === undefined ? null : activeCompaction(at.fold);
}

/** The compaction with this id. Throws TARGET_INVALID where it is none. */
export function mustBeCompaction(session: Session, id: string): TreeEntry {
  const at = session.tree.get(id);
  if (at?.type === "compaction") return at;
  throw new BranchlineError(
    "TARGET_INVALID",
    { target: id, reason: "no compaction" },
    {
      message: `${id} is no compaction.`,
      hint: "`branchline tree` shows the compactions of the session.",
    },
  );
}

/** A compaction's link and the one that was in force above it. */
function linksOf(at: TreeEntry): { own: CompactionLink | null; before: CompactionLink | null } {
  const { compactions } = at.fold;
  const own = compactions?.id === at.id ? compactions : null;
  return { own, before: at.parent === null ? null : activeCompaction(at.parent.fold) };
}

/** True for what a reader wants to see: neither our own state nor an old leaf move. */
function isShown(at: TreeEntry): boolean {
  return !isOwn(at) && !at.isMove;
}

/**
 * Ids of the entries that a compaction stands for, in the order of the path: from where the compaction in
 * force before it kept to before the first entry that it keeps itself. Of a first kept entry that is not on
 * the path before it, everything above it. Linear in the path down to that boundary, payloads unread.
 */
export function originalIds(session: Session, compaction: string): readonly string[] {
  const { own, before } = linksOf(mustBeCompaction(session, compaction));
  const ids: string[] = [];
  let keepsFrom: number | null = null;
  for (const at of session.tree.ancestors(compaction)) {
    if (at.id === compaction) continue;
    if (isShown(at)) ids.push(at.id);
    if (at.id === own?.firstKeptEntryId) keepsFrom = ids.length;
    if (before !== null && at.id === before.firstKeptEntryId) break;
    // A compaction that kept nothing is the boundary itself; its summary went into the one after it.
    if (before !== null && at.id === before.id && before.firstKeptEntryId === before.id) break;
  }
  return ids.slice(keepsFrom ?? 0).reverse();
}

/**
 * The original entries behind a compaction's summary, in the order of the path, read page by page;
 * default: the compaction in force at the handle's leaf. The compaction before it may be expanded in its turn. Throws
 * TARGET_INVALID where it is no compaction or none is in force.
 */
export async function* expandCompaction(
  session: Session,
  compaction?: string,
): AsyncGenerator<Entry, void, undefined> {
  await session.whenVerified();
  const id = compaction ?? compactionInForce(session)?.id;
  if (id === undefined) {
    throw new BranchlineError(
      "TARGET_INVALID",
      { target: session.leaf ?? "root", reason: "no compaction" },
      { message: "No compaction is in force here." },
    );
  }
  yield* readPages(session, originalIds(session, id));
}
