import { branchMark, isOwnState } from "../entry/own-state.ts";
import { MAIN_BRANCH } from "./fold.ts";
import type { LinkedEntry, Linker } from "./linker.ts";
import type { BaseMark, BaseTip, TreeBase } from "./tree-base.ts";
import type { BranchInfo, TreeEntry } from "./tree-entry.ts";

interface BranchRow {
  readonly id: string;
  head: string | null;
  entries: number;
}

/**
 * The branches of a session (design.md §2): a branch is what lies under a starting marker, its head
 * the last entry of it in file order. Names are a session-wide table; the latest row wins.
 */
export class BranchTable {
  readonly #session: string;
  readonly #base: TreeBase | null;
  readonly #rows = new Map<string, BranchRow>();
  readonly #names = new Map<string, string | null>();
  readonly #archived = new Map<string, boolean>();

  /** Starts with what the entries of the base left. */
  constructor(session: string, base: TreeBase | null) {
    this.#session = session;
    this.#base = base;
    this.#rows.set(MAIN_BRANCH, { id: MAIN_BRANCH, head: null, entries: 0 });
    if (base === null) return;
    for (const { id, head, entries } of base.branches) this.#rows.set(id, { id, head, entries });
    for (const mark of base.marks) this.#mark(mark);
  }

  /** Takes the next entry in file order; `leaf` is what it makes the head: itself, but for old leaf entries. */
  add(at: LinkedEntry, leaf: TreeEntry | null): void {
    const row = this.#row(leaf?.fold.branch ?? MAIN_BRANCH);
    row.head = leaf?.id ?? null;
    if (!at.isMove && !isOwnState(at.entry)) row.entries++;
    const mark = branchMark(at.entry, this.#session);
    if (mark !== null) this.#mark(mark);
  }

  #mark(mark: BaseMark): void {
    if (mark.name !== undefined) {
      // Taken out first, so that the names stand in the order in which they were given.
      this.#names.delete(mark.branch);
      this.#names.set(mark.branch, mark.name === "" ? null : mark.name);
    }
    if (mark.archived !== undefined) this.#archived.set(mark.branch, mark.archived);
  }

  head(branch: string): string | null {
    return this.#rows.get(branch)?.head ?? null;
  }

  /** By id first, then by name; of two branches with one name, the one that got it last. */
  find(idOrName: string): BranchInfo | undefined {
    const row = this.#rows.get(idOrName);
    if (row !== undefined) return this.#info(row);
    let found: BranchRow | undefined;
    for (const [id, name] of this.#names)
      if (name === idOrName) found = this.#rows.get(id) ?? found;
    return found === undefined ? undefined : this.#info(found);
  }

  list(linker: Linker, leaf: string | null): readonly BranchInfo[] {
    return [...this.rows(linker, leaf), ...this.#tips(linker)];
  }

  /** The branches of {@link BranchTable.list} without the tips, which take a look at every added entry. */
  rows(linker: Linker, leaf: string | null): readonly BranchInfo[] {
    const current = (leaf === null ? undefined : linker.get(leaf))?.fold.branch ?? MAIN_BRANCH;
    const shown = [...this.#rows.values()].filter(
      // An unnamed branch without a single entry is only the trace of a move that was taken back.
      (row) => row.entries > 0 || row.id === current || typeof this.#names.get(row.id) === "string",
    );
    return shown.map((row) => this.#info(row));
  }

  /** Entries without children that head no branch: siblings that other programs made. */
  #tips(linker: Linker): BranchInfo[] {
    const continued = continuedEntries(linker);
    const tips: BranchInfo[] = [];
    const take = ({ id, ordinal, branch }: BaseTip): void => {
      if (continued.has(ordinal)) return;
      const row = this.#row(branch);
      if (row.head === id || row.entries === 0) return;
      tips.push({ id, kind: "tip", name: null, head: id, archived: false, entries: 0 });
    };
    for (const tip of this.#base?.tips() ?? []) take(tip);
    for (let ordinal = linker.start; ordinal < linker.size; ordinal++) {
      const { id, isMove, fold } = linker.added(ordinal) as LinkedEntry;
      if (!isMove) take({ id, ordinal, branch: fold.branch });
    }
    return tips;
  }

  #row(id: string): BranchRow {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row: BranchRow = { id, head: null, entries: 0 };
    this.#rows.set(id, row);
    return row;
  }

  #info(row: BranchRow): BranchInfo {
    return {
      id: row.id,
      kind: "branch",
      name: this.#names.get(row.id) ?? (row.id === MAIN_BRANCH ? MAIN_BRANCH : null),
      head: row.head,
      archived: this.#archived.get(row.id) ?? false,
      entries: row.entries,
    };
  }
}

/**
 * Ordinals of the entries that have something of what was added below them. An old leaf entry counts
 * only where something hangs under it.
 */
function continuedEntries(linker: Linker): ReadonlySet<number> {
  const continued = new Set<number>();
  for (let ordinal = linker.start; ordinal < linker.size; ordinal++) {
    const at = linker.added(ordinal) as LinkedEntry;
    if (at.isMove) continue;
    for (let up = at.parent; up !== null && !continued.has(up.ordinal); up = up.parent) {
      continued.add(up.ordinal);
      if (!up.isMove) break;
    }
  }
  return continued;
}
