import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import { branchMark, leafMark, uncompactMark } from "../entry/own-state.ts";
import type { StoreSession } from "../store/store.ts";
import { isUncompacted } from "../tree/fold.ts";
import { isOwn, type SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import type { BranchState, Change } from "./change.ts";
import { describeChange } from "./operation-text.ts";

/** What an operation changed. */
export type OperationKind = Change["kind"];

/** One operation of the log that the file itself is (design.md §2 "Undo"). */
export interface Operation {
  /** Id that its entries share in `data.op`; the entry's id where other programs wrote it. */
  readonly op: string;
  readonly kind: OperationKind;
  /** All entries of the operation in file order, markers included. */
  readonly entryIds: readonly string[];
  /** ISO time of its first entry. */
  readonly timestamp: string;
  /** The operation that this one takes back, or null. */
  readonly undoes: string | null;
  /** True where a later operation took this one back. */
  readonly undone: boolean;
  /** One line for people. */
  readonly summary: string;
}

/** An operation with its changes in file order. */
export interface LoggedOperation extends Operation {
  readonly changes: readonly Change[];
  /** 0 = ordinary, 1 = takes an ordinary one back, 2 = brings it back, …; null = names no known one. */
  readonly level: number | null;
}

/** Entry types that can be part of an operation. */
const OPERATION_TYPES: ReadonlySet<string> = new Set([
  "label",
  "session_info",
  "context_edit",
  "compaction",
  "custom",
  "leaf",
]);

/** Whether an entry can be part of an operation, as far as its place tells. */
function isCandidate(at: TreeEntry): boolean {
  return OPERATION_TYPES.has(at.type) && (at.type !== "custom" || isOwn(at));
}

/** Reads the log of operations in file order: linear in the entries, but only candidates are read. */
export async function readOperations(store: StoreSession): Promise<readonly LoggedOperation[]> {
  const entries: Entry[] = [];
  const candidates: string[] = [];
  for (const at of store.tree.entries()) if (isCandidate(at)) candidates.push(at.id);
  for (const id of candidates) {
    const entry = await store.get(id);
    if (entry !== undefined) entries.push(entry);
  }
  return deriveOperations(store.tree, entries);
}

/**
 * Derives the log of operations, in file order, whoever wrote them. `entries` are those of
 * types that can be part of an operation. Own state of other sessions is ignored.
 */
export function deriveOperations(
  tree: SessionTree,
  entries: readonly Entry[],
): readonly LoggedOperation[] {
  const log = new OperationLog(tree);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const at of tree.entries()) {
    const entry = byId.get(at.id);
    if (entry !== undefined) log.add(entry, at);
    log.pass(at);
  }
  return log.list();
}

interface Row {
  readonly op: string;
  readonly entryIds: string[];
  readonly timestamp: string;
  readonly undoes: string | null;
  readonly level: number | null;
  /** The ordinary operation at the end of the chain of undos; null = itself. */
  readonly root: Row | null;
  undone: boolean;
  readonly changes: Change[];
  readonly started: Set<string>;
}

/** Goes through the entries in file order, keeping the state that each change replaces. */
class OperationLog {
  readonly #tree: SessionTree;
  readonly #rows = new Map<string, Row>();
  readonly #heads = new Map<string, string | null>();
  readonly #labels = new Map<string, string>();
  readonly #branches = new Map<string, BranchState>();
  #name: string | null = null;
  #leaf: string | null = null;

  constructor(tree: SessionTree) {
    this.#tree = tree;
  }

  /** Takes an entry that can be part of an operation. */
  add(entry: Entry, at: TreeEntry): void {
    const mark = markOf(entry);
    const op = mark.op ?? entry.id;
    const starts = leafMark(entry, this.#tree.session)?.start === true;
    const change = this.#change(entry, at);
    if (change === null && (mark.op === null || !this.#isOurs(entry))) return;
    const row = this.#rows.get(op) ?? this.#open(op, mark.undoes, entry);
    row.entryIds.push(entry.id);
    if (starts) row.started.add(entry.id);
    if (change !== null) row.changes.push(change);
  }

  /** Takes notice of every entry, after {@link add}: what leaf and heads are from here on. */
  pass(at: TreeEntry): void {
    this.#leaf = leafAfter(this.#tree, at);
    this.#heads.set(this.#tree.branchOf(this.#leaf), this.#leaf);
  }

  list(): readonly LoggedOperation[] {
    const operations: LoggedOperation[] = [];
    for (const row of this.#rows.values()) {
      const [first] = row.changes;
      // Markers alone belong to an operation whose other entries are lost.
      if (first === undefined) continue;
      const { op, entryIds, timestamp, undoes, undone, level } = row;
      const changes = row.changes.map((change) =>
        change.kind === "branch" ? { ...change, created: row.started.has(change.branch) } : change,
      );
      const words = changes.map((change) => describeChange(change, this.#tree)).join(", ");
      const verb = level !== null && level % 2 === 0 ? "redo" : "undo";
      const summary = undoes === null ? words : `${verb}: ${words}`;
      const { kind } = first;
      operations.push({ op, kind, entryIds, timestamp, undoes, undone, summary, changes, level });
    }
    return operations;
  }

  #open(op: string, undoes: string | null, entry: Entry): Row {
    const target = undoes === null ? undefined : this.#rows.get(undoes);
    const below = target?.level ?? null;
    const row: Row = {
      op,
      entryIds: [],
      timestamp: entry.timestamp,
      undoes,
      level: undoes === null ? 0 : below === null ? null : below + 1,
      root: target === undefined ? null : (target.root ?? target),
      undone: false,
      changes: [],
      started: new Set(),
    };
    this.#rows.set(op, row);
    if (target !== undefined && row.level !== null) this.#takeBack(row, target);
    return row;
  }

  #takeBack(row: Row, target: Row): void {
    target.undone = true;
    const again = target.undoes === null ? undefined : this.#rows.get(target.undoes);
    if (again !== undefined) again.undone = false;
    if (row.root !== null && row.level !== null) row.root.undone = row.level % 2 === 1;
  }

  #isOurs(entry: Entry): boolean {
    return leafMark(entry, this.#tree.session) !== null;
  }

  #change(entry: Entry, at: TreeEntry): Change | null {
    if (isEntry(entry, "label")) return this.#labelChange(entry.targetId, entry.label);
    if (isEntry(entry, "session_info")) return this.#nameChange(entry.name?.trim() || null);
    if (isEntry(entry, "compaction")) return { kind: "compaction", at };
    if (isEntry(entry, "context_edit")) {
      if (isOfRun(entry)) return null;
      const { targetId, replacement } = entry;
      if (!this.#tree.has(targetId)) return null;
      return { kind: "edit", at, targetId, hides: replacement === null };
    }
    if (at.isMove) return this.#moveChange(at, this.#leaf);
    return this.#ownChange(entry, at);
  }

  #ownChange(entry: Entry, at: TreeEntry): Change | null {
    const { session } = this.#tree;
    const moved = leafMark(entry, session);
    if (moved?.from !== undefined) return this.#moveChange(at, moved.from);
    const mark = uncompactMark(entry, session);
    if (mark !== null) {
      const formerOff = at.parent === null || !isUncompacted(at.parent.fold, mark.compaction);
      const { compaction } = mark;
      return { kind: "uncompact", at, compaction, off: mark.off === true, formerOff };
    }
    const row = branchMark(entry, session);
    return row === null ? null : this.#branchChange(row);
  }

  #moveChange(at: TreeEntry, from: string | null): Change | null {
    if (from !== null && !this.#tree.has(from)) return null;
    const to = leafAfter(this.#tree, at);
    if (at.isMove && to === from) return null;
    const branch = this.#tree.branchOf(from);
    const wasHead = (this.#heads.get(branch) ?? null) === from;
    const left = wasHead && branch !== this.#tree.branchOf(to) ? branch : null;
    return { kind: "move", from, to, left };
  }

  #labelChange(targetId: string, value: unknown): Change {
    const label = typeof value === "string" && value !== "" ? value : null;
    const former = this.#labels.get(targetId) ?? null;
    if (label === null) this.#labels.delete(targetId);
    else this.#labels.set(targetId, label);
    return { kind: "label", targetId, label, former };
  }

  #nameChange(name: string | null): Change {
    const former = this.#name;
    this.#name = name;
    return { kind: "name", name, former };
  }

  #branchChange(row: Partial<BranchState> & { readonly branch: string }): Change {
    const former = this.#branches.get(row.branch) ?? { name: null, archived: false };
    const name = row.name === undefined ? former.name : row.name || null;
    const state = { name, archived: row.archived ?? former.archived };
    this.#branches.set(row.branch, state);
    return { kind: "branch", branch: row.branch, ...state, former, created: false };
  }
}

/** The stored leaf once this entry is the last one. */
function leafAfter(tree: SessionTree, at: TreeEntry): string | null {
  if (!at.isMove) return at.id;
  if (at.targetId === null) return null;
  return tree.has(at.targetId) ? at.targetId : (at.parent?.id ?? null);
}

/** A run leaves its failed attempts out of the context: nobody decided that, so nobody takes it back. */
function isOfRun(entry: Entry): boolean {
  return "data" in entry && isObject(entry.data) && typeof entry.data.run === "string";
}

function markOf(entry: Entry): { readonly op: string | null; readonly undoes: string | null } {
  const data = "data" in entry && isObject(entry.data) ? entry.data : {};
  return {
    op: typeof data.op === "string" ? data.op : null,
    undoes: typeof data.undoes === "string" ? data.undoes : null,
  };
}
