import { BranchlineError } from "../../errors.ts";
import { isOwnerAlive } from "../../io/owner-alive.ts";
import { OwnerFile } from "../../io/owner-file.ts";
import type { Environment } from "./environment.ts";

const NOBODY = { pid: 0, startedAt: 0, host: "", command: "" };

/**
 * Throws STORE_BUSY where a process of this machine that has written to the session still runs with it
 * open. Such a process frees the lock between its commits, so the lock alone does not tell (F017).
 */
export async function refuseWhileOpen(env: Environment, path: string): Promise<void> {
  const { fileSystem, random } = env;
  const ownerPath = `${path}.owner`;
  if ((await fileSystem.lstat(ownerPath)) === undefined) return;
  const file = new OwnerFile({ fileSystem, random, path: ownerPath, owner: NOBODY });
  const owner = await file.read();
  if (owner === null || !isOwnerAlive(owner)) return;
  throw new BranchlineError(
    "STORE_BUSY",
    { owner, waitedMs: 0 },
    {
      message: `${path} is open in process ${owner.pid} (${owner.command}).`,
      hint: "Close the session there first.",
      place: { file: path },
    },
  );
}

/** The error of what would write to an archived session. */
export function archivedReadOnly(path: string): BranchlineError<"SESSION_READ_ONLY"> {
  return new BranchlineError(
    "SESSION_READ_ONLY",
    { reason: ARCHIVED },
    {
      message: `${path} cannot be changed: ${ARCHIVED}.`,
      hint: `\`branchline unarchive ${path}\` makes it writable again.`,
      place: { file: path },
    },
  );
}

/** Why an archived session cannot be written. */
export const ARCHIVED = "it is archived";
