import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { MAX_ENTRY_ID_LENGTH } from "../entry/ids.ts";
import { EMPTY_FOLD, type Fold } from "./fold.ts";
import { slimEntry } from "./slim-entry.ts";
import type { TreeBase } from "./tree-base.ts";
import type { Gap, TreeEntry } from "./tree-entry.ts";

/** The mutable side of a {@link TreeEntry}; only the linker writes to it. */
export interface LinkedEntry extends TreeEntry {
  parent: TreeEntry | null;
  gap: Gap | null;
  fold: Fold;
  /** What fold and tables need of the entry, without its payload. */
  readonly entry: Entry;
  linked: boolean;
  /** Its stored edge closes a circle and is not followed. */
  cut: boolean;
}

type Lost = { readonly id: string | null; readonly parentId: string | null | undefined };
/** Stands for the ordinal of the parent of roots. */
const ROOT = -1;

type Folder = (parent: Fold, entry: Entry) => Fold;

/**
 * Links entries to their parents. Iterative and linear: entries are linked in file order, an
 * unlinked parent first (M12). A missing parent is bridged to the last readable entry before the
 * first one in file order that hangs below the gap, or exactly where the lost line still told its
 * parent (P7, F040, F042); all children of one missing parent share the bridge. A circle is cut at
 * its earliest entry in file order (M3). The outcome depends on the entries and losses alone, not on
 * when questions were asked in between.
 *
 * Where it starts from a base, the base's entries count as linked; it holds and links only what is
 * added on top. A base has no gap, so nothing that comes later changes its links.
 */
export class Linker {
  readonly #base: TreeBase | null;
  /** Entries of the base: the ordinal of the first one that is held here. */
  readonly #start: number;
  readonly #entries: LinkedEntry[] = [];
  readonly #byId = new Map<string, LinkedEntry>();
  readonly #lost = new Map<string, string | null>();
  readonly #fold: Folder;
  #bridges = new Map<string, TreeEntry | null>();
  /** Every id that was looked for in vain; what comes later under one of them changes the links. */
  #missed = new Set<string>();
  /** Added entries by the ordinal of their parent, {@link ROOT} for roots. */
  #children = new Map<number, LinkedEntry[]>();
  #unsorted = new Set<readonly LinkedEntry[]>();
  #linkedCount = 0;
  #gaps = 0;
  #stale = false;

  constructor(fold: Folder, base: TreeBase | null) {
    this.#fold = fold;
    this.#base = base;
    this.#start = base?.size ?? 0;
  }

  /** Number of entries of the base. */
  get start(): number {
    return this.#start;
  }

  get size(): number {
    return this.#start + this.#entries.length;
  }

  /** Number of linked entries that hang over a gap. */
  get gaps(): number {
    return this.#gaps;
  }

  get(id: string): TreeEntry | undefined {
    return this.#byId.get(id) ?? this.#base?.get(id);
  }

  at(ordinal: number): TreeEntry | undefined {
    return ordinal < this.#start ? this.#base?.at(ordinal) : this.added(ordinal);
  }

  /** An entry that was added, by its ordinal: `start` or later. */
  added(ordinal: number): LinkedEntry | undefined {
    return this.#entries[ordinal - this.#start];
  }

  /** In file order. They are attached in it too, but for a parent that stands behind its child. */
  children(id: string | null): readonly TreeEntry[] {
    const parent = id === null ? null : this.get(id);
    if (parent === undefined) return [];
    const ordinal = parent?.ordinal ?? ROOT;
    const below = ordinal < this.#start ? (this.#base?.children(id) ?? []) : [];
    const added = this.#children.get(ordinal);
    if (added === undefined) return below;
    if (this.#unsorted.delete(added)) added.sort((a, b) => a.ordinal - b.ordinal);
    return below.length === 0 ? added : [...below, ...added];
  }

  add(entry: Entry): boolean {
    if (this.get(entry.id) !== undefined) return false;
    this.addNew(entry);
    return true;
  }

  /** The same without a look at the base, for an id that is known to be free. */
  addNew(entry: Entry): void {
    const linked = place(entry, this.size);
    this.#entries.push(linked);
    this.#byId.set(entry.id, linked);
    // Somebody was bridged over this entry when it was not there yet.
    if (this.#missed.has(entry.id)) this.#stale = true;
  }

  addLost(lost: Lost): void {
    if (lost.id === null || lost.parentId === undefined || this.#lost.has(lost.id)) return;
    this.#lost.set(lost.id, lost.parentId);
    if (this.#missed.has(lost.id)) this.#stale = true;
  }

  rollback(count: number): void {
    const kept = this.#entries.length - count;
    for (const gone of this.#entries.splice(kept)) this.#byId.delete(gone.id);
    // What was never linked has left no trace.
    if (this.#linkedCount > kept) this.#stale = true;
  }

  /** Links what was added since the last call. True where earlier answers no longer hold. */
  link(): boolean {
    const restarted = this.#stale;
    if (restarted) this.#restart();
    for (; this.#linkedCount < this.#entries.length; this.#linkedCount++) {
      const entry = this.#entries[this.#linkedCount] as LinkedEntry;
      if (!entry.linked) this.#linkUp(entry);
    }
    return restarted;
  }

  #restart(): void {
    this.#stale = false;
    this.#linkedCount = 0;
    this.#gaps = 0;
    this.#bridges = new Map();
    this.#missed = new Set();
    this.#children = new Map();
    this.#unsorted = new Set();
    for (const entry of this.#entries) {
      entry.linked = false;
      entry.cut = false;
      entry.gap = null;
    }
  }

  /** The entry as one that still has to be linked; null where there is none. */
  #unlinked(at: TreeEntry | null): LinkedEntry | null {
    if (at === null || at.ordinal < this.#start + this.#linkedCount) return null;
    const added = this.added(at.ordinal) as LinkedEntry;
    return added.linked ? null : added;
  }

  #linkUp(start: LinkedEntry): void {
    const above = this.#parentOf(start);
    if (this.#unlinked(above) === null) {
      this.#attach(start, above);
      return;
    }
    const stack: LinkedEntry[] = [start];
    const waiting = new Map<LinkedEntry, number>([[start, 0]]);
    for (let entry = stack.at(-1); entry !== undefined; entry = stack.at(-1)) {
      const parent = this.#parentOf(entry);
      const unlinked = this.#unlinked(parent);
      const since = unlinked === null ? undefined : waiting.get(unlinked);
      if (unlinked === null) {
        this.#attach(entry, parent);
        stack.pop();
      } else if (since === undefined) {
        waiting.set(unlinked, stack.length);
        stack.push(unlinked);
      } else cutCircle(stack, since, waiting);
    }
  }

  #attach(entry: LinkedEntry, parent: TreeEntry | null): void {
    entry.parent = parent;
    entry.fold = this.#fold(parent?.fold ?? EMPTY_FOLD, entry.entry);
    entry.linked = true;
    if (entry.gap !== null) this.#gaps++;
    const above = parent?.ordinal ?? ROOT;
    const siblings = this.#children.get(above);
    if (siblings === undefined) this.#children.set(above, [entry]);
    else {
      if ((siblings.at(-1) as LinkedEntry).ordinal > entry.ordinal) this.#unsorted.add(siblings);
      siblings.push(entry);
    }
  }

  /** The entry to hang under; sets the gap where it is not the stored parent. */
  #parentOf(entry: LinkedEntry): TreeEntry | null {
    const id = entry.storedParentId;
    if (id === null) return null;
    const stored = entry.cut ? undefined : this.get(id);
    if (stored !== undefined) return stored;
    entry.gap = { reason: entry.cut ? "cycle" : "missing-parent", missingId: id };
    // What cannot be an id names nothing that two entries could share.
    const isId = id !== "" && id.length <= MAX_ENTRY_ID_LENGTH;
    return entry.cut || !isId ? this.#nearestBefore() : this.#bridge(id);
  }

  #bridge(missing: string): TreeEntry | null {
    const known = this.#bridges.get(missing);
    if (known !== undefined) return known;
    const told = this.#toldParent(missing);
    const bridge = told === undefined ? this.#nearestBefore() : told;
    this.#bridges.set(missing, bridge);
    return bridge;
  }

  /** Follows what lost lines told about their parents up to a readable entry. */
  #toldParent(missing: string): TreeEntry | null | undefined {
    const seen = new Set<string>();
    for (let id: string = missing; !seen.has(id); ) {
      seen.add(id);
      this.#missed.add(id);
      const parent = this.#lost.get(id);
      if (parent === undefined || parent === null) return parent;
      const readable = this.get(parent);
      if (readable !== undefined) return readable;
      id = parent;
    }
    return undefined;
  }

  /**
   * The entry before the one whose turn it is. All up to there are linked and none of them hangs below
   * what is being linked now, so that no circle can arise.
   */
  #nearestBefore(): TreeEntry | null {
    return this.at(this.#start + this.#linkedCount - 1) ?? null;
  }
}

/** Cuts the edge of the circle's earliest entry and takes the stack back to it. */
function cutCircle(stack: LinkedEntry[], from: number, waiting: Map<LinkedEntry, number>): void {
  let earliest = from;
  for (let index = from + 1; index < stack.length; index++) {
    const isEarlier =
      (stack[index] as LinkedEntry).ordinal < (stack[earliest] as LinkedEntry).ordinal;
    if (isEarlier) earliest = index;
  }
  (stack[earliest] as LinkedEntry).cut = true;
  for (const entry of stack.splice(earliest + 1)) waiting.delete(entry);
}

/** An entry at its place in file order, not linked to anything yet. */
export function place(entry: Entry, ordinal: number): LinkedEntry {
  const isMessage = isEntry(entry, "message");
  const isCustom = isEntry(entry, "custom") || isEntry(entry, "custom_message");
  const hasTarget =
    isEntry(entry, "label") || isEntry(entry, "context_edit") || isEntry(entry, "leaf");
  return {
    id: entry.id,
    storedParentId: entry.parentId,
    parent: null,
    gap: null,
    type: entry.type,
    role: isMessage ? entry.message.role : null,
    customType: isCustom ? entry.customType : null,
    targetId: hasTarget ? entry.targetId : null,
    timestamp: entry.timestamp,
    ordinal,
    fold: EMPTY_FOLD,
    entry: slimEntry(entry),
    isMove: isEntry(entry, "leaf"),
    linked: false,
    cut: false,
  };
}
