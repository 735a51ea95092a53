import type { EntryDraft } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { branchRow } from "./branch-names.ts";
import type { Change } from "./change.ts";
import { contextEdit, replacementAt, uncompactEntry } from "./context-edits.ts";
import { type Destination, destinationOf, travel } from "./leaf-move.ts";
import { labelRow, nameRow } from "./names.ts";
import { type LoggedOperation, type Operation, readOperations } from "./operations.ts";
import { leafMarker, type SessionHandle } from "./session-handle.ts";

/** What the entries of an undo carry. */
interface UndoMark {
  readonly op: string;
  readonly undoes: string;
}

/** An entry that takes a change back; `branch` null = anywhere, its effect is session-wide. */
interface Reversal {
  readonly branch: string | null;
  readonly draft: EntryDraft;
}

/**
 * Takes back the newest operation that is not taken back, whoever did it (design.md §2 "Undo"). Gives
 * that operation, now with `undone: true`. Nothing is removed. Throws NOTHING_TO_UNDO.
 */
export async function undo(handle: SessionHandle): Promise<Operation> {
  return handle.decide(async () => {
    const operations = await readOperations(handle.store);
    const target = operations.findLast(({ level, undone }) => level === 0 && !undone);
    if (target === undefined) {
      throw new BranchlineError("NOTHING_TO_UNDO", {}, { message: "There is nothing to undo." });
    }
    await takeBack(handle, target);
    return { ...toOperation(target), undone: true };
  });
}

/**
 * Takes back the newest undo that is not taken back, as long as no ordinary operation followed it.
 * Gives the operation that is in force again. Throws NOTHING_TO_REDO.
 */
export async function redo(handle: SessionHandle): Promise<Operation> {
  return handle.decide(async () => {
    const operations = await readOperations(handle.store);
    const since = operations.findLastIndex(({ level }) => level === 0);
    const newest = operations.findLastIndex(({ level, undone }) => level === 1 && !undone);
    const target = operations[newest];
    const again = operations.find(({ op }) => op === target?.undoes);
    if (target === undefined || again === undefined || newest < since) {
      throw new BranchlineError("NOTHING_TO_REDO", {}, { message: "There is nothing to redo." });
    }
    await takeBack(handle, target);
    return { ...toOperation(again), undone: false };
  });
}

/** An operation as callers see it. */
export function toOperation(logged: LoggedOperation): Operation {
  const { changes: _changes, level: _level, ...operation } = logged;
  return operation;
}

async function takeBack(handle: SessionHandle, target: LoggedOperation): Promise<void> {
  const mark = { op: handle.newOp(), undoes: target.op };
  const reversals: Reversal[] = [];
  let back: Destination | null = null;
  for (const change of target.changes.toReversed()) {
    if (change.kind === "move") back = destinationBack(handle, change);
    else reversals.push(...(await reverse(handle, change, mark)));
  }
  if (reversals.length > 0) await write(handle, reversals, mark);
  if (back !== null) await travel(handle, back, { mark });
}

function destinationBack(
  handle: SessionHandle,
  { from, left }: Change & { readonly kind: "move" },
): Destination {
  return left === null ? destinationOf(handle, from) : { kind: "branch", branch: left };
}

async function reverse(
  handle: SessionHandle,
  change: Exclude<Change, { readonly kind: "move" }>,
  mark: UndoMark,
): Promise<readonly Reversal[]> {
  const session = handle.store.id;
  switch (change.kind) {
    case "label":
      return [{ branch: null, draft: labelRow(change.targetId, change.former, mark) }];
    case "name":
      return [{ branch: null, draft: nameRow(change.former, mark) }];
    case "branch": {
      const { branch, former, created } = change;
      // A branch that was not there before cannot be removed, only put out of sight.
      const state = created ? { name: null, archived: true } : former;
      return [{ branch: null, draft: branchRow({ session, ...mark, branch, ...state }) }];
    }
    case "edit": {
      const target = await handle.store.mustGet(change.targetId);
      const former = await replacementAt(handle, change.at.parent?.id ?? null, target);
      return alongPaths(handle, change.at, contextEdit(change.targetId, former, mark));
    }
    case "compaction": {
      const draft = uncompactEntry({ session, ...mark, compaction: change.at.id });
      return alongPaths(handle, change.at, draft);
    }
    case "uncompact": {
      const { compaction, formerOff } = change;
      const off = formerOff ? { off: true } : {};
      return alongPaths(
        handle,
        change.at,
        uncompactEntry({ session, ...mark, compaction, ...off }),
      );
    }
  }
}

/** On the branch of the entry, and on the handle's where that one began below the entry. */
function alongPaths(handle: SessionHandle, at: TreeEntry, draft: EntryDraft): readonly Reversal[] {
  const { branch } = at.fold;
  const own = handle.detached ? branch : handle.branch;
  if (own === branch || !handle.isOnPath(at.id)) return [{ branch, draft }];
  return [
    { branch, draft },
    { branch: own, draft },
  ];
}

/** One commit; entries of other branches are followed by one under the own head, so nobody is moved. */
async function write(
  handle: SessionHandle,
  reversals: readonly Reversal[],
  mark: UndoMark,
): Promise<void> {
  const { home, tree } = handle;
  const own: EntryDraft[] = [];
  const others = new Map<string, EntryDraft[]>();
  for (const { branch, draft } of reversals) {
    if (branch === null || branch === home) own.push(draft);
    else others.set(branch, [...(others.get(branch) ?? []), draft]);
  }
  if (others.size === 0) {
    await handle.commitRows(own);
    return;
  }
  if (own.length === 0) own.push(leafMarker({ session: handle.store.id, op: mark.op }));
  const head = tree.head(home);
  const groups = [...others].flatMap(([branch, drafts]) => under(tree.head(branch), drafts));
  const entries = [...groups, ...under(head, own)];
  await handle.store.commit({ entries, branch: home, expectedLeaf: head });
}

/** The first draft under the entry, the others chain behind it. */
function under(parentId: string | null, drafts: readonly EntryDraft[]): readonly EntryDraft[] {
  return drafts.map((draft, index) => (index === 0 ? { ...draft, parentId } : draft));
}
