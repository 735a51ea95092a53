import {
  activeCompaction,
  type CompactionLink,
  EMPTY_FOLD,
  type Fold,
  isUncompacted,
} from "./fold.ts";
import type { SessionTree } from "./session-tree.ts";

/** Which part of a path its context holds, by depth. */
export interface PathCut {
  /** Id and depth of the compaction in force; null = there is none. */
  readonly compaction: { readonly id: string; readonly depth: number } | null;
  /** Depth of the first entry that speaks; 0 = all do. */
  readonly from: number;
}

const WHOLE: PathCut = { compaction: null, from: 0 };

/**
 * Where the context at an entry begins, from the tree alone and as the projection has it: a first kept entry
 * that is not on the path above its compaction drops nothing that an older one had not left out
 * (reliability.md §3 row 25, M8).
 */
export function pathCut(tree: SessionTree, leaf: string | null): PathCut {
  const fold = (leaf === null ? undefined : tree.get(leaf))?.fold ?? EMPTY_FOLD;
  const active = fold.compactions === null ? null : activeCompaction(fold);
  const at = active === null ? undefined : tree.get(active.id);
  if (active === null || at === undefined) return WHOLE;
  return { compaction: { id: at.id, depth: at.fold.depth }, from: keptFrom(tree, fold, active) };
}

function keptFrom(tree: SessionTree, fold: Fold, active: CompactionLink): number {
  for (let link: CompactionLink | null = active; link !== null; link = link.previous) {
    const counts = link === active || !isUncompacted(fold, link.id);
    const depth = counts ? keptDepth(tree, link) : null;
    if (depth !== null) return depth;
  }
  return 0;
}

/** null where what it keeps from is not on the path at or above it. */
function keptDepth(
  tree: SessionTree,
  { id, firstKeptEntryId: kept }: CompactionLink,
): number | null {
  const at = kept === null ? undefined : tree.get(kept);
  const isAbove = at !== undefined && tree.commonAncestor(at.id, id)?.id === at.id;
  return isAbove ? at.fold.depth : null;
}
