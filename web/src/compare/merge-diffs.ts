import type { DiffSide, DiffView } from "branchline/protocol/operation.ts";
import type { CompareRow, CompareView } from "./compare-model.ts";

/** One comparison with the first column, by the entries of that column. */
interface Against {
  readonly diff: DiffView;
  /** What stands beside an entry of the first column: null = nothing does. */
  readonly beside: ReadonlyMap<
    string,
    { readonly side: DiffSide | null; readonly isSame: boolean }
  >;
  /** What stands only in the other column, by the entry of the first column that it stands before; "" = the end. */
  readonly before: ReadonlyMap<string, readonly DiffSide[]>;
}

/**
 * Comparisons of one branch with one to three others as one of them all: the first branch is the measure,
 * the others are aligned to it, and what only they have stands beside each other. Pure.
 */
export function mergeDiffs(diffs: readonly DiffView[]): CompareView {
  const all = diffs.map(against);
  const [widest, ...rest] = diffs.toSorted((one, other) => one.shared - other.shared);
  if (widest === undefined) throw new RangeError("nothing to compare");
  const base = widest.rows.flatMap(({ left }) => (left === null ? [] : [left]));
  const rows: CompareRow[] = [];
  for (const side of base) rows.push(...onlyBeside(all, side.entry), rowOf(all, side));
  rows.push(...onlyBeside(all, ""));
  const isCut = [widest, ...rest].some(({ truncated }) => truncated === true);
  return {
    ...{ mode: widest.mode, meeting: widest.meeting, shared: widest.shared, rows },
    columns: [
      { ...widest.a, meets: null, cacheBreak: -1 },
      ...diffs.map((diff, at) => ({
        ...diff.b,
        meets: { column: 0, entry: diff.meeting },
        cacheBreak: breakOf(diff, { rows, column: at + 1 }),
      })),
    ],
    ...(isCut ? { truncated: true } : {}),
  };
}

function against(diff: DiffView): Against {
  const beside = new Map<string, { side: DiffSide | null; isSame: boolean }>();
  const before = new Map<string, readonly DiffSide[]>();
  let waiting: DiffSide[] = [];
  for (const { kind, left, right } of diff.rows) {
    if (left === null) {
      if (right !== null) waiting.push(right);
      continue;
    }
    beside.set(left.entry, { side: right, isSame: kind === "same" });
    before.set(left.entry, waiting);
    waiting = [];
  }
  before.set("", waiting);
  return { diff, beside, before };
}

/** Rows in which the first column has nothing. */
function onlyBeside(all: readonly Against[], entry: string): readonly CompareRow[] {
  const lists = all.map(({ before }) => before.get(entry) ?? []);
  const count = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: count }, (_, at) => ({
    kind: "part",
    sides: [null, ...lists.map((list) => list[at] ?? null)],
  }));
}

/** A branch that leaves the first one further down has above that the very same entries. */
function rowOf(all: readonly Against[], side: DiffSide): CompareRow {
  const found = all.map(({ beside, diff }) => {
    const above = diff.truncated === true ? null : side;
    return beside.get(side.entry) ?? { side: above, isSame: above !== null };
  });
  const sides = [side, ...found.map((one) => one.side)];
  if (sides.includes(null)) return { kind: "part", sides };
  return { kind: found.every(({ isSame }) => isSame) ? "same" : "changed", sides };
}

/** The row at which a column's request differs from the first's. */
function breakOf(
  diff: DiffView,
  place: { readonly rows: readonly CompareRow[]; readonly column: number },
): number {
  const row = diff.rows[diff.cacheBreak];
  if (row === undefined) return -1;
  const { left, right } = row;
  return place.rows.findIndex(({ sides }) =>
    left === null ? sides[place.column]?.entry === right?.entry : sides[0]?.entry === left.entry,
  );
}
