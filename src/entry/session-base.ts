import { isObject } from "./entry-check.ts";
import { isSessionId, MAX_ENTRY_ID_LENGTH } from "./ids.ts";

/**
 * The format of a session file that is linked to another one. Readers that know format 1 only open such a
 * file read-only, since what they would append could hang anywhere.
 */
export const LINKED_FORMAT = 2;

/** What a linked session goes on from, as its header names it (docs/format.md "Links"). */
export interface SessionBase {
  /** Id of the session; whatever stands at `path`, only that session counts. */
  readonly session: string;
  /** Where its file was when the link was made: looked at first, never outside of known folders. */
  readonly path: string;
  /** Id of the entry that its path ends at. */
  readonly entry: string;
  /** Size of its file in bytes at that time: the path stands within these. */
  readonly bytes: number;
}

/** The base that a header names, or null: of another format, without one, or with one of a wrong shape. */
export function baseOf(header: { readonly branchline?: unknown }): SessionBase | null {
  const { branchline } = header;
  if (!isObject(branchline) || branchline.format !== LINKED_FORMAT) return null;
  const { base } = branchline;
  if (!isObject(base)) return null;
  const { session, path, entry, bytes } = base;
  const isNamed = typeof session === "string" && isSessionId(session) && typeof path === "string";
  const isEntryId =
    typeof entry === "string" && entry !== "" && entry.length <= MAX_ENTRY_ID_LENGTH;
  const isSize = typeof bytes === "number" && Number.isSafeInteger(bytes) && bytes >= 0;
  return isNamed && isEntryId && isSize ? { session, path, entry, bytes } : null;
}
