import type { EntryDraft } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import type { Usage } from "../entry/message.ts";
import {
  GOAL_TYPE,
  leafMark,
  type OperationMark,
  TASKS_TYPE,
  UNCOMPACT_TYPE,
} from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { isOwn, type SessionTree } from "../tree/session-tree.ts";
import type { BranchInfo } from "../tree/tree-entry.ts";
import { contentText, editableContent } from "./entry-content.ts";
import { leafMarker, type SessionHandle } from "./session-handle.ts";

/** The text that stands for the branch which a move leaves (Pi's `branch_summary`). */
export interface MoveSummary {
  readonly text: string;
  readonly details?: unknown;
  /** What it cost to make; it counts on the path that the move leads to. */
  readonly usage?: Usage | undefined;
}

/** Options of a move. */
export interface MoveOptions {
  /** Written below the marker in the same commit. Left out where nothing moves. */
  readonly summary?: MoveSummary;
  /** Rows of our own state for the branch that the move leads to, behind the rest of the same commit. */
  readonly rows?: (branch: string) => readonly EntryDraft[];
}

/** Where a move landed. */
export interface MoveResult {
  readonly leaf: string | null;
  readonly position: string | null;
  readonly branch: string;
  /** The leaf that was left; null = before the first entry. */
  readonly previousLeaf: string | null;
  /** Deepest entry that both paths share, our own state left out; null = they share none. */
  readonly commonAncestor: string | null;
  /** True where the move started a branch. */
  readonly started: boolean;
  /** Id of the operation; null where the handle and the stored leaf were there already. */
  readonly op: string | null;
}

/** A move to a message for editing. */
export interface SelectResult extends MoveResult {
  /** Text of the selected user or custom message, to be edited and sent again; else null. */
  readonly editorText: string | null;
}

/** Where a move goes: on along a branch, or to a new branch that starts under an entry. */
export type Destination =
  | { readonly kind: "branch"; readonly branch: string }
  | { readonly kind: "start"; readonly at: string | null };

/** What a move is written with. */
export interface TravelOptions extends MoveOptions {
  readonly mark: OperationMark & { readonly op: string };
}

/**
 * The branch that a target continues, else a new one under it (design.md §2 "Branches"). A target is
 * the head of a branch, its position, or the entry that only labels, names and usage follow; where
 * several branches fit, the exact head is taken, then the handle's branch, then the branch on which the target lies, then the newest.
 */
export function destinationOf(handle: SessionHandle, target: string | null): Destination {
  const { tree } = handle;
  const at = landing(tree, target);
  const lies = tree.branchOf(at);
  if (tree.head(lies) === at) return { kind: "branch", branch: lies };
  const near = handle.detached ? [lies] : [handle.branch, lies];
  const branch = near.find((id) => endsAt(tree, id, at)) ?? newestEndingAt(tree, at);
  return branch === undefined ? { kind: "start", at } : { kind: "branch", branch };
}

/** An old leaf entry stands for its target. */
function landing(tree: SessionTree, target: string | null): string | null {
  const at = target === null ? undefined : tree.get(target);
  if (at?.isMove !== true || (at.targetId !== null && !tree.has(at.targetId))) return target;
  return at.targetId;
}

/** What stands at the end of a branch without changing where one is on it. */
const ASIDE: ReadonlySet<string> = new Set(["label", "session_info", "usage"]);
/** Our own state that holds along the path: before it the context or the plan is another one. */
const OF_THE_PATH: ReadonlySet<string | null> = new Set([UNCOMPACT_TYPE, GOAL_TYPE, TASKS_TYPE]);

/**
 * True where nothing but labels, names, usage and our own markers stands below the target on the
 * branch: naming a message must not make it the middle of its branch. State of extensions counts, and a
 * plan, as going back to before it is a reason to move.
 */
function endsAt(tree: SessionTree, branch: string, at: string | null): boolean {
  for (const above of tree.ancestors(tree.head(branch))) {
    if (above.id === at) return true;
    const isMarker = isOwn(above) && !OF_THE_PATH.has(above.customType);
    if (!ASIDE.has(above.type) && !isMarker) return false;
  }
  return at === null;
}

function newestEndingAt(tree: SessionTree, at: string | null): string | undefined {
  const fits = ({ archived, head }: BranchInfo): boolean =>
    !archived && head !== null && endsAt(tree, tree.branchOf(head), at);
  return tree.branchRows().findLast(fits)?.id;
}

/**
 * Moves the handle and the stored leaf. Nothing is written where both are there already.
 * Throws ENTRY_UNKNOWN and what a commit throws.
 */
export async function moveLeaf(
  handle: SessionHandle,
  target: string | null,
  options: MoveOptions = {},
): Promise<MoveResult> {
  return handle.decide(() => {
    if (target !== null) handle.mustFind(target);
    return moveUnlessThere(handle, destinationOf(handle, target), options);
  });
}

/** Moves to the head of a branch, by id or name, wherever it is. Throws BRANCH_UNKNOWN. */
export async function moveToBranch(
  handle: SessionHandle,
  idOrName: string,
  options: MoveOptions = {},
): Promise<MoveResult> {
  return handle.decide(() => {
    const { id } = mustBranch(handle.tree, idOrName);
    return moveUnlessThere(handle, { kind: "branch", branch: id }, options);
  });
}

/** The branch with this id or name. Throws BRANCH_UNKNOWN. */
export function mustBranch(tree: SessionTree, idOrName: string): BranchInfo {
  const info = tree.branch(idOrName);
  if (info !== undefined) return info;
  throw new BranchlineError(
    "BRANCH_UNKNOWN",
    { branch: idOrName },
    {
      message: `No branch has the id or name ${idOrName}.`,
      hint: "`branchline branch --all` lists the branches, also those put away.",
    },
  );
}

/**
 * Moves as Pi does when an entry is picked: a user or custom message gives its text for editing and
 * the leaf goes above it; any other entry becomes the leaf. Throws as {@link moveLeaf}.
 */
export async function select(
  handle: SessionHandle,
  target: string,
  options: MoveOptions = {},
): Promise<SelectResult> {
  return handle.decide(async () => {
    const at = handle.mustFind(target);
    const entry = await handle.store.mustGet(target);
    const isPicked = at.role === "user" || isEntry(entry, "custom_message");
    const to = isPicked ? await aboveMarkers(handle, at.parent?.id ?? null) : target;
    const moved = await moveUnlessThere(handle, destinationOf(handle, to), options);
    return { ...moved, editorText: isPicked ? contentText(editableContent(entry)) : null };
  });
}

/** A message under a leaf marker is edited beside it, not in a branch of that branch. */
async function aboveMarkers(handle: SessionHandle, id: string | null): Promise<string | null> {
  for (const at of handle.tree.ancestors(id)) {
    if (at.type !== "custom") return at.id;
    const entry = await handle.store.mustGet(at.id);
    if (leafMark(entry, handle.store.id) === null) return at.id;
  }
  return null;
}

async function moveUnlessThere(
  handle: SessionHandle,
  to: Destination,
  options: MoveOptions,
): Promise<MoveResult> {
  const { tree, leaf } = handle;
  const isThere = to.kind === "branch" && !handle.detached && handle.branch === to.branch;
  if (isThere && tree.leaf() === leaf)
    return report(handle, { from: leaf, started: false, op: null });
  return travel(handle, to, { ...options, mark: { op: handle.newOp() } });
}

/** Writes a move, needed or not, and takes the handle there. Decide again on STORE_CONFLICT. */
export async function travel(
  handle: SessionHandle,
  to: Destination,
  options: TravelOptions,
): Promise<MoveResult> {
  const { tree } = handle;
  const starts = to.kind === "start";
  const place = starts ? to.at : tree.head(to.branch);
  // A handle that is there already moves only the stored leaf, so that is what was left.
  const from = handle.leaf === place ? tree.leaf() : handle.leaf;
  const data = { session: handle.store.id, ...options.mark, from };
  const marker = leafMarker(starts ? { ...data, start: true } : data);
  const summary = options.summary === undefined ? [] : [summaryDraft(options.summary, from)];
  // A marker that starts a branch gives it its id.
  const id = handle.newOp();
  const rows = options.rows?.(starts ? id : to.branch) ?? [];
  // Continuing, the marker hangs under the head as it is under the lock, or there is a conflict.
  const { entries } = await handle.store.commit(
    starts
      ? { entries: [{ ...marker, id, parentId: to.at }, ...summary, ...rows] }
      : { entries: [marker, ...summary, ...rows], branch: to.branch, expectedLeaf: place },
  );
  const [written] = entries;
  if (written !== undefined) handle.goTo(starts ? written.id : to.branch);
  return report(handle, { from, started: starts, op: options.mark.op });
}

function summaryDraft(summary: MoveSummary, from: string | null): EntryDraft {
  const { text, details, usage } = summary;
  return {
    type: "branch_summary",
    fromId: from ?? "root",
    summary: text,
    ...(details === undefined ? {} : { details }),
    ...(usage === undefined ? {} : { usage }),
  };
}

interface Moved {
  readonly from: string | null;
  readonly started: boolean;
  readonly op: string | null;
}

function report(handle: SessionHandle, moved: Moved): MoveResult {
  const { tree, leaf, branch } = handle;
  const common = tree.commonAncestor(moved.from, leaf)?.id ?? null;
  return {
    leaf,
    position: tree.position(leaf),
    branch,
    previousLeaf: moved.from,
    commonAncestor: tree.position(common),
    started: moved.started,
    op: moved.op,
  };
}
