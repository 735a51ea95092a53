/** One step of a revision: entries up, or user turns back. */
export interface RevisionStep {
  readonly kind: "entries" | "turns";
  readonly count: number;
}

/** A revision taken apart: `name~2^` is the base `name` and two steps. */
export interface RevisionText {
  readonly base: string;
  readonly steps: readonly RevisionStep[];
}

/** Longer texts are no revision; ids have at most 256 characters. */
export const MAX_REVISION_LENGTH = 512;

/** Takes the suffixes `~`, `~n`, `^`, `^n` off the end; a missing number is 1. */
export function parseRevision(text: string): RevisionText {
  const steps: RevisionStep[] = [];
  let base = text;
  for (;;) {
    const at = Math.max(base.lastIndexOf("~"), base.lastIndexOf("^"));
    const digits = base.slice(at + 1);
    if (at === -1 || !/^\d*$/.test(digits)) return { base, steps: steps.toReversed() };
    const kind = base[at] === "~" ? "entries" : "turns";
    steps.push({ kind, count: digits === "" ? 1 : Number(digits) });
    base = base.slice(0, at);
  }
}
