import type { Entry, EntryDraft } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import { isSameCommit } from "./commit-plan.ts";
import type { CommitResult } from "./store.ts";

/** What a store found under an idempotency key, and what is asked for now. */
export interface Replay {
  readonly key: string;
  readonly stored: readonly Entry[];
  readonly drafts: readonly EntryDraft[];
}

/**
 * Answers a commit whose key is known: the first one's entries, and nothing is written. The expected
 * leaf no longer counts, since the first commit itself moved it. Throws KEY_REUSED for other entries.
 */
export function replayCommit(replay: Replay): CommitResult {
  const { key, stored, drafts } = replay;
  if (isSameCommit(stored, drafts)) return { entries: stored, replayed: true };
  throw new BranchlineError(
    "KEY_REUSED",
    { key },
    {
      message: "The idempotency key was used before for other entries.",
      hint: "Use a new key for new entries.",
    },
  );
}
