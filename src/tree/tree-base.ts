import type { LabelInfo, TreeEntry } from "./tree-entry.ts";

/** A branch as it is after the last entry of a base. */
export interface BaseBranch {
  /** "main" or the id of the starting marker. */
  readonly id: string;
  /** Last entry of the branch in file order (an old leaf entry counts as its target); null = before the first entry. */
  readonly head: string | null;
  /** Entries of the branch other than our own state (`branchline.*`) and old leaf moves. */
  readonly entries: number;
}

/** One row of the table of branch names, as `branchMark` reads it. */
export interface BaseMark {
  readonly branch: string;
  /** null or "" takes the name away. Missing = unchanged. */
  readonly name?: string | null;
  readonly archived?: boolean;
}

/** An entry under which nothing hangs but, perhaps, old leaf moves. */
export interface BaseTip {
  readonly id: string;
  readonly ordinal: number;
  /** Id of the branch it lies on. */
  readonly branch: string;
}

/**
 * The first entries of a session in file order, known from an index: ordinals 0 … `size` - 1. A
 * snapshot: whatever the index learns later, every answer stays that of these `size` entries. Only
 * sound sessions have one: ids are unique, every parent stands before its child, nothing is lost, so
 * no entry has a gap. Nothing here is written to or kept beyond the question: entries are compared by
 * ordinal, so that an implementation may forget an entry and make it again.
 */
export interface TreeBase {
  /** Number of entries. */
  readonly size: number;
  /** The entry with this id, or undefined. `parent` of it may be a lazy getter. */
  get(id: string): TreeEntry | undefined;
  /**
   * The entry at a place in file order, or undefined outside of 0 … `size` - 1. Walks along `parent`
   * and rising `at` calls are long: an implementation reads rows in runs, not one by one.
   */
  at(ordinal: number): TreeEntry | undefined;
  /** Children in file order; of null: the roots; of an unknown id: none. */
  children(id: string | null): readonly TreeEntry[];
  /** The deepest entry on the paths of both, which are entries of this base; null where they share none. */
  commonAncestor(a: string, b: string): TreeEntry | null;
  /** The first `limit` ids in file order that begin with `prefix`, letters exactly as they are. */
  withPrefix(prefix: string, limit: number): readonly string[];
  /**
   * Rising ordinals, from `from` up to `to` (excluded), of the `custom` and `custom_message` entries of
   * these custom types, found without making entries. Absent: the entries are gone through.
   */
  customOrdinals?(customTypes: readonly string[], from: number, to: number): readonly number[];
  /** Every branch that any entry lies on, and "main" where a leaf move went before the first entry; in the order of their first entry. */
  readonly branches: readonly BaseBranch[];
  /** Rows of the table of branch names of this session in file order; of older rows only what is still in force need be there. */
  readonly marks: readonly BaseMark[];
  /** Entries, other than old leaf moves, without children other than old leaf moves (and what hangs under those), in file order; heads of branches too. */
  tips(): readonly BaseTip[];
  /** Labels in force; each in the place where its target got a label first since it had none. */
  readonly labels: readonly LabelInfo[];
  /** The session's name in force, or null. */
  readonly name: string | null;
}

/** A base that finds entries of some custom types without going through all of them. */
export type SearchableBase = TreeBase & Required<Pick<TreeBase, "customOrdinals">>;
