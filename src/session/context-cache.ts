import type { Context, GrowingContext } from "../projection/context.ts";
import { EMPTY_FOLD } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { growingContextAt, type PathSource, readSteps } from "./path-context.ts";

/** A context and the entry it was taken at. */
interface Kept {
  readonly tree: SessionTree;
  readonly relinks: number;
  readonly growing: GrowingContext;
  last: TreeEntry;
  context: Context;
}

/**
 * The contexts of one handle. The last one is kept, and where the next entry asked for lies below its entry, it
 * is extended by what is new on the path instead of being made again. What may change earlier parts
 * (compaction, edit, uncompact, gap, another branch, links that were taken back) makes it anew. The
 * answer is the same either way.
 */
export class ContextCache {
  readonly #store: PathSource;
  #kept: Kept | null = null;

  constructor(store: PathSource) {
    this.#store = store;
  }

  /** The context at an entry of the tree; null = before the first one. Frozen. */
  async at(id: string | null): Promise<Context> {
    const { tree } = this.#store;
    const at = id === null ? undefined : tree.get(id);
    const kept = this.#kept;
    const added = kept === null || at === undefined ? null : newSteps(kept, tree, at);
    if (kept === null || at === undefined || added === null) return this.#make(at);
    const from = kept.last;
    const steps = await readSteps(this.#store, added);
    // Another question may have moved the kept context on while this one was reading.
    if (this.#kept !== kept || kept.last !== from) return this.at(id);
    for (const step of steps) if (!kept.growing.add(step)) return this.#make(at);
    if (steps.length > 0) kept.context = kept.growing.context(at.fold);
    kept.last = at;
    return kept.context;
  }

  async #make(at: TreeEntry | undefined): Promise<Context> {
    const { tree } = this.#store;
    const { relinks } = tree;
    this.#kept = null;
    const growing = await growingContextAt(this.#store, at?.id ?? null);
    const context = growing.context(at?.fold ?? EMPTY_FOLD);
    if (at !== undefined) this.#kept = { tree, relinks, growing, last: at, context };
    return context;
  }
}

/** What lies on the path below the kept entry, leaf first; null where the path does not run through it. */
function newSteps(kept: Kept, tree: SessionTree, at: TreeEntry): readonly TreeEntry[] | null {
  if (kept.tree !== tree || kept.relinks !== tree.relinks) return null;
  const { ordinal } = kept.last;
  const steps: TreeEntry[] = [];
  let up: TreeEntry | null = at;
  // What is new stands behind the kept entry in the file, so nothing is walked on an older branch.
  for (; up !== null && up.ordinal > ordinal; up = up.parent) steps.push(up);
  return up !== null && up.ordinal === ordinal ? steps : null;
}
