import type { Entry } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import type { CustomMessage } from "../entry/message.ts";
import { GAP_TYPE, isGapEntry } from "../entry/own-state.ts";
import { UNREADABLE_PARENT } from "../entry/session-decoder.ts";
import type { Gap } from "../tree/tree-entry.ts";
import { timeOf } from "./entry-messages.ts";

const GAP_TEXT =
  "[Some earlier entries of this session cannot be read; what follows continues after the gap.]";

/** A place of a context where entries are missing (P7). */
export interface ContextGap {
  /** The entry whose link leads nowhere: the one after the gap, or the compaction. */
  readonly entryId: string;
  readonly reason: Gap["reason"] | "first-kept-missing";
  /** What the link names; null where it names no id at all. */
  readonly missingId: string | null;
}

/** The gap before an entry. */
export function gapBefore(entry: Entry, gap: Gap): ContextGap {
  const isId = gap.missingId !== UNREADABLE_PARENT;
  return { entryId: entry.id, reason: gap.reason, missingId: isId ? gap.missingId : null };
}

/**
 * The gap that a repair recorded as a placeholder entry, or null. It is a fact about the path and not
 * state of a session, so it counts in copies too.
 */
export function recordedGap(entry: Entry): ContextGap | null {
  if (!isGapEntry(entry)) return null;
  const data = isObject(entry.data) ? entry.data : {};
  const { missingId } = data;
  const isTold = typeof missingId === "string" || missingId === null;
  return {
    entryId: entry.id,
    reason: data.reason === "cycle" ? "cycle" : "missing-parent",
    // A placeholder that does not tell it stands under the missing id itself.
    missingId: isTold ? missingId : entry.id,
  };
}

/** The message that makes a gap visible to the model; it has the time of the entry after the gap. */
export function gapMarker({ reason, missingId }: ContextGap, after: Entry): CustomMessage {
  return {
    role: "custom",
    customType: GAP_TYPE,
    content: GAP_TEXT,
    display: true,
    details: { reason, missingId },
    timestamp: timeOf(after),
  };
}
