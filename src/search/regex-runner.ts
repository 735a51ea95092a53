import type { TextSpan } from "./term-place.ts";

/** Where a regular expression matched in an entry. */
export interface RegexMatch extends TextSpan {
  /** Which of the entry's texts. */
  readonly piece: number;
}

/** One entry's answer: a match, none, or given up because it took too long. */
export type RegexAnswer = RegexMatch | null | "gave up";

/**
 * Runs a regular expression that a person typed where it can be stopped: never on the main thread,
 * since some patterns take longer than the universe (reliability.md S7). The owner closes it.
 */
export interface RegexRunner extends AsyncDisposable {
  /** True once the time for all is used up: every further answer is "gave up". */
  readonly isSpent: boolean;
  /** Looks for the expression in the texts of each entry; one answer for each, in order. */
  test(entries: readonly (readonly string[])[]): Promise<readonly RegexAnswer[]>;
}

/** Makes a runner for one expression, which is valid. */
export type MakeRegexRunner = (regex: {
  readonly pattern: string;
  readonly flags: string;
}) => RegexRunner;
