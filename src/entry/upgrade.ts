import { isObject } from "./entry-check.ts";

/**
 * Older formats are upgraded in memory while they are read (formats.md §2). The upgrade depends on
 * nothing but the line and its number, so that two processes get the same ids (reliability.md §3
 * row 35); the file is only rewritten, as a whole, before the first write.
 */
type Members = Readonly<Record<string, unknown>>;

/** Id of the v1 entry on the given line; records count from 0, the header is 0. */
export function legacyId(index: number): string {
  return index.toString(16).padStart(8, "0");
}

/** Parent of the v1 entry on the given line: the line before, null for the first after the header. */
export function legacyParent(index: number): string | null {
  return index > 1 ? legacyId(index - 1) : null;
}

/**
 * v1 → v2: ids by line, a straight chain; a compaction's index of the first kept entry (the header
 * is 0) becomes that entry's id.
 */
export function upgradeFromV1(value: Members, index: number): Members {
  const entry: Record<string, unknown> = {
    ...value,
    id: typeof value.id === "string" ? value.id : legacyId(index),
    parentId: value.parentId === undefined ? legacyParent(index) : value.parentId,
  };
  const { firstKeptEntryIndex: kept } = value;
  if (value.type !== "compaction" || typeof kept !== "number") return entry;
  delete entry.firstKeptEntryIndex;
  if (Number.isInteger(kept) && kept > 0) entry.firstKeptEntryId = legacyId(kept);
  return entry;
}

/** v2 → v3: the role `hookMessage` is now called `custom`. */
export function upgradeFromV2(value: Members): Members {
  const message = value.message;
  if (value.type !== "message" || !isObject(message) || message.role !== "hookMessage")
    return value;
  return { ...value, message: { ...message, role: "custom" } };
}
