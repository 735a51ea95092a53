import type { Entry } from "../entry/entry.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { StoreEvent } from "./store.ts";

/** The event that says that a branch has got siblings which nobody asked for. */
export type DivergedEvent = Extract<StoreEvent, { readonly type: "diverged" }>;

/**
 * Tells where entries that somebody else added hang beside earlier ones of the same branch
 * (design.md §2). A marker that starts a branch lies on its own branch, so it never counts; neither do
 * old leaf moves. Call it after the entries were added to the tree.
 */
export function divergences(tree: SessionTree, added: readonly Entry[]): readonly DivergedEvent[] {
  return added.flatMap(({ id }) => {
    const at = tree.get(id);
    if (at === undefined || at.isMove) return [];
    const isOlderSibling = tree
      .children(at.parent?.id ?? null)
      .some(
        (child) =>
          child.ordinal < at.ordinal && !child.isMove && child.fold.branch === at.fold.branch,
      );
    return isOlderSibling ? [{ type: "diverged", branch: at.fold.branch, entryId: id }] : [];
  });
}
