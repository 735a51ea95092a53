import type { DiffSide, DiffTotals } from "branchline/protocol/operation.ts";

/** One side of a row. */
export interface ComparedSide extends DiffSide {
  /** Sides of one row with the same number say exactly the same. */
  readonly group?: number | undefined;
}

/** One row of a comparison of several paths; one side for each of them. */
export interface CompareRow {
  /** "same" = all sides say the same, "changed" = all have one, "part" = some have none. */
  readonly kind: "same" | "changed" | "part";
  readonly sides: readonly (ComparedSide | null)[];
}

/** One path of a comparison. */
export interface CompareColumn extends DiffTotals {
  /** The earlier column with which it shares most, and the last entry of both; null for the first column. */
  readonly meets: { readonly column: number; readonly entry: string | null } | null;
  /** In context mode: index of the first message that differs from the first column's, -1 = none. */
  readonly cacheBreak: number;
}

/** Two to four paths from where all of them part. */
export interface CompareView {
  readonly mode: "turns" | "context";
  /** The last entry that all of them share. */
  readonly meeting: string | null;
  readonly shared: number;
  readonly columns: readonly CompareColumn[];
  readonly rows: readonly CompareRow[];
  readonly truncated?: true | undefined;
}
