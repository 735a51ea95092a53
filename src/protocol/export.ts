import type { TreeColumns } from "./tree.ts";

/**
 * What an exported page holds besides its code: blocks of compressed JSON (deflate-raw, base64), each the
 * text of an element. `EXPORT_HEAD` is the head, `exportBlock("previews", 0)` the first block of
 * previews, and so on. Places are those of the exported entries, from 0, every parent before its children.
 */
export interface ExportHead {
  readonly format: 1;
  /** Version of the program that wrote it. */
  readonly version: string;
  /** ISO time. */
  readonly exported: string;
  readonly scope: ExportScope;
  readonly session: {
    readonly id: string;
    readonly name: string | null;
    /** First words of the first question. */
    readonly title: string | null;
    readonly cwd: string;
    readonly created: string;
  };
  /** What was taken out; null = nothing was looked for. */
  readonly redaction: {
    readonly total: number;
    readonly kinds: readonly { readonly kind: string; readonly count: number }[];
  } | null;
  readonly columns: TreeColumns;
  /** Settings at the leaf. */
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  /** Runs of places with the place of the compaction that is in force with its end at them, -1 = none. */
  readonly contexts: readonly (readonly [from: number, compaction: number])[];
  /** The same for the leaf itself, where our own state may have changed it. */
  readonly leafContext: number;
  /** Compactions with the first place that they keep; their own = they keep nothing, -1 = everything. */
  readonly compactions: readonly (readonly [place: number, keeps: number])[];
  readonly edits: readonly (readonly [
    place: number,
    target: number,
    effect: "hidden" | "replaced" | "original",
  ])[];
  /** First place of each block of previews (`EntryPreview[]`) and of entries. */
  readonly previews: readonly number[];
  readonly entries: readonly number[];
}

/** `path` = the active path only, `all` = every branch. */
export type ExportScope = "path" | "all";

/** Id of the element with the head. */
export const EXPORT_HEAD = "branchline-head";

/** Id of the element with a block. */
export function exportBlock(kind: "previews" | "entries", index: number): string {
  return `branchline-${kind}-${index}`;
}
