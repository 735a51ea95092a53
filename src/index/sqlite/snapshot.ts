import type { BaseBranch, BaseMark, BaseTip } from "../../tree/tree-base.ts";
import type { LabelInfo } from "../../tree/tree-entry.ts";

/** What a tree base knows besides its entries, as of one number of entries; stored as JSON. */
export interface Snapshot {
  /** Number of entries that it is about. */
  readonly size: number;
  readonly branches: readonly BaseBranch[];
  readonly marks: readonly BaseMark[];
  readonly tips: readonly BaseTip[];
  readonly labels: readonly LabelInfo[];
  readonly name: string | null;
}

/** The snapshot of a session without entries. */
export const EMPTY_SNAPSHOT: Snapshot = {
  size: 0,
  branches: [],
  marks: [],
  tips: [],
  labels: [],
  name: null,
};

/** Reads what the index itself wrote. */
export function parseSnapshot(text: string): Snapshot {
  return JSON.parse(text) as Snapshot;
}
