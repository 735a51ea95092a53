import type { KindCode } from "./tree.ts";

/** Kinds of entries that have a row in the transcript. */
export const SHOWN_KINDS: ReadonlySet<KindCode> = new Set("uatsbcmxokgq?");

/** Kinds of which several under one parent are alternatives that a person can choose between. */
export const CHOICE_KINDS: ReadonlySet<KindCode> = new Set("uatsbcmq?");

/** Kinds that never give a message of the context. */
export const SILENT_KINDS: ReadonlySet<KindCode> = new Set("okxv.ln");
