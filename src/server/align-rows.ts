/** What can be aligned: equal prints are the same, equal roles may be a change. */
export interface Alignable {
  readonly print: string;
  readonly role: string;
}

/** A row of one side or of both. */
export type AlignedRow<T> = readonly [left: T | null, right: T | null];

/** Cells of the table of the longest common run; beyond it the rest is laid out in order. */
const MOST_CELLS = 4_000_000;

/**
 * Lays two lists beside each other: the longest common subsequence stands in step, and between its rows a
 * left and a right one with the same role share a row as a change. At most {@link MOST_CELLS} steps.
 */
export function alignRows<T extends Alignable>(
  left: readonly T[],
  right: readonly T[],
): readonly AlignedRow<T>[] {
  const rows: AlignedRow<T>[] = [];
  let [i, j] = [0, 0];
  for (const [a, b] of commonPlaces(left, right)) {
    pushPaired(rows, left.slice(i, a), right.slice(j, b));
    rows.push([left[a] as T, right[b] as T]);
    [i, j] = [a + 1, b + 1];
  }
  pushPaired(rows, left.slice(i), right.slice(j));
  return rows;
}

/** Rows between two equal ones: role by role in order, what has no partner alone. */
function pushPaired<T extends Alignable>(
  rows: AlignedRow<T>[],
  left: readonly T[],
  right: readonly T[],
): void {
  let j = 0;
  for (const one of left) {
    const partner = right.findIndex((other, at) => at >= j && other.role === one.role);
    if (partner < 0) {
      rows.push([one, null]);
      continue;
    }
    for (const other of right.slice(j, partner)) rows.push([null, other]);
    rows.push([one, right[partner] as T]);
    j = partner + 1;
  }
  for (const other of right.slice(j)) rows.push([null, other]);
}

function commonPlaces(
  left: readonly Alignable[],
  right: readonly Alignable[],
): readonly (readonly [number, number])[] {
  const width = right.length + 1;
  if (left.length * width > MOST_CELLS) return [];
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const isSame = left[i]?.print === right[j]?.print;
      const down = lengths[(i + 1) * width + j] as number;
      const across = lengths[i * width + j + 1] as number;
      const both = (lengths[(i + 1) * width + j + 1] as number) + 1;
      lengths[i * width + j] = isSame ? both : Math.max(down, across);
    }
  }
  const places: [number, number][] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i]?.print === right[j]?.print) places.push([i++, j++]);
    else if ((lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number))
      i++;
    else j++;
  }
  return places;
}
