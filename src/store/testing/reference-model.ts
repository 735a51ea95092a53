/** What the reference model knows of an entry. */
export interface ModelEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly branch: string;
  /** Whether the entry counts against an expected leaf below it. */
  readonly effect: boolean;
  /** What the entry holds, to tell it from all others. */
  readonly content: number;
}

/**
 * The plainest session that keeps the promises of the contract: lists and loops, no cleverness, nothing
 * shared with the engine. Random commands are run on it and on a store, and both must agree.
 */
export class ReferenceModel {
  readonly entries: ModelEntry[] = [];
  readonly keys: Map<string, readonly ModelEntry[]> = new Map();
  readonly branches: string[] = ["main"];

  /** The last entry of a branch in file order. */
  head(branch: string): string | null {
    return this.entries.findLast((entry) => entry.branch === branch)?.id ?? null;
  }

  find(id: string | null): ModelEntry | undefined {
    return this.entries.find((entry) => entry.id === id);
  }

  /** From an entry to its root. */
  path(id: string | null): string[] {
    const path: string[] = [];
    for (let at = this.find(id); at !== undefined; at = this.find(at.parentId)) path.push(at.id);
    return path;
  }

  /** Whether a commit that expects this leaf goes through. */
  matches(branch: string, expected: string | null): boolean {
    for (let at = this.find(this.head(branch)); at !== undefined; at = this.find(at.parentId)) {
      if (at.id === expected) return true;
      if (at.effect) return false;
    }
    return expected === null;
  }

  /** Takes entries that a store is known to have accepted. */
  add(entries: readonly ModelEntry[], key: string | undefined): void {
    this.entries.push(...entries);
    if (key !== undefined) this.keys.set(key, entries);
    for (const { branch } of entries)
      if (!this.branches.includes(branch)) this.branches.push(branch);
  }
}
