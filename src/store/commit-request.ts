import type { Entry, EntryDraft } from "../entry/entry.ts";
import { entryFault, isObject } from "../entry/entry-check.ts";
import { MAX_KEY_LENGTH } from "./commit-plan.ts";
import { jsonCopy, jsonForm } from "./json-copy.ts";
import { entryInvalid } from "./refusals.ts";
import type { CommitRequest } from "./store.ts";

function checkKey(key: string | undefined): void {
  if (key === undefined) return;
  const fits = typeof key === "string" && key.length > 0 && key.length <= MAX_KEY_LENGTH;
  if (!fits) throw entryInvalid(`an idempotency key has 1 to ${MAX_KEY_LENGTH} characters`);
}

/** A draft as a reader gets it, frozen, and its JSON text. */
interface DraftForm {
  readonly text: string;
  readonly draft: EntryDraft;
}

/** A copy that is an object again; an array or a value with its own JSON form may be none. */
function copyDraft(given: EntryDraft): DraftForm {
  const { text, copy } = jsonForm(given);
  if (!isObject(copy)) throw entryInvalid("an entry is an object");
  return { text, draft: copy as EntryDraft };
}

/** A commit that waits for nothing of its caller any more, and the JSON texts of its drafts in their order. */
export interface PreparedCommit {
  readonly request: CommitRequest;
  readonly texts: readonly string[];
}

/** As {@link prepareCommit}, for a store that writes JSON. */
export function prepareTexts(request: CommitRequest): PreparedCommit {
  checkKey(request.key);
  if (!Array.isArray(request.entries) || request.entries.length === 0)
    throw entryInvalid("a commit has at least one entry");
  const forms = request.entries.map(copyDraft);
  const entries = Object.freeze(forms.map(({ draft }) => draft));
  const texts = forms.map(({ text }) => text);
  return { request: Object.freeze({ ...request, entries }), texts };
}

/**
 * The request as it is at the moment of the call: every store takes it first, before it waits for
 * anything, so that what the caller changes later has no effect (reliability.md §3 row 39). Checks
 * what needs no tree. Throws ENTRY_INVALID, ENTRY_TOO_LARGE.
 */
export function prepareCommit(request: CommitRequest): CommitRequest {
  return prepareTexts(request).request;
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
