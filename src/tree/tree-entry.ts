import type { Fold } from "./fold.ts";

/** Why the link between an entry and the one shown above it is not the stored one. */
export interface Gap {
  /** "missing-parent": the stored parent cannot be read. "cycle": the stored links run in a circle. */
  readonly reason: "missing-parent" | "cycle";
  /** The stored parent. */
  readonly missingId: string;
}

/** An entry's place in the tree: what is known of it without its payload. */
export interface TreeEntry {
  readonly id: string;
  /** The parent as the file states it. */
  readonly storedParentId: string | null;
  /** The parent in the tree: the stored one, or across a gap the nearest readable entry. */
  readonly parent: TreeEntry | null;
  /** Present where history is missing between `parent` and this entry (P7). */
  readonly gap: Gap | null;
  readonly type: string;
  /** Role of a message entry, else null. */
  readonly role: string | null;
  /** Custom type of `custom` and `custom_message` entries, else null. */
  readonly customType: string | null;
  /** What a label, context edit or old leaf entry names, else null. */
  readonly targetId: string | null;
  readonly timestamp: string;
  /** True for a leaf move of pi-agent-core 0.80: it stands for its target (null = the root). */
  readonly isMove: boolean;
  /** Place in file order, from 0. */
  readonly ordinal: number;
  readonly fold: Fold;
}

/** A branch or, where another program made siblings inside one, a further tip of it. */
export interface BranchInfo {
  /** "main", the id of the starting marker, or of a tip that heads no branch. */
  readonly id: string;
  readonly kind: "branch" | "tip";
  readonly name: string | null;
  /** Last entry of the branch in file order; null = before the first entry. */
  readonly head: string | null;
  readonly archived: boolean;
  /** Entries of the branch other than our own state and old leaf moves. */
  readonly entries: number;
}

/** A label in force. */
export interface LabelInfo {
  readonly targetId: string;
  readonly label: string;
  /** The entry that set it. */
  readonly entryId: string;
  readonly timestamp: string;
}
