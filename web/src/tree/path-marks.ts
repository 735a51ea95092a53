import { filterMarks } from "./tree-filter.ts";
import { pathMarks, pathPlaces, type TreeShape } from "./tree-shape.ts";
import { visibleTree } from "./visible-tree.ts";

/** Kinds that have a row in the transcript. */
const SHOWN = new Set("uatsbcmxokgq");

/** What the skeleton says of the rows of the active path, so that nothing needs to be fetched for jumps and the map. */
export interface PathMarks {
  /** Place of each row. */
  readonly places: readonly number[];
  /** Rows that are questions, that have alternatives, that are compactions, that carry labels. */
  readonly prompts: readonly number[];
  readonly forks: readonly number[];
  readonly compactions: readonly number[];
  readonly labels: readonly number[];
}

const known = new WeakMap<TreeShape, PathMarks>();

/** Marks of the path to the leaf of a shape; worked out once for each shape. O(size). */
export function marksOfPath(shape: TreeShape): PathMarks {
  const present = known.get(shape);
  if (present !== undefined) return present;
  const places = pathPlaces(shape, shape.leaf).filter((at) => SHOWN.has(shape.kinds[at] ?? "."));
  const marks = filterMarks(shape, "forks");
  const tree = visibleTree(shape, marks, pathMarks(shape, shape.leaf));
  const made = { places, prompts: [], forks: [], compactions: [], labels: [] } as {
    places: readonly number[];
    prompts: number[];
    forks: number[];
    compactions: number[];
    labels: number[];
  };
  let above = shape.size;
  for (const [index, place] of places.entries()) {
    const kind = shape.kinds[place];
    if (kind === "u") made.prompts.push(index);
    if (kind === "c") made.compactions.push(index);
    if (shape.labels.has(place)) made.labels.push(index);
    if (!marks[place]) continue;
    if ((tree.childCount[above] ?? 0) > 1) made.forks.push(index);
    above = place;
  }
  known.set(shape, made);
  return made;
}

/** The nearest of some sorted indexes after (or before) one. */
export function nextOf(indexes: readonly number[], from: number, by: 1 | -1): number | undefined {
  return by === 1 ? indexes.find((at) => at > from) : indexes.findLast((at) => at < from);
}
