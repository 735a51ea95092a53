/**
 * Figures of one check: a name and a number each, as they are printed. Those that must be 0 (lost, hangs, …)
 * are not counted: a check that meets one throws and has no figures.
 */
export type Figures = Readonly<Record<string, number | string>>;

/** What a check is given. */
export interface CheckTools {
  /** First seed of everything random; printed, so that a run can be repeated. */
  readonly seed: number;
  /** 1 = the CI column of the plan; the soak runs more, `npm test` a tenth of its own. */
  readonly scale: number;
  /** Shows how far it is. */
  progress(done: number, total: number): void;
}

/** One check of `npm run verify`: throws where a promise does not hold. */
export interface VerifyCheck {
  readonly name: string;
  /** The promises or rows that it checks. */
  readonly about: string;
  run(tools: CheckTools): Promise<Figures | Skipped>;
}

/** Why a check could not be run here. */
export interface Skipped {
  readonly skipped: string;
}

/** True for the answer of a check that could not be run. */
export function isSkipped(answer: Figures | Skipped): answer is Skipped {
  return typeof answer.skipped === "string";
}
