import type { Entry, EntryDraft } from "../../entry/entry.ts";
import { newEntryId, type RandomBytes } from "../../entry/ids.ts";
import { encodeEntry, encodeMembers, type LineStamp } from "../../entry/line-encode.ts";

/** A draft and the JSON text that it was parsed from. */
export interface DraftText {
  readonly draft: EntryDraft;
  readonly text: string;
}

/** Options of {@link encodeCommit}. */
export interface EncodeOptions {
  readonly key: string | undefined;
  readonly random: RandomBytes;
  /** What the planned entries were made of, in their order, where it is at hand. */
  readonly drafts?: readonly DraftText[];
}

/** The lines of planned entries, marked as a group where there are several (design.md §2). Throws as `encodeEntry` does. */
export function encodeCommit(
  planned: readonly Entry[],
  options: EncodeOptions,
): readonly Uint8Array[] {
  const { key, random, drafts } = options;
  const n = planned.length;
  const id = n > 1 ? newEntryId(random) : "";
  return planned.map((entry, index) => {
    const stamp: LineStamp = {
      ...(key === undefined ? {} : { key }),
      ...(n > 1 ? { commit: { id, i: index + 1, n } } : {}),
    };
    const members = membersOf(drafts?.[index]);
    return members === null ? encodeEntry(entry, stamp) : encodeMembers(entry, members, stamp);
  });
}

/**
 * The text of the members that stand behind `timestamp` in the line, so that a payload is not made into
 * JSON a second time. null where a draft names a member that belongs before them, or begins with another
 * one than its type.
 */
function membersOf(given: DraftText | undefined): string | null {
  if (given === undefined) return null;
  const { draft, text } = given;
  if (PLACED.some((name) => Object.hasOwn(draft, name))) return null;
  const start = `{"type":${JSON.stringify(draft.type)}`;
  return text.startsWith(start) ? text.slice(start.length, -1) : null;
}

/** Members whose place in the line is before all others. */
const PLACED = ["id", "parentId", "timestamp"] as const;
