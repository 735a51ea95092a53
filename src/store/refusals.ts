import { BranchlineError, type LockOwner } from "../errors.ts";

/** The error of every call on a handle or store that was closed. */
export function storeClosed(): BranchlineError<"STORE_CLOSED"> {
  return new BranchlineError(
    "STORE_CLOSED",
    {},
    { message: "The session or its store is closed.", hint: "Open it again." },
  );
}

/** The error of a call for which this store has nothing. */
export function notSupported(feature: string): BranchlineError<"NOT_SUPPORTED"> {
  return new BranchlineError(
    "NOT_SUPPORTED",
    { feature },
    { message: `This store has no ${feature}.`, hint: "Copy the session instead." },
  );
}

/** The error of a read that names an entry which is not there. */
export function entryUnknown(id: string): BranchlineError<"ENTRY_UNKNOWN"> {
  return new BranchlineError(
    "ENTRY_UNKNOWN",
    { revision: id },
    {
      message: `No entry of this session has the id ${id}.`,
      hint: "`branchline log` and `branchline tree` show the ids.",
    },
  );
}

/** The error of a call that names a session which is not there. */
export function sessionUnknown(reference: string): BranchlineError<"SESSION_UNKNOWN"> {
  return new BranchlineError(
    "SESSION_UNKNOWN",
    { reference },
    {
      message: `There is no session ${reference}.`,
      hint: "`branchline ls` lists the sessions, `branchline ls --trash` the trash.",
    },
  );
}

/** The error of removing a session that others read from. */
export function sessionLinked(
  session: string,
  linkedBy: readonly string[],
): BranchlineError<"SESSION_LINKED"> {
  const count = linkedBy.length === 1 ? "Another session is" : `${linkedBy.length} sessions are`;
  return new BranchlineError(
    "SESSION_LINKED",
    { session, linkedBy },
    {
      message: `${count} linked to ${session}, so it stays: ${linkedBy[0]}${linkedBy.length > 1 ? " …" : ""}`,
      hint: "Clone those first, which copies what they read; --force removes it all the same.",
    },
  );
}

/** The error of a create or restore whose id is taken. */
export function sessionExists(session: string): BranchlineError<"SESSION_EXISTS"> {
  return new BranchlineError(
    "SESSION_EXISTS",
    { session },
    {
      message: `A session with the id ${session} exists already.`,
      hint: "Choose another id, or put that session away first with `branchline rm`.",
    },
  );
}

/** The error of a draft or value that cannot be stored. */
export function entryInvalid(reason: string, cause?: unknown): BranchlineError<"ENTRY_INVALID"> {
  return new BranchlineError(
    "ENTRY_INVALID",
    { reason },
    { message: `The data is refused: ${reason}.`, cause },
  );
}

/** The error of a call that names a branch which is not there. */
export function branchUnknown(branch: string): BranchlineError<"BRANCH_UNKNOWN"> {
  return new BranchlineError(
    "BRANCH_UNKNOWN",
    { branch },
    { message: `No branch has the id ${branch}.` },
  );
}

/** The error of a run where another one is under way. */
export function runActive(branch: string, owner: LockOwner | null): BranchlineError<"RUN_ACTIVE"> {
  const who = owner === null ? "" : ` It belongs to ${owner.command} (pid ${owner.pid}).`;
  return new BranchlineError(
    "RUN_ACTIVE",
    { branch, owner },
    {
      message: `A run is under way on the branch ${branch}.${who}`,
      hint: "Queue the message, wait for the run, or go on on a branch of your own.",
    },
  );
}
