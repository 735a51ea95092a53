import type { Entry } from "../../entry/entry.ts";
import { isEntry } from "../../entry/entry-check.ts";
import { EMPTY_FOLD, type Fold, foldEntry, MAIN_BRANCH } from "../../tree/fold.ts";
import type { SessionTree } from "../../tree/session-tree.ts";
import type { PlanStep, PlanTree } from "../commit-plan.ts";

interface PlannedEntry {
  readonly entry: Entry;
  readonly fold: Fold;
}

/**
 * A session's tree with the entries of a batch that is not written yet, as far as deciding the next
 * commit of the batch needs it. The tree itself stays as it is until they are on disk, so that nobody
 * reads what may fail (P5).
 */
export class PlannedTree implements PlanTree {
  readonly #tree: SessionTree;
  readonly #planned = new Map<string, PlannedEntry>();
  /** By branch, where the planned entries changed it. */
  readonly #heads = new Map<string, string | null>();

  constructor(tree: SessionTree) {
    this.#tree = tree;
  }

  /** Puts a planned entry behind all others; its parent is there. */
  add(entry: Entry): void {
    const fold = foldEntry(this.#foldOf(entry.parentId), entry, this.#tree.session);
    this.#planned.set(entry.id, { entry, fold });
    const leaf = this.#leafOf(entry);
    this.#heads.set(leaf === null ? MAIN_BRANCH : this.#foldOf(leaf).branch, leaf);
  }

  has(id: string): boolean {
    return this.#planned.has(id) || this.#tree.has(id);
  }

  branch(id: string): { readonly id: string } | undefined {
    return this.#heads.has(id) ? { id } : this.#tree.branch(id);
  }

  head(branch: string): string | null {
    const planned = this.#heads.get(branch);
    return planned === undefined ? this.#tree.head(branch) : planned;
  }

  *ancestors(id: string | null): IterableIterator<PlanStep> {
    let at = id;
    for (let planned = this.#find(at); planned !== undefined; planned = this.#find(at)) {
      yield stepOf(planned.entry);
      at = planned.entry.parentId;
    }
    yield* this.#tree.ancestors(at);
  }

  #find(id: string | null): PlannedEntry | undefined {
    return id === null ? undefined : this.#planned.get(id);
  }

  #foldOf(id: string | null): Fold {
    const at = id === null ? undefined : (this.#planned.get(id) ?? this.#tree.get(id));
    return at?.fold ?? EMPTY_FOLD;
  }

  /** What the entry makes the leaf: itself, but an old leaf entry moves to its target. */
  #leafOf(entry: Entry): string | null {
    if (!isEntry(entry, "leaf")) return entry.id;
    const { targetId } = entry;
    return targetId === null || this.has(targetId) ? targetId : entry.parentId;
  }
}

function stepOf(entry: Entry): PlanStep {
  const { id, type } = entry;
  const isCustom = isEntry(entry, "custom") || isEntry(entry, "custom_message");
  return { id, type, customType: isCustom ? entry.customType : null };
}
