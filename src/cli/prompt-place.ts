import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { BranchlineError } from "../errors.ts";
import { entryHere, resolveRevision } from "../session/revision.ts";
import type { Session } from "../session/session.ts";

/** Roles under which an answer may stand. */
const SPOKEN: ReadonlySet<string | null> = new Set([
  "user",
  "toolResult",
  "bashExecution",
  "custom",
]);

function invalid(target: string, reason: string, hint: string): BranchlineError<"TARGET_INVALID"> {
  return new BranchlineError(
    "TARGET_INVALID",
    { target, reason },
    { message: `${target}: ${reason}.`, hint },
  );
}

/**
 * Where another answer to REV begins: above an answer, so that both are siblings; at anything else that
 * can be answered. Throws TARGET_INVALID where nothing was said.
 */
export async function answerPlace(session: Session, revision: string): Promise<string> {
  const { tree } = session;
  const here = entryHere(session);
  const id = await resolveRevision(session, revision, { here });
  let isAnswerSeen = false;
  for (const at of tree.ancestors(id)) {
    const isAnswer = at.role === "assistant";
    if (isAnswer && isAnswerSeen) break;
    if (isAnswer) isAnswerSeen = true;
    else if (SPOKEN.has(at.role) || at.type === "custom_message") return at.id;
  }
  const hint = "Name an answer or the message above it; `branchline log` shows the path.";
  throw invalid(revision, "nothing that could be answered", hint);
}

/** The message of a person that REV names. Throws TARGET_INVALID for any other entry. */
export async function promptEntry(session: Session, revision: string): Promise<Entry> {
  const here = entryHere(session);
  const id = await resolveRevision(session, revision, { here });
  const entry = id === null ? undefined : await session.store.get(id);
  const isPrompt =
    entry !== undefined && isEntry(entry, "message") && entry.message.role === "user";
  if (isPrompt) return entry;
  const hint = "`branchline log` shows the messages; @^ is the one of the turn before.";
  throw invalid(revision, "no message of a person", hint);
}
