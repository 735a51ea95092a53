import { hostname } from "node:os";
import type { LockOwner } from "../errors.ts";
import { errnoOf } from "./io-failure.ts";

/**
 * True where the process of an owner file runs on this machine. A pid that went to another process
 * counts, too, and an owner on another machine does not: it is a hint that a session may be open, and
 * decides nothing that a lock decides.
 */
export function isOwnerAlive(owner: LockOwner): boolean {
  if (owner.host !== hostname()) return false;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    // It lives, but belongs to somebody else.
    return errnoOf(error) === "EPERM";
  }
}
