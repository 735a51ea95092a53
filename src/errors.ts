/**
 * The one error type of the engine: a closed set of codes, typed fields for each code, the place in
 * the file where there is one, and what to do next. Documented code by code in docs/errors.md.
 */

/** Where in a file something was found. Lines count from 1, bytes from 0. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly byte?: number;
}

/** What an advisory `.owner` file says about the process that holds a session's lock. */
export interface LockOwner {
  readonly pid: number;
  /** Start time of the process in ms since the epoch, so that a reused pid is not mistaken for it. */
  readonly startedAt: number;
  readonly host: string;
  readonly command: string;
}

/** The typed fields that each error code carries. The keys are the closed set of codes. */
export interface ErrorFields {
  /** A wait was cancelled by its AbortSignal. */
  ABORTED: Record<never, never>;
  /** Whether the bytes of a commit reached the disk is not known; retry with the same key. */
  APPEND_UNKNOWN: { readonly key: string | null };
  /** A branch name is taken by another branch. */
  BRANCH_EXISTS: { readonly name: string; readonly branch: string };
  /** The text cannot be the name of a branch: empty, too long, or it reads as a revision. */
  BRANCH_NAME_INVALID: { readonly name: string; readonly reason: string };
  /** No branch has this id or name. */
  BRANCH_UNKNOWN: { readonly branch: string };
  /** No summary was written; `reason` is a refusal of the compaction. */
  COMPACTION_REFUSED: { readonly reason: string };
  /** A prefix names more than one entry. */
  ENTRY_AMBIGUOUS: { readonly revision: string; readonly matches: readonly string[] };
  /** A draft or entry does not have the shape that its type needs. */
  ENTRY_INVALID: { readonly reason: string };
  /** One encoded entry is larger than the limit in bytes. */
  ENTRY_TOO_LARGE: { readonly bytes: number; readonly limit: number };
  /** No entry has this id. */
  ENTRY_UNKNOWN: { readonly revision: string };
  /** The file is gone from its path while it was open. */
  FILE_MISSING: { readonly path: string };
  /** Another file stands at the path, or bytes that were read before have changed. */
  FILE_REPLACED: { readonly path: string };
  /** The file became shorter than what had been read from it. */
  FILE_TRUNCATED: { readonly path: string; readonly known: number; readonly actual: number };
  /** Not a regular file, or its real path leaves the data root. */
  FILE_UNSAFE: { readonly path: string; readonly reason: string };
  /** The harness does something else: one run, compaction or move at a time. */
  HARNESS_BUSY: { readonly doing: "running" | "compacting" | "navigating" };
  /** Nothing runs that could take the message. */
  HARNESS_IDLE: { readonly queue: string };
  /** The file system refused an operation; nothing was changed. */
  IO_FAILED: { readonly operation: string; readonly path: string; readonly errno: string };
  /** An idempotency key was used before for other entries. */
  KEY_REUSED: { readonly key: string };
  /** Strict reading met damage. */
  LOG_DAMAGED: { readonly problems: number };
  /** No provider has this model. */
  MODEL_UNKNOWN: { readonly model: string };
  /** Nothing to redo. */
  NOTHING_TO_REDO: Record<never, never>;
  /** Nothing to undo. */
  NOTHING_TO_UNDO: Record<never, never>;
  /** This store or build cannot do what was asked. */
  NOT_SUPPORTED: { readonly feature: string };
  /** The session would be written on a network file system, where the locks of this machine do not hold. */
  PLACE_REFUSED: { readonly path: string; readonly fileSystem: string };
  /** No message with this id waits in a queue. */
  QUEUE_ITEM_UNKNOWN: { readonly id: string };
  /** A run is under way on the branch. */
  RUN_ACTIVE: { readonly branch: string; readonly owner: LockOwner | null };
  /** A prefix or name fits more than one session. */
  SESSION_AMBIGUOUS: { readonly reference: string; readonly matches: readonly string[] };
  /** A session with this id exists already. */
  SESSION_EXISTS: { readonly session: string };
  /** A session id breaks the grammar of ids. */
  SESSION_ID_INVALID: { readonly session: string };
  /** The file is not a session file. */
  SESSION_INVALID: { readonly path: string; readonly reason: string };
  /** Other sessions read from this one; `linkedBy` are their files. */
  SESSION_LINKED: { readonly session: string; readonly linkedBy: readonly string[] };
  /** The session can be read, not written. */
  SESSION_READ_ONLY: { readonly reason: string };
  /** No session has this id, name or path. */
  SESSION_UNKNOWN: { readonly reference: string };
  /** Only the end of the session was read yet, which does not answer this. */
  SESSION_UNVERIFIED: { readonly asked: string };
  /** Another process holds the lock and did not free it within the bounded wait. */
  STORE_BUSY: { readonly owner: LockOwner | null; readonly waitedMs: number };
  /** The handle or store was closed, or given up after a failure. */
  STORE_CLOSED: Record<never, never>;
  /** The branch has moved on since the expected leaf. `head` is the present one. */
  STORE_CONFLICT: {
    readonly branch: string;
    readonly expected: string | null;
    readonly head: string | null;
  };
  /** The entry cannot be the target of this operation. */
  TARGET_INVALID: { readonly target: string; readonly reason: string };
  /** Arguments of a command do not fit. */
  USAGE: Record<never, never>;
}

/** The closed set of error codes. */
export type ErrorCode = keyof ErrorFields;

/** Everything a {@link BranchlineError} is made of besides its code and fields. */
export interface ErrorDetails {
  /** One sentence: what was wrong. */
  readonly message: string;
  /** What the caller or person can do about it. */
  readonly hint?: string;
  readonly place?: Place;
  readonly cause?: unknown;
}

/**
 * The error that every part of the engine throws. Test its `code`, never its message.
 *
 * @example
 * try { await session.append(draft) } catch (error) {
 *   if (BranchlineError.is(error, "STORE_CONFLICT")) console.log(error.fields.head);
 * }
 */
export class BranchlineError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly fields: ErrorFields[C];
  readonly hint: string | undefined;
  readonly place: Place | undefined;

  constructor(code: C, fields: ErrorFields[C], details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "BranchlineError";
    this.code = code;
    this.fields = fields;
    this.hint = details.hint;
    this.place = details.place;
  }

  /**
   * True for errors of this engine, also from another copy of the package; with `code`, only for
   * that code (and then `fields` is narrowed).
   */
  static is<C extends ErrorCode>(error: unknown, code?: C): error is BranchlineError<C> {
    if (!(error instanceof Error) || error.name !== "BranchlineError") return false;
    return code === undefined || (error as BranchlineError).code === code;
  }
}
