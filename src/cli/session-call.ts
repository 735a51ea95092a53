import { BranchlineError } from "../errors.ts";
import { entryHere, resolveRevision } from "../session/revision.ts";
import type { Session } from "../session/session.ts";
import type { Call } from "./verb.ts";

/** An entry of an open session that a revision names; null = before the first entry. */
export interface Target {
  readonly session: Session;
  readonly id: string | null;
}

/** Opens the session of -s and resolves REV in it, default the leaf. */
export async function openTarget(call: Call, revision: string | undefined): Promise<Target> {
  const session = await call.sessions.open(call.sessionOption);
  return { session, id: await resolveRevision(session, revision ?? "@") };
}

/**
 * Opens the session of -s and resolves REV for verbs that work on an entry: `@` is the entry that a
 * person sees last, not the label or edit that was written about it. Throws TARGET_INVALID for root.
 */
export async function openEntry(
  call: Call,
  revision: string | undefined,
): Promise<{ readonly session: Session; readonly id: string }> {
  const session = await call.sessions.open(call.sessionOption);
  const here = entryHere(session);
  const id = await resolveRevision(session, revision ?? "@", { here });
  if (id !== null) return { session, id };
  throw new BranchlineError(
    "TARGET_INVALID",
    { target: revision ?? "@", reason: "no entry" },
    {
      message: "The place before the first entry is no entry.",
      hint: "`branchline tree` shows the entries with their ids.",
    },
  );
}

/** Said by all verbs that move the leaf: files are not touched. */
export const FILES_UNTOUCHED =
  "This moves the conversation only; files in the working folder stay as they are.";
