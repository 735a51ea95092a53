import { BranchlineError } from "../../errors.ts";

/**
 * True for the one failure of `publish` after which the new file is in its place: the sync of its
 * folder, the last step.
 */
export function isPublished(error: unknown): boolean {
  return BranchlineError.is(error, "IO_FAILED") && error.fields.operation === "syncDirectory";
}
