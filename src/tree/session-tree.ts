import type { Entry } from "../entry/entry.ts";
import { OWN_PREFIX } from "../entry/own-state.ts";
import { BranchTable } from "./branch-table.ts";
import { type Fold, foldEntry, type SettingName } from "./fold.ts";
import { LabelTable } from "./label-table.ts";
import { type LinkedEntry, Linker } from "./linker.ts";
import type { TreeBase } from "./tree-base.ts";
import type { BranchInfo, LabelInfo, TreeEntry } from "./tree-entry.ts";

/** A part of the file that held an entry which cannot be read. */
export interface LostEntry {
  readonly id: string | null;
  /** undefined = not known. */
  readonly parentId: string | null | undefined;
}

/**
 * The tree of one session: links, fold, branches, labels, names, leaf. Pure and in memory; holds what
 * is known of each entry without its payload. Adding is O(1); links and folds are worked out on the
 * next question, in one pass, so that a parent may come later in the file than its children. A tree may
 * start from a base, the first entries as an index knows them: all answers are as if they had been
 * added, and only what is added on top is held.
 */
export class SessionTree {
  readonly session: string;
  readonly #base: TreeBase | null;
  readonly #linker: Linker;
  #branches: BranchTable;
  #labels: LabelTable;
  #relinks = 0;
  /** Entries that the tables know of. */
  #tabled: number;

  /** `session` is the session's id: own state of other sessions has no effect (design.md §2). */
  constructor(session: string, base: TreeBase | null = null) {
    this.session = session;
    this.#base = base;
    const fold = (parent: Fold, entry: Entry): Fold => foldEntry(parent, entry, session);
    this.#linker = new Linker(fold, base);
    this.#branches = new BranchTable(session, base);
    this.#labels = new LabelTable(base);
    this.#tabled = this.#linker.start;
  }

  /** Number of entries. */
  get size(): number {
    return this.#linker.size;
  }

  /** Adds the next entry in file order. False where its id is taken: the first entry stands (M4). */
  add(entry: Entry): boolean {
    return this.#linker.add(entry);
  }

  /** The same for an entry whose id was just found to be free: no look-up in the base. */
  addNew(entry: Entry): void {
    this.#linker.addNew(entry);
  }

  /** Says that an entry was lost at this place in file order; later gaps are bridged with it. */
  addLost(lost: LostEntry): void {
    this.#linker.addLost(lost);
  }

  /** Takes the last `count` added entries away again (a failed write, P5). */
  rollback(count: number): void {
    this.#linker.rollback(count);
  }

  /** How often links that were given out before have been taken back (a late parent, a rollback). */
  get relinks(): number {
    this.#settle();
    return this.#relinks;
  }

  /** True where history is missing somewhere. */
  get hasGaps(): boolean {
    this.#settle();
    return this.#linker.gaps > 0;
  }

  /** The entry's place, or undefined. */
  get(id: string): TreeEntry | undefined {
    this.#settle();
    return this.#linker.get(id);
  }

  /** True where an entry has this id. */
  has(id: string): boolean {
    return this.#linker.get(id) !== undefined;
  }

  /** The entry at a place in file order, from 0. */
  at(ordinal: number): TreeEntry | undefined {
    this.#settle();
    return this.#linker.at(ordinal);
  }

  /** All entries in file order. */
  *entries(): IterableIterator<TreeEntry> {
    this.#settle();
    for (let ordinal = 0; ordinal < this.size; ordinal++)
      yield this.#linker.at(ordinal) as TreeEntry;
  }

  /**
   * Places in file order, from `from` up to `to` (excluded), of the `custom` and `custom_message` entries
   * of these custom types: what an index knows is not gone through.
   */
  customOrdinals(customTypes: readonly string[], from: number, to: number): readonly number[] {
    const { start } = this.#linker;
    const end = Math.min(to, start);
    const known = from < end ? this.#base?.customOrdinals?.(customTypes, from, end) : [];
    const found = [...(known ?? [])];
    const wanted = new Set(customTypes);
    for (
      let ordinal = known === undefined ? from : Math.max(from, start);
      ordinal < to;
      ordinal++
    ) {
      const at = ordinal < start ? this.#base?.at(ordinal) : this.#linker.added(ordinal);
      if (at?.customType != null && wanted.has(at.customType)) found.push(ordinal);
    }
    return found;
  }

  /** Children in file order; of null: the roots. */
  children(id: string | null): readonly TreeEntry[] {
    this.#settle();
    return this.#linker.children(id);
  }

  /** From the entry up to its root, the entry first. null gives nothing. */
  *ancestors(id: string | null): IterableIterator<TreeEntry> {
    this.#settle();
    let at: TreeEntry | null = id === null ? null : (this.#linker.get(id) ?? null);
    for (; at !== null; at = at.parent) yield at;
  }

  /** Root → entry, gaps bridged. null gives the empty path. */
  path(id: string | null): readonly TreeEntry[] {
    return [...this.ancestors(id)].reverse();
  }

  /** Root → entry as Pi sees it: it ends below a gap. */
  rawPath(id: string | null): readonly TreeEntry[] {
    const path: TreeEntry[] = [];
    for (const at of this.ancestors(id)) {
      path.push(at);
      if (at.gap !== null) break;
    }
    return path.reverse();
  }

  /** The deepest entry that lies on both paths, or null. */
  commonAncestor(a: string | null, b: string | null): TreeEntry | null {
    this.#settle();
    let left = a === null ? null : (this.#linker.get(a) ?? null);
    let right = b === null ? null : (this.#linker.get(b) ?? null);
    const { start } = this.#linker;
    while (left !== null && right !== null && left.ordinal !== right.ordinal) {
      if (left.ordinal < start && right.ordinal < start) {
        return this.#base?.commonAncestor(left.id, right.id) ?? null;
      }
      // Nothing of the base hangs under what was added, so the added one of two has to go up.
      const added = left.ordinal >= start && right.ordinal >= start;
      const isLeft = added ? left.fold.depth >= right.fold.depth : left.ordinal >= start;
      if (isLeft) left = left.parent;
      else right = right.parent;
    }
    return left !== null && right !== null ? left : null;
  }

  /** The first `limit` ids in file order that begin with `prefix`, letters exactly as they are. */
  withPrefix(prefix: string, limit: number): readonly string[] {
    const ids = [...(this.#base?.withPrefix(prefix, limit) ?? [])];
    for (let at = this.#linker.start; at < this.size && ids.length < limit; at++) {
      const { id } = this.#linker.added(at) as LinkedEntry;
      if (id.startsWith(prefix)) ids.push(id);
    }
    return ids;
  }

  /** The stored leaf: the last entry in file order, an old leaf entry counts as its target. */
  leaf(): string | null {
    this.#settle();
    const last = this.#linker.at(this.size - 1);
    return last === undefined ? null : this.#leafOf(last);
  }

  /** The nearest entry at or above `id` that is not `branchline.*`; null where there is none. */
  position(id: string | null): string | null {
    for (const at of this.ancestors(id)) if (!isOwn(at)) return at.id;
    return null;
  }

  /** Branches that hold anything or have a name, then the tips that head no branch. */
  branches(): readonly BranchInfo[] {
    this.#settle();
    return this.#branches.list(this.#linker, this.leaf());
  }

  /** The same without the tips: takes as long as there are branches, not entries. */
  branchRows(): readonly BranchInfo[] {
    this.#settle();
    return this.#branches.rows(this.#linker, this.leaf());
  }

  /** The branch with this id or name; "main" always exists. */
  branch(idOrName: string): BranchInfo | undefined {
    this.#settle();
    return this.#branches.find(idOrName);
  }

  /** Id of the branch that an entry lies on; null (before the first entry) lies on "main". */
  branchOf(id: string | null): string {
    this.#settle();
    return (id === null ? undefined : this.#linker.get(id))?.fold.branch ?? "main";
  }

  /** Last entry of a branch in file order, or null before its first. */
  head(branch: string): string | null {
    this.#settle();
    return this.#branches.head(branch);
  }

  /** Settings at an entry that are only likely; none but where only the end of the path was read yet. */
  unproven(_id: string | null): readonly SettingName[] {
    return [];
  }

  /** All labels in force, by target. */
  labels(): ReadonlyMap<string, LabelInfo> {
    this.#settle();
    return this.#labels.labels;
  }

  /** The session's name in force, or null. */
  name(): string | null {
    this.#settle();
    return this.#labels.name;
  }

  #leafOf(last: TreeEntry): string | null {
    if (!last.isMove) return last.id;
    if (last.targetId === null) return null;
    return this.#linker.get(last.targetId)?.id ?? last.parent?.id ?? null;
  }

  #settle(): void {
    if (this.#linker.link()) {
      this.#relinks++;
      this.#resetTables();
    }
    for (; this.#tabled < this.size; this.#tabled++) {
      const at = this.#linker.added(this.#tabled) as LinkedEntry;
      this.#branches.add(at, at.isMove ? this.#target(at) : at);
      this.#labels.add(at);
    }
  }

  #target(at: LinkedEntry): TreeEntry | null {
    const leaf = this.#leafOf(at);
    return leaf === null ? null : (this.#linker.get(leaf) as TreeEntry);
  }

  #resetTables(): void {
    this.#branches = new BranchTable(this.session, this.#base);
    this.#labels = new LabelTable(this.#base);
    this.#tabled = this.#linker.start;
  }
}

/** True for the tree's view of our own state. */
export function isOwn(at: TreeEntry): boolean {
  return at.type === "custom" && at.customType !== null && at.customType.startsWith(OWN_PREFIX);
}
