import { BranchlineError } from "../errors.ts";

/** The error for arguments that do not fit; without a hint, {@link withHelp} names the verb's help. */
export function usage(message: string, hint?: string): BranchlineError<"USAGE"> {
  return new BranchlineError("USAGE", {}, hint === undefined ? { message } : { message, hint });
}

/** The error, and for one of usage that has no hint yet where the verb is explained. */
export function withHelp(error: unknown, verb: string): unknown {
  if (!BranchlineError.is(error, "USAGE") || error.hint !== undefined) return error;
  return usage(error.message, `\`branchline help ${verb}\` shows how it is used.`);
}
