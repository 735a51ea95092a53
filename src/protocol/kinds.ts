import type { KindCode } from "./tree.ts";

/** Kinds of entries that have a row in the transcript. */
export const SHOWN_KINDS: ReadonlySet<KindCode> = new Set("uatsbcmxokgq?");

/** Kinds of which several under one parent are alternatives that a person can choose between. */
export const CHOICE_KINDS: ReadonlySet<KindCode> = new Set("uatsbcmq?");

/** Kinds that never give a message of the context. */
export const SILENT_KINDS: ReadonlySet<KindCode> = new Set("okxv.ln");

/**
 * Whether the context at the end of a path leaves an entry out because of the compaction in force there: what
 * stands before the first entry that it keeps, and instructions above it, even where it keeps what stands around
 * them. `at`, `compaction` (-1 = none is in force) and `from` (the first entry that speaks) are depths, or places
 * of one path; both grow along it.
 */
export function isLeftOut(
  { compaction, from }: { readonly compaction: number; readonly from: number },
  at: number,
  kind: KindCode,
): boolean {
  return at < from || (kind === "s" && at < compaction);
}
