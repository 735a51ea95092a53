import type { EntryDraft } from "../entry/entry.ts";
import type { OperationMark } from "../entry/own-state.ts";
import { oneLine } from "./entry-content.ts";
import type { SessionHandle } from "./session-handle.ts";

/**
 * Labels an entry, for the whole session; null or an empty text clears the label. Gives the id of the
 * operation, or null where nothing changes. Throws ENTRY_UNKNOWN.
 */
export async function setLabel(
  handle: SessionHandle,
  target: string,
  text: string | null,
): Promise<string | null> {
  await handle.store.refresh();
  handle.mustFind(target);
  const label = text === null ? null : oneLine(text) || null;
  if ((handle.tree.labels().get(target)?.label ?? null) === label) return null;
  const op = handle.newOp();
  await handle.commitRows([labelRow(target, label, { op })]);
  return op;
}

/** Names the session; null or an empty name clears it. Result as for {@link setLabel}. */
export async function rename(handle: SessionHandle, name: string | null): Promise<string | null> {
  await handle.store.refresh();
  const wanted = name === null ? null : oneLine(name) || null;
  if (handle.tree.name() === wanted) return null;
  const op = handle.newOp();
  await handle.commitRows([nameRow(wanted, { op })]);
  return op;
}

/** A label row; no label clears it (formats.md §2). */
export function labelRow(targetId: string, label: string | null, data: OperationMark): EntryDraft {
  return { type: "label", targetId, ...(label === null ? {} : { label }), data };
}

/** A row of the session's name; an empty name clears it, as in Pi. */
export function nameRow(name: string | null, data: OperationMark): EntryDraft {
  return { type: "session_info", name: name ?? "", data };
}
