import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { BRANCH_TYPE, LEAF_TYPE, UNCOMPACT_TYPE } from "../entry/own-state.ts";

/** Types that are small and read as a whole by the fold and the tables. */
const KEPT: ReadonlySet<string> = new Set([
  "model_change",
  "thinking_level_change",
  "active_tools_change",
  "label",
  "session_info",
]);

/** Own state whose data the tree reads. */
const READ_STATE: ReadonlySet<string> = new Set([LEAF_TYPE, BRANCH_TYPE, UNCOMPACT_TYPE]);

/**
 * The entry without the members that neither the fold nor the tables read: text, images, tool output.
 * A tree may have to work its folds out again (a parent that came late), so it keeps these instead of
 * the session's whole payload.
 */
export function slimEntry(entry: Entry): Entry {
  if (KEPT.has(entry.type)) return entry;
  const { type, id, parentId, timestamp } = entry;
  const base = { type, id, parentId, timestamp };
  const { usage } = entry as { readonly usage?: unknown };
  if (isEntry(entry, "message")) return { ...base, message: slimMessage(entry.message) };
  if (isEntry(entry, "compaction")) {
    const { firstKeptEntryId, systemMessage } = entry;
    const system = isObject(systemMessage) ? { systemMessage: {} } : {};
    return { ...base, summary: "", firstKeptEntryId, usage, ...system };
  }
  if (isEntry(entry, "custom")) {
    const { customType, data } = entry;
    return READ_STATE.has(customType) ? { ...base, customType, data } : { ...base, customType };
  }
  return type === "usage" || type === "branch_summary" ? { ...base, usage } : base;
}

function slimMessage(message: unknown): Readonly<Record<string, unknown>> {
  const { role, provider, model, usage } = message as Readonly<Record<string, unknown>>;
  return { role, provider, model, usage };
}
