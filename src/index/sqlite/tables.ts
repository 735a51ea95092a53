import type { Entry } from "../../entry/entry.ts";
import { isEntry } from "../../entry/entry-check.ts";
import { branchMark, isOwnState } from "../../entry/own-state.ts";
import { MAIN_BRANCH } from "../../tree/fold.ts";
import type { BaseMark, BaseTip } from "../../tree/tree-base.ts";
import type { LabelInfo } from "../../tree/tree-entry.ts";
import { EMPTY_SNAPSHOT, type Snapshot } from "./snapshot.ts";

/** An entry's place in the tree, as the tables need it. */
export interface Placed {
  readonly id: string;
  readonly ordinal: number;
  readonly branch: string;
  readonly isMove: boolean;
}

/** Labels, branches, names and tips while entries come in: the {@link Snapshot} in the making. */
export class Tables {
  readonly #session: string;
  readonly #branches = new Map<string, { head: string | null; entries: number }>();
  readonly #marks: BaseMark[];
  readonly #tips = new Map<number, BaseTip>();
  /** The tip that was added last: most are gone with the next entry. */
  #newest: BaseTip | null = null;
  readonly #labels = new Map<string, LabelInfo>();
  #name: string | null;
  #size: number;

  constructor(session: string, start: Snapshot = EMPTY_SNAPSHOT) {
    this.#session = session;
    for (const { id, head, entries } of start.branches) this.#branches.set(id, { head, entries });
    this.#marks = [...start.marks];
    for (const tip of start.tips) this.#tips.set(tip.ordinal, tip);
    for (const label of start.labels) this.#labels.set(label.targetId, label);
    this.#name = start.name;
    this.#size = start.size;
  }

  /** The session's name in force, or null. */
  get name(): string | null {
    return this.#name;
  }

  /** Takes the next entry; `leaf` is what it makes the head: itself, but for old leaf entries. */
  add(at: Placed, entry: Entry, leaf: Placed | null): void {
    this.#size++;
    this.#addBranch(at, entry, leaf);
    if (!at.isMove) {
      if (this.#newest !== null) this.#tips.set(this.#newest.ordinal, this.#newest);
      const { id, ordinal, branch } = at;
      this.#newest = { id, ordinal, branch };
    }
    if (isEntry(entry, "session_info")) this.#name = entry.name?.trim() || null;
    if (isEntry(entry, "label")) this.#addLabel(entry);
  }

  /** Says that something other than an old leaf entry hangs under this one. */
  continued(ordinal: number): void {
    if (this.#newest?.ordinal === ordinal) this.#newest = null;
    else this.#tips.delete(ordinal);
  }

  /** All of it, as of now. */
  snapshot(): Snapshot {
    return {
      size: this.#size,
      branches: [...this.#branches].map(([id, { head, entries }]) => ({ id, head, entries })),
      marks: this.#marks,
      tips: [...this.#tips.values(), ...(this.#newest === null ? [] : [this.#newest])],
      labels: [...this.#labels.values()],
      name: this.#name,
    };
  }

  #addBranch(at: Placed, entry: Entry, leaf: Placed | null): void {
    const id = leaf?.branch ?? MAIN_BRANCH;
    let row = this.#branches.get(id);
    if (row === undefined) {
      row = { head: null, entries: 0 };
      this.#branches.set(id, row);
    }
    row.head = leaf?.id ?? null;
    if (!at.isMove && !isOwnState(entry)) row.entries++;
    const mark = branchMark(entry, this.#session);
    if (mark === null) return;
    const { branch, name, archived } = mark;
    this.#marks.push({
      branch,
      ...(name === undefined ? {} : { name }),
      ...(archived === undefined ? {} : { archived }),
    });
  }

  #addLabel(entry: { id: string; timestamp: string; targetId: string; label?: unknown }): void {
    const { targetId, label, id: entryId, timestamp } = entry;
    if (typeof label === "string" && label !== "")
      this.#labels.set(targetId, { targetId, label, entryId, timestamp });
    else this.#labels.delete(targetId);
  }
}

/** How many branches and tips `SessionTree.branches` shows; `current` is the branch of the leaf. */
export function countBranches(snapshot: Snapshot, current: string): number {
  const names = new Map<string, string | null>();
  for (const { branch, name } of snapshot.marks)
    if (name !== undefined) names.set(branch, name === "" ? null : name);
  const rows = new Map(snapshot.branches.map((row) => [row.id, row]));
  if (!rows.has(MAIN_BRANCH)) rows.set(MAIN_BRANCH, { id: MAIN_BRANCH, head: null, entries: 0 });
  let count = 0;
  for (const { id, entries } of rows.values())
    if (entries > 0 || id === current || typeof names.get(id) === "string") count++;
  for (const { id, branch } of snapshot.tips) {
    const row = rows.get(branch);
    if (row !== undefined && row.head !== id && row.entries > 0) count++;
  }
  return count;
}
