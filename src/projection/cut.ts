import type { CompactionEntry, Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { uncompactMark } from "../entry/own-state.ts";
import type { Gap } from "../tree/tree-entry.ts";

/** One entry of a path and the gap that stands before it, if any. */
export interface PathStep {
  readonly entry: Entry;
  readonly gap: Gap | null;
}

/** Where a context begins. */
export interface Cut {
  /** The effective compaction and its index on the path; null = none, the whole path speaks. */
  readonly compaction: { readonly entry: Entry; readonly at: number } | null;
  /** Index of the first kept entry; that of the compaction where it keeps nothing. */
  readonly from: number;
  /** Present where the compaction keeps from an entry that is not before it on the path. */
  readonly missing: { readonly id: string | null } | null;
}

interface Found {
  readonly entry: CompactionEntry;
  readonly at: number;
}

/** The compactions that no uncompact mark takes out, newest first, as `activeCompaction` has them. */
function effectiveCompactions(path: readonly PathStep[], session: string): readonly Found[] {
  const compactions: Found[] = [];
  const isOff = new Map<string, boolean>();
  for (let at = path.length - 1; at >= 0; at--) {
    const { entry } = path[at] as PathStep;
    if (entry.type !== "compaction" && entry.type !== "custom") continue;
    if (isEntry(entry, "compaction")) compactions.push({ entry, at });
    const mark = uncompactMark(entry, session);
    // Scanning back, the newest mark of a compaction comes first.
    if (mark !== null && !isOff.has(mark.compaction)) {
      isOff.set(mark.compaction, mark.off !== true);
    }
  }
  return compactions.filter(({ entry }) => isOff.get(entry.id) !== true);
}

/** Scans back from the compaction, since what is kept is mostly near. */
function keptNear(path: readonly PathStep[], { entry, at }: Found): number | null {
  if (entry.firstKeptEntryId === entry.id) return at;
  for (let index = at - 1; index >= 0; index--) {
    if ((path[index] as PathStep).entry.id === entry.firstKeptEntryId) return index;
  }
  return null;
}

/** Where the next older compaction with a usable boundary begins to keep; the root without one. */
function olderBoundary(path: readonly PathStep[], older: readonly Found[]): number {
  const positions = new Map(path.map(({ entry }, index) => [entry.id, index]));
  for (const { entry, at } of older) {
    const index = positions.get(entry.firstKeptEntryId);
    if (index !== undefined && index <= at) return index;
  }
  return 0;
}

/**
 * Finds where the context of a path begins: the newest compaction that is not uncompacted, and what
 * it keeps. A first kept entry that is not on the path before it never drops anything that an older
 * compaction had not left out already (reliability.md §3 row 25, M8, F088, F089). Linear.
 */
export function findCut(path: readonly PathStep[], session: string): Cut {
  const [compaction, ...older] = effectiveCompactions(path, session);
  if (compaction === undefined) return { compaction: null, from: 0, missing: null };
  const from = keptNear(path, compaction);
  if (from !== null) return { compaction, from, missing: null };
  const id: unknown = compaction.entry.firstKeptEntryId;
  return {
    compaction,
    from: olderBoundary(path, older),
    missing: { id: typeof id === "string" ? id : null },
  };
}
