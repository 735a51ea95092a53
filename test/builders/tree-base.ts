import type { Entry } from "../../src/entry/entry.ts";
import { branchMark } from "../../src/entry/own-state.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";
import type { BaseBranch, BaseMark, BaseTip, TreeBase } from "../../src/tree/tree-base.ts";
import type { LabelInfo, TreeEntry } from "../../src/tree/tree-entry.ts";

/**
 * A base as an index would give it, worked out the slow way from a tree in memory. It makes every entry
 * anew at each question, frozen and with a lazy parent, as an index that remembers nothing. Counts the
 * entries that it gave out.
 */
export class DraftBase implements TreeBase {
  readonly #tree: SessionTree;
  readonly branches: readonly BaseBranch[];
  readonly marks: readonly BaseMark[];
  readonly labels: readonly LabelInfo[];
  readonly name: string | null;
  made = 0;

  /** The entries have to be sound: unique ids, parents before children. */
  constructor(session: string, entries: readonly Entry[]) {
    this.#tree = new SessionTree(session);
    for (const entry of entries) this.#tree.add(entry);
    this.marks = entries.flatMap((entry) => branchMark(entry, session) ?? []);
    this.labels = [...this.#tree.labels().values()];
    this.name = this.#tree.name();
    const lying = new Set(["main", ...[...this.#tree.entries()].map((at) => at.fold.branch)]);
    this.branches = [...lying].map((id) => {
      const { head, entries: count } = this.#tree.branch(id) as { head: string; entries: number };
      return { id, head, entries: count };
    });
  }

  get size(): number {
    return this.#tree.size;
  }

  get(id: string): TreeEntry | undefined {
    const at = this.#tree.get(id);
    return at === undefined ? undefined : this.#copy(at);
  }

  at(ordinal: number): TreeEntry | undefined {
    const at = this.#tree.at(ordinal);
    return at === undefined ? undefined : this.#copy(at);
  }

  children(id: string | null): readonly TreeEntry[] {
    return this.#tree.children(id).map((at) => this.#copy(at));
  }

  commonAncestor(a: string, b: string): TreeEntry | null {
    const at = this.#tree.commonAncestor(a, b);
    return at === null ? null : this.#copy(at);
  }

  withPrefix(prefix: string, limit: number): readonly string[] {
    return this.#tree.withPrefix(prefix, limit);
  }

  tips(): readonly BaseTip[] {
    const isContinued = (id: string): boolean =>
      this.#tree.children(id).some((child) => !child.isMove || isContinued(child.id));
    return [...this.#tree.entries()]
      .filter(({ id, isMove }) => !isMove && !isContinued(id))
      .map(({ id, ordinal, fold }) => ({ id, ordinal, branch: fold.branch }));
  }

  #copy(at: TreeEntry): TreeEntry {
    this.made++;
    const copy = (above: TreeEntry): TreeEntry => this.#copy(above);
    const { id, storedParentId, gap, type, role, customType, targetId } = at;
    const { timestamp, isMove, ordinal, fold } = at;
    return Object.freeze({
      ...{ id, storedParentId, gap, type, role, customType, targetId },
      ...{ timestamp, isMove, ordinal, fold },
      get parent(): TreeEntry | null {
        return at.parent === null ? null : copy(at.parent);
      },
    });
  }
}
