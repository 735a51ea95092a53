import { BranchlineError } from "../../errors.ts";

/**
 * The third outcome of a commit (design.md §3 P5): it is not known whether its entries are on stable
 * storage. The handle is given up; a retry with the same key through a new one is safe.
 */
export function appendUnknown(
  path: string,
  cause: unknown,
  key: string | null = null,
): BranchlineError<"APPEND_UNKNOWN"> {
  return new BranchlineError(
    "APPEND_UNKNOWN",
    { key },
    {
      message: `It is not known whether the last entries of ${path} are on disk.`,
      hint: "Open the session again and retry with the same key.",
      place: { file: path },
      cause,
    },
  );
}
