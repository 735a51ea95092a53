import type { IndexDatabase, Row } from "./index-database.ts";
import { ROW_SPAN } from "./index-schema.ts";

/** A stretch of entries each of which hangs under the one before. */
export interface Run {
  /** Ordinals; `last` is inclusive. */
  readonly first: number;
  readonly last: number;
  /** Ordinal of the parent of `first`, -1 = it is a root. */
  readonly parent: number;
  /** Entries on the path to `first`, itself included. */
  readonly depth: number;
}

/**
 * The shape of a tree as its straight runs: paths, children and common ancestors cost the number of
 * forks, not of entries. Holds the runs of the first `size` entries of a file.
 */
export class RunTable {
  readonly #firsts: number[] = [];
  readonly #parents: number[] = [];
  readonly #depths: number[] = [];
  readonly #size: number;
  #forks: Map<number, number[]> | null = null;

  constructor(database: IndexDatabase, file: number, size: number) {
    this.#size = size;
    const base = file * ROW_SPAN;
    const sql = "SELECT rowid, parent, depth FROM run WHERE rowid BETWEEN ? AND ? ORDER BY rowid";
    for (const row of database.rows(sql, base, base + size - 1)) this.#push(row, base);
  }

  /** Number of runs. */
  get count(): number {
    return this.#firsts.length;
  }

  /** The run of an ordinal of 0 … size - 1. */
  of(ordinal: number): Run {
    let low = 0;
    let high = this.#firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#firsts[middle] as number) <= ordinal) low = middle;
      else high = middle - 1;
    }
    return this.#run(low);
  }

  /** Ordinal of the parent, -1 for a root. */
  parentOf(ordinal: number): number {
    const run = this.of(ordinal);
    return ordinal === run.first ? run.parent : ordinal - 1;
  }

  /** Ordinals of the children in file order; of -1: the roots. */
  childrenOf(ordinal: number): readonly number[] {
    const forks = this.#forkMap().get(ordinal) ?? [];
    if (ordinal === -1) return forks;
    const goesOn = this.of(ordinal).last > ordinal;
    return goesOn ? [ordinal + 1, ...forks] : forks;
  }

  /** The path to an ordinal as ranges of ordinals, root first. */
  pathTo(ordinal: number): readonly { readonly first: number; readonly last: number }[] {
    const ranges: { first: number; last: number }[] = [];
    for (let at = ordinal; at !== -1; ) {
      const { first, parent } = this.of(at);
      ranges.push({ first, last: at });
      at = parent;
    }
    return ranges.reverse();
  }

  /** The deepest ordinal on both paths, -1 where they share none. */
  meet(a: number, b: number): number {
    let left = a;
    let right = b;
    while (left !== -1 && right !== -1) {
      const leftRun = this.of(left);
      const rightRun = this.of(right);
      if (leftRun.first === rightRun.first) return Math.min(left, right);
      // Parents stand before their children, so the later run cannot hold an ancestor of the other.
      if (leftRun.first > rightRun.first) left = leftRun.parent;
      else right = rightRun.parent;
    }
    return -1;
  }

  #run(index: number): Run {
    return {
      first: this.#firsts[index] as number,
      last: (this.#firsts[index + 1] ?? this.#size) - 1,
      parent: this.#parents[index] as number,
      depth: this.#depths[index] as number,
    };
  }

  #forkMap(): Map<number, number[]> {
    if (this.#forks !== null) return this.#forks;
    const forks = new Map<number, number[]>();
    for (const [index, first] of this.#firsts.entries()) {
      const parent = this.#parents[index] as number;
      const known = forks.get(parent);
      if (known === undefined) forks.set(parent, [first]);
      else known.push(first);
    }
    this.#forks = forks;
    return forks;
  }

  #push(row: Row, base: number): void {
    this.#firsts.push(Number(row[0]) - base);
    this.#parents.push(Number(row[1]));
    this.#depths.push(Number(row[2]));
  }
}
