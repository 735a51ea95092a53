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
  /** Where contexts begin that end at a place, as runs of places. */
  readonly contexts: readonly (readonly [from: number, ...ExportedCut])[];
  /** The same for the leaf itself, where our own state may have changed it. */
  readonly leafContext: ExportedCut;
  /** Compactions with the entries that they stand for, which lie on the path between two places; -1 = none. */
  readonly compactions: readonly (readonly [place: number, first: number, last: number])[];
  /** `tokens` are those of the target as a replacement leaves it, else 0. */
  readonly edits: readonly (readonly [
    place: number,
    target: number,
    effect: "hidden" | "replaced" | "original",
    tokens: number,
  ])[];
  /** First place of each block of previews (`EntryPreview[]`) and of entries. */
  readonly previews: readonly number[];
  readonly entries: readonly number[];
}

/** The compaction in force (-1 = none) and the first place on the path that speaks beside it. */
export type ExportedCut = readonly [compaction: number, keeps: number];

/** `path` = the active path only, `all` = every branch. */
export type ExportScope = "path" | "all";

/** Id of the element with the head. */
export const EXPORT_HEAD = "branchline-head";

/** Id of the element with a block. */
export function exportBlock(kind: "previews" | "entries", index: number): string {
  return `branchline-${kind}-${index}`;
}
