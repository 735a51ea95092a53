import type { CompactionEntry, EntryDraft } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { UNCOMPACT_TYPE } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import type { CompactionRefusal } from "./refusal.ts";

/** How often the end of the branch is looked at anew before a compaction is given up. */
const MAX_ATTEMPTS = 8;

/** A compaction entry and the leaf it was planned for. */
export interface PlannedEntry {
  readonly draft: EntryDraft;
  readonly leaf: string | null;
  /** True = nothing may have come in between. */
  readonly strict: boolean;
}

/**
 * The leaf under which the entry still says the truth: the planned one, or one further down with nothing
 * between that changes what the plan was made from. null = there is none (`leaf` null is a leaf too, so it
 * is wrapped).
 */
function presentLeaf(session: Session, planned: string | null): { leaf: string | null } | null {
  for (const at of session.tree.ancestors(session.leaf)) {
    if (at.id === planned) return { leaf: session.leaf };
    const changes = at.type === "compaction" || at.type === "context_edit";
    if (changes || at.customType === UNCOMPACT_TYPE) return null;
  }
  return null;
}

/**
 * Appends the entry, durable when this resolves. Messages that came in while the summary was made stay
 * behind it (F090 and its like: nothing that was typed meanwhile is lost); a compaction, an edit or a move
 * in between makes the plan void. Throws what an append throws, STORE_CONFLICT excepted.
 */
export async function appendCompaction(
  session: Session,
  { draft, leaf, strict }: PlannedEntry,
): Promise<CompactionEntry | CompactionRefusal> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const present = strict ? { leaf } : presentLeaf(session, leaf);
    if (present === null) break;
    try {
      const [entry] = await session.append(draft, { expectedLeaf: present.leaf });
      if (entry !== undefined && isEntry(entry, "compaction")) return entry;
    } catch (error) {
      if (!BranchlineError.is(error, "STORE_CONFLICT")) throw error;
      if (strict) break;
      await session.refresh();
    }
  }
  return {
    refused: "leaf-moved",
    message: "The path has changed while the summary was made. Nothing was changed; try again.",
  };
}
