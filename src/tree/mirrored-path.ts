import { type Fold, MAIN_BRANCH } from "./fold.ts";
import { PathBase } from "./path-base.ts";
import { SessionTree } from "./session-tree.ts";
import type { BaseBranch, BaseTip, SearchableBase, TreeBase } from "./tree-base.ts";
import type { LabelInfo, TreeEntry } from "./tree-entry.ts";

/** What a {@link MirroredPath} is made from. */
export interface MirroredSource {
  /** Id of the new session. */
  readonly session: string;
  /** The entries of the old session. */
  readonly from: SearchableBase;
  /** The name that the path leaves in force. */
  readonly name: () => string | null;
  /** Ids that were just made, so that nobody has to look for them there. */
  readonly fresh: ReadonlySet<string>;
}

/** An entry as the copy has it. */
class MirroredEntry implements TreeEntry {
  readonly id: string;
  readonly gap: null = null;
  readonly type: string;
  readonly role: string | null;
  readonly customType: string | null;
  readonly targetId: string | null;
  readonly timestamp: string;
  readonly isMove: false = false;
  readonly ordinal: number;
  readonly #path: MirroredPath;

  constructor(path: MirroredPath, there: TreeEntry, ordinal: number) {
    this.id = there.id;
    this.type = there.type;
    this.role = there.role;
    this.customType = there.customType;
    this.targetId = there.targetId;
    this.timestamp = there.timestamp;
    this.ordinal = ordinal;
    this.#path = path;
  }

  get parent(): TreeEntry | null {
    return this.#path.at(this.ordinal - 1) ?? null;
  }

  get storedParentId(): string | null {
    return this.parent?.id ?? null;
  }

  get fold(): Fold {
    return this.#path.foldAt(this.ordinal);
  }
}

/**
 * The base of a session that is one line of entries, copied as they are from a path of another one whose base
 * is at hand: nothing of an entry is worked out before somebody asks for it, so that a copy costs nothing
 * here, however long the path. Takes paths without gaps, uncompact marks and labels only. Where the old base
 * is about to go, everything is taken over from it.
 */
export class MirroredPath implements TreeBase {
  readonly marks: readonly [] = [];
  readonly labels: readonly LabelInfo[] = [];
  readonly #session: string;
  readonly #from: SearchableBase;
  readonly #name: () => string | null;
  readonly #fresh: ReadonlySet<string>;
  /** Of each stretch: ordinal of its first entry here and there. Both rise. */
  readonly #here: number[] = [];
  readonly #there: number[] = [];
  #size = 0;
  #own = 0;
  #head: string | null = null;
  /** What was taken over so far, and the same once it is all. */
  readonly #taken: PathBase;
  #kept: PathBase | null = null;

  constructor({ session, from, name, fresh }: MirroredSource) {
    this.#session = session;
    this.#fresh = fresh;
    this.#from = from;
    this.#name = name;
    this.#taken = new PathBase(session, name);
  }

  get size(): number {
    return this.#size;
  }

  get name(): string | null {
    return this.#name();
  }

  get branches(): readonly BaseBranch[] {
    return [{ id: MAIN_BRANCH, head: this.#head, entries: this.#size - this.#own }];
  }

  /** Adds a stretch: `count` entries that stand one behind the other there, from ordinal `there` on. */
  add(there: number, count: number): void {
    this.#here.push(this.#size);
    this.#there.push(there);
    this.#size += count;
  }

  /** Says that one entry of those that were added is our own state: the placeholder of a gap. */
  countOwn(): void {
    this.#own++;
  }

  /** Says which entry is the last one: a tree is begun from it also where the old base is gone by then. */
  end(head: string | null): void {
    this.#head = head;
  }

  /** True where the old base is not needed any more. */
  get isKept(): boolean {
    return this.#kept !== null;
  }

  /** Takes over some more entries, default all that are left. Throws what the old base throws. */
  keep(most: number = this.#size): void {
    const to = Math.min(this.#size, this.#taken.size + most);
    while (this.#taken.size < to) this.#taken.addSame(this.#thereAt(this.#taken.size));
    if (to === this.#size) this.#kept = this.#taken;
  }

  get(id: string): TreeEntry | undefined {
    if (this.#kept !== null) return this.#kept.get(id);
    const there = this.#fresh.has(id) ? undefined : this.#from.get(id);
    const ordinal = there === undefined ? -1 : this.#hereOf(there.ordinal);
    return this.at(ordinal);
  }

  at(ordinal: number): TreeEntry | undefined {
    if (ordinal < 0 || ordinal >= this.#size) return undefined;
    if (this.#kept !== null) return this.#kept.at(ordinal);
    return new MirroredEntry(this, this.#thereAt(ordinal), ordinal);
  }

  /** Nothing that is left out of a plain copy is folded, but for branches. */
  foldAt(ordinal: number): Fold {
    const known = this.#kept?.at(ordinal)?.fold;
    if (known !== undefined) return known;
    return { ...this.#thereAt(ordinal).fold, depth: ordinal + 1, branch: MAIN_BRANCH };
  }

  children(id: string | null): readonly TreeEntry[] {
    const child = this.at(id === null ? 0 : this.#ordinalOf(id) + 1);
    return child === undefined ? [] : [child];
  }

  commonAncestor(a: string, b: string): TreeEntry | null {
    return this.at(Math.min(this.#ordinalOf(a), this.#ordinalOf(b))) ?? null;
  }

  withPrefix(prefix: string, limit: number): readonly string[] {
    if (this.#kept !== null) return this.#kept.withPrefix(prefix, limit);
    const ids: string[] = [];
    // Entries of other paths may come first.
    for (const id of this.#from.withPrefix(prefix, this.#from.size)) {
      if (ids.length >= limit) break;
      if (this.get(id) !== undefined) ids.push(id);
    }
    return ids;
  }

  customOrdinals(customTypes: readonly string[], from: number, to: number): readonly number[] {
    if (this.#kept !== null)
      return new SessionTree(this.#session, this.#kept).customOrdinals(customTypes, from, to);
    const there = this.#from.customOrdinals(customTypes, 0, this.#from.size);
    return there.map((at) => this.#hereOf(at)).filter((at) => at >= from && at < to);
  }

  tips(): readonly BaseTip[] {
    const last = this.at(this.#size - 1);
    return last === undefined ? [] : [{ id: last.id, ordinal: last.ordinal, branch: MAIN_BRANCH }];
  }

  /** The entry there that stands at a place here. */
  #thereAt(ordinal: number): TreeEntry {
    const stretch = lastNotAbove(this.#here, ordinal);
    const at = (this.#there[stretch] as number) + ordinal - (this.#here[stretch] as number);
    return this.#from.at(at) as TreeEntry;
  }

  /** The size for an id that is unknown: nothing stands there. */
  #ordinalOf(id: string): number {
    return this.get(id)?.ordinal ?? this.#size;
  }

  /** Ordinal here of an entry there, -1 where it is not on the path. */
  #hereOf(there: number): number {
    const stretch = lastNotAbove(this.#there, there);
    if (stretch === -1) return -1;
    const ordinal = (this.#here[stretch] as number) + there - (this.#there[stretch] as number);
    return ordinal < (this.#here[stretch + 1] ?? this.#size) ? ordinal : -1;
  }
}

/** Place of the last one that is not above the value; -1 where all are. */
function lastNotAbove(rising: readonly number[], value: number): number {
  let low = -1;
  let high = rising.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rising[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
