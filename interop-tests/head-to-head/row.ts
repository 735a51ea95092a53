import type { Side, SideName } from "./side.ts";

/** What a run found out, told piece by piece, so that a run that is killed has told the pieces before. */
export type Facts = Readonly<Record<string, unknown>>;

/** How the process of a run ended. */
export interface Outcome {
  /** "ended"; "hang" = killed after the limit; "died" = a signal or an exit code; "threw" = an error that reached the top. */
  readonly how: "ended" | "hang" | "died" | "threw";
  readonly facts: Facts;
  /** The last step that was begun. */
  readonly step: string;
  /** What is said of the end where it is not "ended". */
  readonly detail: string;
  /** Standard error was used, warnings of Node left out. */
  readonly spoke: boolean;
}

/** "good" = what is demanded; "half" = nothing lost, something else amiss; "bad"; "none" = not run. */
export type Grade = "good" | "half" | "bad" | "none";

export interface Verdict {
  readonly grade: Grade;
  readonly text: string;
}

/** What the child of a run is given. */
export interface Place {
  readonly side: Side;
  readonly name: SideName;
  /** An empty folder but for what `prepare` put there. */
  readonly folder: string;
  /** Where the session file of `prepare` is. */
  readonly file: string;
  step(name: string): void;
  tell(facts: Facts): void;
}

/** One case of the list; several may share a number. */
export interface Row {
  readonly row: number;
  readonly title: string;
  /** Seconds after which a run counts as hanging. Default 12. */
  readonly seconds?: number;
  /** Why it cannot be run on this machine, or null. */
  readonly needs?: () => string | null;
  /** A case that is not run on one side, and why. */
  readonly notRun?: Readonly<Partial<Record<SideName, string>>>;
  /** Fills the folder, in the parent; what it gives is called after the run. */
  readonly prepare?: (folder: string, file: string) => undefined | (() => void);
  readonly run: (place: Place) => Promise<void>;
  readonly judge: (outcome: Outcome) => Verdict;
}

/** A verdict about a run that did not come to its end, or null. */
export function notEnded({ how, step, detail }: Outcome): Verdict | null {
  if (how === "ended") return null;
  if (how === "hang") return { grade: "bad", text: `hangs in ${step} (killed after ${detail})` };
  if (how === "died") return { grade: "bad", text: `the process dies in ${step} (${detail})` };
  return { grade: "bad", text: `${step} refused: ${detail}` };
}

/** Judges a run that ended; one that did not is bad. */
export function ended(judge: (facts: Facts, outcome: Outcome) => Verdict): Row["judge"] {
  return (outcome) => notEnded(outcome) ?? judge(outcome.facts, outcome);
}

/** A list of texts among the facts. */
export function texts(facts: Facts, name: string): readonly string[] {
  const value = facts[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A number among the facts; NaN where it was not told. */
export function number(facts: Facts, name: string): number {
  return typeof facts[name] === "number" ? facts[name] : Number.NaN;
}

/** "a, b and c" of what is amiss. */
export function joined(parts: readonly string[]): string {
  return parts.join(", ");
}
