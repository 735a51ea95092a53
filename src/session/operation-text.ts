import type { SessionTree } from "../tree/session-tree.ts";
import type { Change } from "./change.ts";

/** Enough of an id for people to tell entries apart. */
const SHOWN_ID_LENGTH = 8;

function short(id: string | null): string {
  return id === null ? "root" : id.slice(0, SHOWN_ID_LENGTH);
}

/** A change in one line for people. `tree` tells the entries that people know from those of our own. */
export function describeChange(change: Change, tree: SessionTree): string {
  switch (change.kind) {
    case "move":
      return `move from ${short(tree.position(change.from))} to ${short(tree.position(change.to))}`;
    case "label":
      return change.label === null
        ? `clear the label of ${short(change.targetId)}`
        : `label ${short(change.targetId)} "${change.label}"`;
    case "name":
      return change.name === null ? "clear the session's name" : `name "${change.name}"`;
    case "edit":
      return `${change.hides ? "hide" : "replace"} ${short(change.targetId)}`;
    case "compaction":
      return `compaction ${short(change.at.id)}`;
    case "uncompact":
      return `${change.off ? "compact again" : "uncompact"} ${short(change.compaction)}`;
    case "branch":
      return describeBranch(change);
  }
}

function describeBranch(change: Change & { readonly kind: "branch" }): string {
  const { former, name, archived, branch } = change;
  if (change.created) return `branch "${name ?? branch}"`;
  if (name !== former.name) {
    return name === null
      ? `take the name of branch ${short(branch)}`
      : `name branch ${short(branch)} "${name}"`;
  }
  return `${archived ? "archive" : "unarchive"} branch "${name ?? short(branch)}"`;
}
