import type { LaneConfig } from "./v4-write.ts";

/** A named branch of a v4 file while it is read. */
export interface Lane {
  readonly name: string;
  /** Id of our branch: "main" or the id of its starting marker. */
  branch: string;
  /** The tip as the file states it. */
  tip: string | null;
  /** The entry that the next one of the lane hangs under: the tip, or what was derived behind it. */
  end: string | null;
  config: LaneConfig;
}

/**
 * Where the entries of a v4 file hang. The file keeps labels, settings and names outside the tree; as
 * entries they stand on the path, so what follows a tip has to hang under what was derived behind it.
 */
export class V4Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Last entry derived behind an entry while no lane was known, by the id of that entry. */
  readonly #ends = new Map<string | null, string>();
  #active: Lane | null = null;
  #lastEntry: string | null = null;

  /** The lane whose tip was set last: whoever wrote last has the leaf (design.md §2). */
  get active(): Lane | null {
    return this.#active;
  }

  get(name: string): Lane | undefined {
    return this.#lanes.get(name);
  }

  /** Opens a lane at an entry of the file; the first one is our branch "main". */
  open(name: string, tip: string | null): Lane {
    const lane: Lane = { name, branch: "main", tip, end: this.endOf(tip), config: {} };
    this.#lanes.set(name, lane);
    this.#active = lane;
    return lane;
  }

  activate(lane: Lane): void {
    this.#active = lane;
  }

  isFirst(): boolean {
    return this.#lanes.size === 0;
  }

  /** The entry that something hangs under which the file hangs under `id`. */
  endOf(id: string | null): string | null {
    return this.#ends.get(id) ?? id;
  }

  /** Takes an entry of the file, of one of the lanes if it continues one; gives its parent. */
  place(
    entry: { readonly id: string; readonly parentId: string | null },
    lanes: readonly Lane[],
  ): string | null {
    const { id, parentId } = entry;
    this.#lastEntry = id;
    const lane = lanes.findLast((one) => one.tip === parentId);
    if (lane === undefined) return this.endOf(parentId);
    const parent = lane.end;
    lane.tip = id;
    lane.end = id;
    return parent;
  }

  /** Takes a derived entry, behind a lane or, without one, the last entry; gives its parent. */
  append(id: string, lane: Lane | null): string | null {
    if (lane === null) {
      const parent = this.endOf(this.#lastEntry);
      this.#ends.set(this.#lastEntry, id);
      return parent;
    }
    const parent = lane.end;
    lane.end = id;
    return parent;
  }
}
