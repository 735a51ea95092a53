import type { Entry, EntryDraft } from "../entry/entry.ts";
import { entryFault, isObject } from "../entry/entry-check.ts";
import { MAX_KEY_LENGTH } from "./commit-plan.ts";
import { jsonCopy } from "./json-copy.ts";
import { entryInvalid } from "./refusals.ts";
import type { CommitRequest } from "./store.ts";

function checkKey(key: string | undefined): void {
  if (key === undefined) return;
  const fits = typeof key === "string" && key.length > 0 && key.length <= MAX_KEY_LENGTH;
  if (!fits) throw entryInvalid(`an idempotency key has 1 to ${MAX_KEY_LENGTH} characters`);
}

/** A copy that is an object again; an array or a value with its own JSON form may be none. */
function copyDraft(draft: EntryDraft): EntryDraft {
  const copy = jsonCopy(draft);
  if (!isObject(copy)) throw entryInvalid("an entry is an object");
  return copy as EntryDraft;
}

/**
 * The request as it is at the moment of the call: every store takes it first, before it waits for
 * anything, so that what the caller changes later has no effect (reliability.md §3 row 39). Checks
 * what needs no tree. Throws ENTRY_INVALID, ENTRY_TOO_LARGE.
 */
export function prepareCommit(request: CommitRequest): CommitRequest {
  checkKey(request.key);
  if (!Array.isArray(request.entries) || request.entries.length === 0)
    throw entryInvalid("a commit has at least one entry");
  return Object.freeze({ ...request, entries: Object.freeze(request.entries.map(copyDraft)) });
}

/**
 * Checks and copies the entries that a new session starts with (fork, clone). Parents are not looked
 * up: a copied path may hold a gap. Throws ENTRY_INVALID, ENTRY_TOO_LARGE.
 */
export function prepareEntries(entries: readonly Entry[]): readonly Entry[] {
  const seen = new Set<string>();
  return Object.freeze(
    entries.map((given) => {
      const entry = jsonCopy(given);
      const fault = entryFault(entry);
      if (fault !== null) throw entryInvalid(fault);
      const { type, id, parentId, timestamp } = entry as Entry;
      if (type === "session") throw entryInvalid("a header is no entry");
      if (typeof parentId !== "string" && parentId !== null) throw entryInvalid("no parentId");
      if (typeof timestamp !== "string") throw entryInvalid("no timestamp");
      if (seen.has(id)) throw entryInvalid(`the id ${id} is taken`);
      seen.add(id);
      return entry as Entry;
    }),
  );
}
