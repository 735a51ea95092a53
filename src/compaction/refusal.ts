/**
 * Why no compaction was written. Nothing has changed then: the session is as it was and goes on.
 *
 * - `off`: compaction is switched off and nobody asked for it (F085);
 * - `nothing-to-compact`: what could be summarised is kept as it is;
 * - `loop-brake`: the last compactions brought nothing (F075, F076, F077);
 * - `too-large`: what has to stay does not fit into the window even after a compaction (F078);
 * - `empty-summary`, `partial-summary`, `failed-summary`: the summary is not usable (F071, F082);
 * - `not-shrinking`: the new context would not be smaller (F076);
 * - `leaf-moved`: the path has changed meanwhile in a way that the plan does not fit.
 */
export type RefusalReason =
  | "off"
  | "nothing-to-compact"
  | "loop-brake"
  | "too-large"
  | "empty-summary"
  | "partial-summary"
  | "failed-summary"
  | "not-shrinking"
  | "leaf-moved";

/** A refusal as a value: callers have to expect it. */
export interface CompactionRefusal {
  readonly refused: RefusalReason;
  /** One sentence for people, with the figures. */
  readonly message: string;
}

/** Narrows a plan or outcome to its refusal. */
export function isRefusal(value: object): value is CompactionRefusal {
  return "refused" in value;
}
