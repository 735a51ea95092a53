import type { Entry } from "../entry/entry.ts";
import { EMPTY_FOLD, type Fold, foldEntry, MAIN_BRANCH } from "./fold.ts";
import { place } from "./linker.ts";
import { isOwn } from "./session-tree.ts";
import type { BaseBranch, BaseTip, TreeBase } from "./tree-base.ts";
import type { LabelInfo, TreeEntry } from "./tree-entry.ts";

/**
 * The base of a session that is one line of entries, made from the tree that the line was copied from
 * instead of from its payloads. Everything is taken over when it is added, so that it outlives that tree.
 * No labels, no starting markers and no old leaf moves are in it.
 */
export class PathBase implements TreeBase {
  readonly marks: readonly [] = [];
  readonly labels: readonly LabelInfo[] = [];
  readonly #session: string;
  readonly #name: () => string | null;
  readonly #entries: TreeEntry[] = [];
  readonly #ordinals = new Map<string, number>();
  #counted = 0;

  /** `session` is the new session's id. `name` tells the name that the line leaves in force. */
  constructor(session: string, name: () => string | null) {
    this.#session = session;
    this.#name = name;
  }

  get size(): number {
    return this.#entries.length;
  }

  get name(): string | null {
    return this.#name();
  }

  get branches(): readonly BaseBranch[] {
    const head = this.#entries.at(-1)?.id ?? null;
    return [{ id: MAIN_BRANCH, head, entries: this.#counted }];
  }

  /**
   * Adds an entry of the old session; its settings and totals are those that it had there.
   * `firstKeptEntryId` is what a compaction keeps from here, where that is another entry than there.
   */
  addSame(at: TreeEntry, firstKeptEntryId?: string): void {
    const { compactions } = at.fold;
    const above = this.#above();
    // Only what this entry itself does counts: links of the old path may have been changed in the copy.
    const isCompaction = compactions?.id === at.id;
    const kept = firstKeptEntryId === undefined ? {} : { firstKeptEntryId };
    const link = isCompaction
      ? { ...linkOf(compactions), ...kept, previous: above.compactions }
      : null;
    this.#add(at, {
      ...at.fold,
      depth: this.size + 1,
      branch: MAIN_BRANCH,
      compactions: link ?? above.compactions,
      uncompacted: above.uncompacted,
    });
  }

  /** Adds an entry that the old session does not have like this. */
  addNew(entry: Entry): void {
    this.#add(place(entry, this.size), foldEntry(this.#above(), entry, this.#session));
  }

  get(id: string): TreeEntry | undefined {
    return this.#entries[this.#ordinalOf(id)];
  }

  at(ordinal: number): TreeEntry | undefined {
    return this.#entries[ordinal];
  }

  children(id: string | null): readonly TreeEntry[] {
    const ordinal = id === null ? -1 : this.#ordinalOf(id);
    return this.#entries.slice(ordinal + 1, ordinal + 2);
  }

  commonAncestor(a: string, b: string): TreeEntry | null {
    return this.#entries[Math.min(this.#ordinalOf(a), this.#ordinalOf(b))] ?? null;
  }

  withPrefix(prefix: string, limit: number): readonly string[] {
    const ids: string[] = [];
    for (const { id } of this.#entries) {
      if (ids.length >= limit) break;
      if (id.startsWith(prefix)) ids.push(id);
    }
    return ids;
  }

  tips(): readonly BaseTip[] {
    return this.#entries.slice(-1).map(({ id, ordinal }) => ({ id, ordinal, branch: MAIN_BRANCH }));
  }

  /** The size for an id that is unknown: nothing stands there. */
  #ordinalOf(id: string): number {
    return this.#ordinals.get(id) ?? this.size;
  }

  #above(): Fold {
    return this.#entries.at(-1)?.fold ?? EMPTY_FOLD;
  }

  #add(at: TreeEntry, fold: Fold): void {
    const { id, type, role, customType, targetId, timestamp } = at;
    const parent = this.#entries.at(-1) ?? null;
    const ordinal = this.size;
    const link = { storedParentId: parent?.id ?? null, parent, gap: null, isMove: false, ordinal };
    this.#entries.push({ id, type, role, customType, targetId, timestamp, fold, ...link });
    this.#ordinals.set(id, ordinal);
    if (!isOwn(at)) this.#counted++;
  }
}

/** A link's own members, also where they are getters. */
function linkOf({ id, firstKeptEntryId }: NonNullable<Fold["compactions"]>): {
  readonly id: string;
  readonly firstKeptEntryId: string | null;
} {
  return { id, firstKeptEntryId };
}
