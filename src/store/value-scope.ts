import { checkSessionId } from "../entry/ids.ts";
import type { ValueScope } from "./store.ts";

/**
 * One text for each scope, different for every session and every resource. Throws SESSION_ID_INVALID
 * (P10). Not safe as a file name: a resource may be any text.
 */
export function scopeName(scope: ValueScope): string {
  if (!("session" in scope)) return `resource:${scope.resource}`;
  checkSessionId(scope.session);
  return `session:${scope.session}`;
}
