import type { Entry } from "../entry/entry.ts";
import { branchMark, isOwnState } from "../entry/own-state.ts";
import type { Fold } from "./fold.ts";
import { FoldColumns } from "./fold-columns.ts";
import { floatColumn, intColumn } from "./growing-column.ts";
import { LabelTable } from "./label-table.ts";
import type { BaseBranch, BaseMark, BaseTip, TreeBase } from "./tree-base.ts";
import type { LabelInfo, TreeEntry } from "./tree-entry.ts";

/** What of an entry its place in the tree is made from. */
export interface TreeTraits {
  /** With as much as `slimEntry` leaves. */
  readonly entry: Entry;
  readonly role: string | null;
  readonly customType: string | null;
  readonly targetId: string | null;
}

interface Row {
  head: string | null;
  entries: number;
}

/** What entries of the same kind have in common. */
type Kind = Pick<TreeEntry, "type" | "role" | "customType">;

type Facts = Pick<
  TreeEntry,
  "id" | "storedParentId" | "ordinal" | "type" | "role" | "customType" | "targetId"
>;

interface Later {
  parent(ordinal: number): TreeEntry | null;
  time(ordinal: number): string;
  fold(ordinal: number): Fold;
}

/** An entry of the columns: walks ask for few of its members, so the dear ones are made when asked for. */
class ColumnEntry implements TreeEntry {
  readonly id: string;
  readonly storedParentId: string | null;
  readonly gap: null = null;
  readonly type: string;
  readonly role: string | null;
  readonly customType: string | null;
  readonly targetId: string | null;
  readonly isMove: boolean;
  readonly ordinal: number;
  readonly #later: Later;

  constructor(facts: Facts, later: Later) {
    this.id = facts.id;
    this.storedParentId = facts.storedParentId;
    this.type = facts.type;
    this.role = facts.role;
    this.customType = facts.customType;
    this.targetId = facts.targetId;
    this.isMove = facts.type === "leaf";
    this.ordinal = facts.ordinal;
    this.#later = later;
  }

  get parent(): TreeEntry | null {
    return this.#later.parent(this.ordinal);
  }

  get timestamp(): string {
    return this.#later.time(this.ordinal);
  }

  get fold(): Fold {
    return this.#later.fold(this.ordinal);
  }
}

/** Stands for the ordinal of the parent of roots. */
const ROOT = -1;

/**
 * The base of a session whose file was scanned: all entries in columns, about 200 bytes each, whatever
 * their payload (performance.md T2: bounded memory). Takes sound sessions only; entries are made anew at
 * each question.
 */
export class ColumnBase implements TreeBase {
  readonly marks: BaseMark[] = [];
  readonly #session: string;
  readonly #ids: string[] = [];
  readonly #ordinals = new Map<string, number>();
  readonly #parent = intColumn();
  readonly #kind = intColumn();
  readonly #time = floatColumn();
  readonly #folds: FoldColumns;
  readonly #kinds: Kind[] = [];
  readonly #kindOf = new Map<string, number>();
  /** Times that are not written as we write them, and targets, by ordinal. */
  readonly #oddTimes = new Map<number, string>();
  readonly #targets = new Map<number, string>();
  readonly #rows = new Map<string, Row>();
  readonly #table = new LabelTable(null);
  /** What of an entry costs more than a look-up. */
  readonly #later: Later = {
    parent: (ordinal) => {
      const parent = this.#parent.at(ordinal);
      return parent === ROOT ? null : this.#entry(parent);
    },
    time: (ordinal) => this.#timeOf(ordinal),
    fold: (ordinal) => this.#folds.at(ordinal),
  };
  #children: { readonly from: Int32Array; readonly list: Int32Array } | null = null;

  /** `session` is the session's id: own state of other sessions has no effect. */
  constructor(session: string) {
    this.#session = session;
    this.#folds = new FoldColumns(session);
  }

  get size(): number {
    return this.#ids.length;
  }

  get name(): string | null {
    return this.#table.name;
  }

  get labels(): readonly LabelInfo[] {
    return [...this.#table.labels.values()];
  }

  get branches(): readonly BaseBranch[] {
    return [...this.#rows].map(([id, { head, entries }]) => ({ id, head, entries }));
  }

  /**
   * Adds the next entry in file order. False, with nothing added, where the session is not sound: its id
   * is taken, or what it names (parent, target of an old leaf move) does not stand before it.
   */
  add({ entry, role, customType, targetId }: TreeTraits): boolean {
    const { id, parentId, type } = entry;
    const parent = parentId === null ? ROOT : this.#ordinals.get(parentId);
    const isMove = type === "leaf";
    const isKnown = !isMove || targetId === null || this.#ordinals.has(targetId);
    if (parent === undefined || !isKnown || this.#ordinals.has(id)) return false;
    const ordinal = this.size;
    this.#ids.push(id);
    this.#ordinals.set(id, ordinal);
    this.#parent.push(parent);
    this.#kind.push(this.#kindIndex({ type, role, customType }));
    this.#addTime(ordinal, entry.timestamp);
    if (targetId !== null) this.#targets.set(ordinal, targetId);
    const fold = this.#folds.add(parent, entry);
    this.#addToTables(entry, isMove ? { head: targetId } : { head: id, fold });
    this.#children = null;
    return true;
  }

  get(id: string): TreeEntry | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal === undefined ? undefined : this.#entry(ordinal);
  }

  at(ordinal: number): TreeEntry | undefined {
    return ordinal in this.#ids ? this.#entry(ordinal) : undefined;
  }

  /** The entry's ordinal, or undefined. */
  ordinalOf(id: string): number | undefined {
    return this.#ordinals.get(id);
  }

  children(id: string | null): readonly TreeEntry[] {
    const parent = id === null ? ROOT : this.#ordinals.get(id);
    if (parent === undefined) return [];
    this.#children ??= this.#sortByParent();
    const { from, list } = this.#children;
    const children = list.subarray(from[parent + 1], from[parent + 2]);
    return Array.from(children, (ordinal) => this.#entry(ordinal));
  }

  commonAncestor(a: string, b: string): TreeEntry | null {
    let left = this.#ordinals.get(a) ?? ROOT;
    let right = this.#ordinals.get(b) ?? ROOT;
    // A parent stands before its child, so the later one of two has to go up.
    while (left !== right) {
      if (left > right) left = this.#parent.at(left);
      else right = this.#parent.at(right);
    }
    return left === ROOT ? null : this.#entry(left);
  }

  withPrefix(prefix: string, limit: number): readonly string[] {
    const ids: string[] = [];
    for (const id of this.#ids) {
      if (ids.length >= limit) break;
      if (id.startsWith(prefix)) ids.push(id);
    }
    return ids;
  }

  tips(): readonly BaseTip[] {
    const continued = new Uint8Array(this.size);
    for (let ordinal = this.size - 1; ordinal >= 0; ordinal--) {
      if (this.#isMove(ordinal)) continue;
      let up = this.#parent.at(ordinal);
      for (; up !== ROOT; up = this.#parent.at(up)) {
        continued[up] = 1;
        if (!this.#isMove(up)) break;
      }
    }
    const tips: BaseTip[] = [];
    for (const [ordinal, id] of this.#ids.entries()) {
      if (continued[ordinal] === 1 || this.#isMove(ordinal)) continue;
      tips.push({ id, ordinal, branch: this.#folds.at(ordinal).branch });
    }
    return tips;
  }

  #entry(ordinal: number): TreeEntry {
    const parent = this.#parent.at(ordinal);
    const { type, role, customType } = this.#kinds[this.#kind.at(ordinal)] as Kind;
    const storedParentId = parent === ROOT ? null : (this.#ids[parent] as string);
    const id = this.#ids[ordinal] as string;
    const targetId = this.#targets.get(ordinal) ?? null;
    const facts = { id, storedParentId, ordinal, type, role, customType, targetId };
    return new ColumnEntry(facts, this.#later);
  }

  #timeOf(ordinal: number): string {
    return this.#oddTimes.get(ordinal) ?? new Date(this.#time.at(ordinal)).toISOString();
  }

  #isMove(ordinal: number): boolean {
    return this.#kinds[this.#kind.at(ordinal)]?.type === "leaf";
  }

  #kindIndex(kind: Kind): number {
    const name = JSON.stringify([kind.type, kind.role, kind.customType]);
    const known = this.#kindOf.get(name);
    if (known !== undefined) return known;
    this.#kindOf.set(name, this.#kinds.length);
    return this.#kinds.push(kind) - 1;
  }

  #addTime(ordinal: number, timestamp: string): void {
    const time = Date.parse(timestamp);
    const isPlain = !Number.isNaN(time) && new Date(time).toISOString() === timestamp;
    this.#time.push(isPlain ? time : 0);
    if (!isPlain) this.#oddTimes.set(ordinal, timestamp);
  }

  /** `leaf` is what the entry makes the head: itself, but for an old leaf move; null = before the first. */
  #addToTables(
    entry: Entry,
    leaf: { readonly head: string | null; readonly fold?: Pick<Fold, "branch"> },
  ): void {
    const { head } = leaf;
    const at = head === null ? ROOT : (this.#ordinals.get(head) as number);
    const { branch } = leaf.fold ?? this.#folds.at(at);
    const row = this.#rows.get(branch) ?? { head: null, entries: 0 };
    this.#rows.set(branch, row);
    row.head = head;
    if (leaf.fold !== undefined && !isOwnState(entry)) row.entries++;
    const mark = branchMark(entry, this.#session);
    if (mark !== null) this.marks.push(mark);
    this.#table.add({ entry });
  }

  /** The ordinals by parent, in file order: those of a parent begin at `from[parent + 1]`. */
  #sortByParent(): { readonly from: Int32Array; readonly list: Int32Array } {
    const { size } = this;
    const from = new Int32Array(size + 2);
    for (let at = 0; at < size; at++) count(from, this.#parent.at(at) + 2);
    for (let at = 1; at < from.length; at++) from[at] = sum(from, at);
    const list = new Int32Array(size);
    const next = from.slice();
    for (let at = 0; at < size; at++) {
      const parent = this.#parent.at(at) + 1;
      list[next[parent] as number] = at;
      count(next, parent);
    }
    return { from, list };
  }
}

function count(counts: Int32Array, at: number): void {
  counts[at] = (counts[at] as number) + 1;
}

function sum(counts: Int32Array, at: number): number {
  return (counts[at] as number) + (counts[at - 1] as number);
}
