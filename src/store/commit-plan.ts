import type { Entry, EntryDraft } from "../entry/entry.ts";
import { entryFault, isMalformed } from "../entry/entry-check.ts";
import { newEntryId, type RandomBytes } from "../entry/ids.ts";
import { STAMP_MEMBERS } from "../entry/line-encode.ts";
import { UNCOMPACT_TYPE } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { branchUnknown } from "./refusals.ts";
import type { CommitRequest } from "./store.ts";

/** Types between an expected leaf and the head that change nothing of the context (design.md §2). */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["label", "session_info", "usage", "custom"]);

/** An uncompact mark is a custom entry too, but it brings messages back. */
function hasEffect(at: PlanStep): boolean {
  return !WITHOUT_EFFECT.has(at.type) || at.customType === UNCOMPACT_TYPE;
}

/** Longest idempotency key, in characters. */
export const MAX_KEY_LENGTH = 256;

/** What of an entry decides a commit. */
export type PlanStep = Pick<TreeEntry, "id" | "type" | "customType">;

/** What of a tree decides a commit; a `SessionTree` fits. */
export interface PlanTree {
  has(id: string): boolean;
  branch(idOrName: string): { readonly id: string } | undefined;
  head(branch: string): string | null;
  ancestors(id: string | null): Iterable<PlanStep>;
}

/** What a store puts in from outside to complete drafts. */
export interface CommitContext {
  readonly tree: PlanTree;
  /** Present time in ms. */
  readonly now: number;
  readonly random: RandomBytes;
}

/**
 * Decides a commit against the tree as it is now, under the store's lock: checks the expected leaf,
 * completes the drafts, links them; what it gives is frozen. The request comes from `prepareCommit`.
 * Shared by all stores, pure but for the ids it draws. Throws STORE_CONFLICT, BRANCH_UNKNOWN,
 * ENTRY_UNKNOWN, ENTRY_INVALID.
 */
export function planCommit(request: CommitRequest, context: CommitContext): readonly Entry[] {
  const { tree } = context;
  const branch = request.branch ?? "main";
  if (tree.branch(branch)?.id !== branch) {
    throw branchUnknown(branch);
  }
  const head = tree.head(branch);
  if (request.expectedLeaf !== undefined && !leafMatches(tree, head, request.expectedLeaf)) {
    throw conflict(branch, request.expectedLeaf, head);
  }
  return completeDrafts(request.entries, head, context);
}

function conflict(
  branch: string,
  expected: string | null,
  head: string | null,
): BranchlineError<"STORE_CONFLICT"> {
  return new BranchlineError(
    "STORE_CONFLICT",
    { branch, expected, head },
    {
      message: `The branch has moved on: its leaf is ${head ?? "root"}, not ${expected ?? "root"}.`,
      hint: "Read what was added, then try again with the present leaf, or start a branch.",
    },
  );
}

/**
 * True where `expected` is the head, or only entries without effect on the context lie above the
 * head down to it. null means "before the first entry".
 */
export function leafMatches(tree: PlanTree, head: string | null, expected: string | null): boolean {
  if (head === expected) return true;
  for (const at of tree.ancestors(head)) {
    if (at.id === expected) return true;
    if (hasEffect(at)) return false;
  }
  return expected === null;
}

function completeDrafts(
  drafts: readonly EntryDraft[],
  head: string | null,
  context: CommitContext,
): readonly Entry[] {
  if (drafts.length === 0) throw invalid("a commit has at least one entry");
  const timestamp = new Date(context.now).toISOString();
  const made = new Set<string>();
  const entries: Entry[] = [];
  let previous = head;
  for (const draft of drafts) {
    const { type, id = newEntryId(context.random), parentId = previous, ...members } = draft;
    const entry = Object.freeze({ type, id, parentId, timestamp, ...members } as Entry);
    checkMembers(entry);
    // What the engine put in itself needs no look-up: a fresh id has 80 random bits, the head exists.
    const isTaken = made.has(id) || (draft.id !== undefined && context.tree.has(id));
    if (isTaken) throw invalid(`the id ${id} is taken`);
    if (draft.parentId !== undefined) checkParent(parentId, made, context.tree);
    made.add(id);
    entries.push(entry);
    previous = id;
  }
  return Object.freeze(entries);
}

function checkMembers(entry: Entry): void {
  const fault = entryFault(entry);
  if (fault !== null) throw invalid(fault);
  if (isMalformed(entry))
    throw invalid(`the members of a ${entry.type} entry are missing or wrong`);
  if (typeof entry.timestamp !== "string") throw invalid("the timestamp is no text");
  if (entry.type === "session") throw invalid("a header is no entry");
  for (const name of STAMP_MEMBERS) {
    if (Object.hasOwn(entry, name)) throw invalid(`the member ${name} belongs to the line`);
  }
}

function checkParent(parentId: string | null, made: ReadonlySet<string>, tree: PlanTree): void {
  if (parentId === null || made.has(parentId) || tree.has(parentId)) return;
  throw new BranchlineError(
    "ENTRY_UNKNOWN",
    { revision: parentId },
    { message: `The parent ${parentId} is no entry of this session.` },
  );
}

function invalid(reason: string): BranchlineError<"ENTRY_INVALID"> {
  return new BranchlineError(
    "ENTRY_INVALID",
    { reason },
    { message: `The entry is refused: ${reason}.` },
  );
}

/**
 * True where stored entries are what these drafts would have become: the check behind a replayed
 * idempotency key. Ids, parents and times that the drafts leave open do not count.
 */
export function isSameCommit(stored: readonly Entry[], drafts: readonly EntryDraft[]): boolean {
  if (stored.length !== drafts.length) return false;
  return drafts.every((draft, index) => {
    const entry = stored[index] as Readonly<Record<string, unknown>>;
    const { id, parentId, timestamp, ...members } = draft as Readonly<Record<string, unknown>>;
    const given = { id, parentId, timestamp };
    const fits = Object.entries(given).every(
      ([name, value]) => value === undefined || entry[name] === value,
    );
    const { id: _id, parentId: _parent, timestamp: _time, ...rest } = entry;
    return fits && canonical(rest) === canonical(members);
  });
}

/** JSON with sorted member names, so that the order in which a caller builds a draft does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    const sorted = Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  });
}
