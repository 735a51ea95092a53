import type { EntryDraft } from "../entry/entry.ts";
import { latePattern } from "../entry/late-pattern.ts";
import { BRANCH_TYPE, type BranchMark } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { mustBranch } from "./leaf-move.ts";
import { leafMarker, type SessionHandle } from "./session-handle.ts";

/** Longest branch name, in characters (code points). */
export const MAX_BRANCH_NAME_LENGTH = 100;

/** Names that mean something else as a revision. */
const RESERVED: ReadonlySet<string> = new Set(["root", "leaves", "forks", "compactions"]);
const controls = latePattern(String.raw`[\p{Cc}\p{Zl}\p{Zp}]`, "u");
const REVISION_SUFFIX = /[~^]\d*$/;

/** Why a text cannot be a branch name, or null where it can. */
export function branchNameFault(name: string): string | null {
  const length = [...name].length;
  if (length === 0) return "it is empty";
  if (length > MAX_BRANCH_NAME_LENGTH)
    return `it has more than ${MAX_BRANCH_NAME_LENGTH} characters`;
  if (controls().test(name)) return "it has control characters";
  if (name.trim() !== name) return "it begins or ends with a blank";
  if (/^[@:]/.test(name)) return "it begins with @ or :";
  if (name.includes("..")) return "it has two dots in a row";
  if (REVISION_SUFFIX.test(name)) return "it ends like a revision, in ~ or ^";
  return RESERVED.has(name) ? "this word has a meaning as a revision" : null;
}

/**
 * Starts a branch under an entry (default: the leaf) and names it; nobody is moved by it (design.md §2 "Branches"). Gives the
 * branch's id. Throws BRANCH_NAME_INVALID, BRANCH_EXISTS, ENTRY_UNKNOWN.
 */
export async function createBranch(
  handle: SessionHandle,
  name: string,
  where?: string | null,
): Promise<string> {
  await handle.store.refresh();
  checkName(handle, name);
  const at = where === undefined ? handle.leaf : where;
  if (at !== null) handle.mustFind(at);
  const op = handle.newOp();
  const branch = handle.newOp();
  const session = handle.store.id;
  const rowId = handle.newOp();
  const row = { ...branchRow({ session, op, branch, name }), id: rowId };
  const start = { ...leafMarker({ session, op, start: true }), id: branch, parentId: at };
  // The row comes first: its place is decided under the lock, and the marker back hangs under it.
  const back = { ...leafMarker({ session, op }), parentId: rowId };
  await handle.commitRows([row, start, back]);
  return branch;
}

/** Gives a branch another name. Throws BRANCH_UNKNOWN, BRANCH_NAME_INVALID, BRANCH_EXISTS. */
export async function renameBranch(
  handle: SessionHandle,
  idOrName: string,
  name: string,
): Promise<string | null> {
  await handle.store.refresh();
  const info = mustBranch(handle.tree, idOrName);
  if (info.name === name) return null;
  checkName(handle, name);
  return writeRow(handle, { branch: info.id, name });
}

/**
 * Takes a branch out of lists, or back into them. Throws BRANCH_UNKNOWN, and TARGET_INVALID for the
 * branch that the handle or the stored leaf stands on: what one works on must stay in sight.
 */
export async function setArchived(
  handle: SessionHandle,
  idOrName: string,
  options: { readonly archived: boolean },
): Promise<string | null> {
  await handle.store.refresh();
  const info = mustBranch(handle.tree, idOrName);
  if (info.archived === options.archived) return null;
  if (options.archived && isStoodOn(handle, info.id)) throw stoodOn(info.id);
  return writeRow(handle, { branch: info.id, archived: options.archived });
}

function isStoodOn(handle: SessionHandle, branch: string): boolean {
  return handle.branch === branch || handle.tree.branchOf(handle.tree.leaf()) === branch;
}

function stoodOn(branch: string): BranchlineError<"TARGET_INVALID"> {
  const reason = "it is the branch that the conversation is on";
  return new BranchlineError(
    "TARGET_INVALID",
    { target: branch, reason },
    {
      message: `The branch cannot be put away: ${reason}.`,
      hint: "Go to another branch first, with `branchline switch`.",
    },
  );
}

/** A row of the table of branch names. */
export function branchRow(data: BranchMark): EntryDraft {
  return { type: "custom", customType: BRANCH_TYPE, data };
}

async function writeRow(
  handle: SessionHandle,
  row: Pick<BranchMark, "branch" | "name" | "archived">,
): Promise<string> {
  const op = handle.newOp();
  await handle.commitRows([branchRow({ session: handle.store.id, op, ...row })]);
  return op;
}

function checkName(handle: SessionHandle, name: string): void {
  const fault = branchNameFault(name);
  if (fault !== null) {
    throw new BranchlineError(
      "BRANCH_NAME_INVALID",
      { name: name.slice(0, 200), reason: fault },
      {
        message: `This cannot be the name of a branch: ${fault}.`,
        hint: "Choose another name; `a-z`, digits, - and any letters of any language are fine.",
      },
    );
  }
  const holder = handle.tree.branch(name);
  if (holder === undefined) return;
  throw new BranchlineError(
    "BRANCH_EXISTS",
    { name, branch: holder.id },
    { message: `The name ${name} is taken by another branch.`, hint: "Choose another name." },
  );
}
