import type { TreeEntry } from "../tree/tree-entry.ts";

/** One change with what is needed to take it back. */
export type Change =
  | {
      readonly kind: "move";
      readonly from: string | null;
      readonly to: string | null;
      /** The branch that was left, where `from` was its head and the move went to another branch. */
      readonly left: string | null;
    }
  | {
      readonly kind: "label";
      readonly targetId: string;
      readonly label: string | null;
      readonly former: string | null;
    }
  | { readonly kind: "name"; readonly name: string | null; readonly former: string | null }
  | {
      readonly kind: "edit";
      readonly at: TreeEntry;
      readonly targetId: string;
      readonly hides: boolean;
    }
  | { readonly kind: "compaction"; readonly at: TreeEntry }
  | {
      readonly kind: "uncompact";
      readonly at: TreeEntry;
      readonly compaction: string;
      readonly off: boolean;
      /** The state before: true = the compaction counted. */
      readonly formerOff: boolean;
    }
  | {
      readonly kind: "branch";
      readonly branch: string;
      readonly name: string | null;
      readonly archived: boolean;
      readonly former: BranchState;
      /** True where the same operation started the branch. */
      readonly created: boolean;
    };

/** Name and archive mark of a branch. */
export interface BranchState {
  readonly name: string | null;
  readonly archived: boolean;
}
