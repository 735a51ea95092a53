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
      return describeMove(change, tree);
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

/** Two branches may end at one entry; then only their names tell what moved. */
function describeMove({ from, to }: Change & { readonly kind: "move" }, tree: SessionTree): string {
  const ends = [tree.position(from), tree.position(to)];
  if (ends[0] !== ends[1])
    return `move from ${short(ends[0] ?? null)} to ${short(ends[1] ?? null)}`;
  const [left, entered] = [from, to].map((at) => {
    const id = tree.branchOf(at);
    return tree.branch(id)?.name ?? short(id);
  });
  return `move from branch "${left}" to branch "${entered}"`;
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
