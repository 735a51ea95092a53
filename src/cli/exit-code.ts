import { BranchlineError, type ErrorCode } from "../errors.ts";

/**
 * What a command ends with: 0 ok, 1 not found or failed, 2 usage, 3 damaged, 4 conflict or busy, 5 the
 * model failed, 130 the run was aborted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

/** The one table from error code to exit code. */
export const EXIT_CODES: Readonly<Record<ErrorCode, ExitCode>> = {
  ABORTED: 1,
  APPEND_UNKNOWN: 1,
  BRANCH_EXISTS: 4,
  BRANCH_NAME_INVALID: 2,
  BRANCH_UNKNOWN: 1,
  COMPACTION_REFUSED: 1,
  ENTRY_AMBIGUOUS: 2,
  ENTRY_INVALID: 2,
  ENTRY_TOO_LARGE: 2,
  ENTRY_UNKNOWN: 1,
  FILE_MISSING: 1,
  FILE_REPLACED: 4,
  FILE_TRUNCATED: 3,
  FILE_UNSAFE: 1,
  HARNESS_BUSY: 4,
  HARNESS_IDLE: 4,
  IO_FAILED: 1,
  KEY_REUSED: 4,
  LOG_DAMAGED: 3,
  MODEL_UNKNOWN: 1,
  NOTHING_TO_REDO: 1,
  NOTHING_TO_UNDO: 1,
  NOT_SUPPORTED: 2,
  PLACE_REFUSED: 1,
  QUEUE_ITEM_UNKNOWN: 1,
  RUN_ACTIVE: 4,
  SESSION_AMBIGUOUS: 2,
  SESSION_EXISTS: 4,
  SESSION_ID_INVALID: 2,
  SESSION_INVALID: 3,
  SESSION_LINKED: 4,
  SESSION_READ_ONLY: 1,
  SESSION_UNKNOWN: 1,
  SESSION_UNVERIFIED: 1,
  STORE_BUSY: 4,
  STORE_CLOSED: 1,
  STORE_CONFLICT: 4,
  TARGET_INVALID: 2,
  USAGE: 2,
};

/** The exit code of whatever a command threw; 1 for what is no error of ours. */
export function exitCodeOf(error: unknown): ExitCode {
  return BranchlineError.is(error) ? (EXIT_CODES[error.code] ?? 1) : 1;
}
