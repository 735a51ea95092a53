import type { EntryDraft } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { BranchlineError } from "../errors.ts";
import type { Session } from "../session/session.ts";

/** What of picked entries is appended: their messages as they are. Throws TARGET_INVALID for what is none. */
export async function pickedDrafts(
  session: Session,
  ids: readonly string[],
): Promise<readonly EntryDraft[]> {
  const drafts: EntryDraft[] = [];
  for (const entry of await session.store.getAll(ids)) {
    if (isEntry(entry, "message")) drafts.push({ type: "message", message: entry.message });
    else if (isEntry(entry, "custom_message")) {
      const { customType, content, display } = entry;
      drafts.push({ type: "custom_message", customType, content, display });
    } else {
      const message = "Only messages can be picked.";
      throw new BranchlineError(
        "TARGET_INVALID",
        { target: entry.id, reason: "no message" },
        { message },
      );
    }
  }
  return drafts;
}
