import { BranchlineError } from "../errors.ts";

const SPACE_HINT =
  "Free space on this file system (or raise the quota or file size limit) and try again; nothing was lost.";

const RIGHTS_HINT =
  "This program may not do that there: look at owner and mode of the file and its folder, and at how the disk is mounted.";

/** What to do about an errno, where there is something to do. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["EACCES", RIGHTS_HINT],
  ["EDQUOT", SPACE_HINT],
  ["EFBIG", SPACE_HINT],
  ["ENOSPC", SPACE_HINT],
  ["EPERM", RIGHTS_HINT],
  ["EROFS", RIGHTS_HINT],
  ["SHORT_WRITE", SPACE_HINT],
]);

/** Where a native failure happened. */
export interface FailedOperation {
  /** Name of the port's method, for example "write". */
  readonly operation: string;
  readonly path: string;
}

/** The code of a native error ("ENOSPC"), or "UNKNOWN" for errors that carry none. */
export function errnoOf(cause: unknown): string {
  const hasCode = cause instanceof Error && "code" in cause && typeof cause.code === "string";
  const code = hasCode ? String(cause.code) : "UNKNOWN";
  // A closed file has the number -1, and Node refuses that where the system would say this.
  return code === "ERR_OUT_OF_RANGE" ? "EBADF" : code;
}

/** An `IO_FAILED` for an errno, with the cause kept and a hint where one is known. */
export function ioFailed(
  where: FailedOperation,
  errno: string,
  cause?: unknown,
): BranchlineError<"IO_FAILED"> {
  const hint = HINTS.get(errno);
  return new BranchlineError(
    "IO_FAILED",
    { operation: where.operation, path: where.path, errno },
    {
      message: `${where.operation} of ${where.path} failed: ${errno}`,
      ...(hint === undefined ? {} : { hint }),
      cause,
    },
  );
}

/** True when the error is an `IO_FAILED` with this errno. */
export function hasErrno(error: unknown, errno: string): boolean {
  return BranchlineError.is(error, "IO_FAILED") && error.fields.errno === errno;
}

/** What file systems without hard links answer to `link`. */
const NO_LINK_ERRNOS = ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"] as const;

/** True when a failed `link` means that this file system has no hard links. */
export function refusesLinks(error: unknown): boolean {
  return NO_LINK_ERRNOS.some((errno) => hasErrno(error, errno));
}
