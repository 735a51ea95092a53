import type { Entry } from "../entry/entry.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { StoreEvent } from "./store.ts";

/**
 * Whether anywhere in a session an entry hangs beside an older one of the same branch: the same rule as
 * that of {@link divergences}, for a whole tree. It says that somebody went on without a mark of ours. The
 * file alone does not tell a second writer from a person who went back in Pi. Linear in the entries.
 */
export function isDiverged(tree: SessionTree): boolean {
  const looked = new Set<number>();
  for (const { ordinal, parent } of tree.entries()) {
    const place = parent?.ordinal ?? -1;
    // Nothing older hangs under the entry just before.
    if (place === ordinal - 1 || looked.has(place)) continue;
    looked.add(place);
    const children = tree.children(parent?.id ?? null).filter(({ isMove }) => !isMove);
    const branches = new Set(children.map(({ fold }) => fold.branch));
    if (branches.size < children.length) return true;
  }
  return false;
}

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
