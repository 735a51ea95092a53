import { GAP_TYPE, LEAF_TYPE } from "../entry/own-state.ts";
import { CHOICE_KINDS, SHOWN_KINDS } from "../protocol/kinds.ts";
import type { KindCode } from "../protocol/tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";

const ROLES: ReadonlyMap<string, KindCode> = new Map([
  ["user", "u"],
  ["assistant", "a"],
  ["toolResult", "t"],
  ["system", "s"],
  ["bashExecution", "b"],
]);

const TYPES: ReadonlyMap<string, KindCode> = new Map([
  ["compaction", "c"],
  ["branch_summary", "m"],
  ["context_edit", "x"],
  ["model_change", "o"],
  ["thinking_level_change", "k"],
  ["label", "l"],
  ["session_info", "n"],
  ["custom_message", "q"],
  ["leaf", "v"],
]);

/** What an entry is, as one character (`TreeColumns.kinds`). Needs no payload. */
export function kindOf(at: TreeEntry): KindCode {
  if (at.type === "message") return ROLES.get(at.role ?? "") ?? "?";
  if (at.type !== "custom") return TYPES.get(at.type) ?? ".";
  if (at.customType === LEAF_TYPE) return "v";
  return at.customType === GAP_TYPE ? "g" : ".";
}

/**
 * Whether entries of this kind are rows of the transcript: what was said and done, not what was written about
 * it. Messages of unknown roles are `?` here, so that the kind alone tells.
 */
export function isShownKind(kind: KindCode): boolean {
  return SHOWN_KINDS.has(kind);
}

/** The same for an entry. */
export function isShown(at: TreeEntry): boolean {
  return SHOWN_KINDS.has(kindOf(at));
}

/** Whether an entry counts as an alternative of its siblings. */
export function isChoice(at: TreeEntry): boolean {
  return CHOICE_KINDS.has(kindOf(at));
}
