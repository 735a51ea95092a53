import type { ExportHead } from "branchline/protocol/export.ts";
import { SHOWN_KINDS } from "branchline/protocol/kinds.ts";
import type { TreeShape } from "../tree/tree-shape.ts";
import { contextAt } from "./embedded-path.ts";

/** Points of one curve; of a longer path every n-th is given, and every compaction. */
const MOST_POINTS = 5000;

/** The size of the context with its end at a place. */
export interface CurvePoint {
  readonly place: number;
  readonly tokens: number;
  readonly kind: string;
}

/**
 * The size of the context at every row of a path, from the tokens of the single entries: the sum of all, less
 * what the compaction in force there leaves out, and its summary. Context edits are not looked at, as in the
 * server's curve. O(length of the path).
 */
export function curvePoints(
  head: ExportHead,
  shape: TreeShape,
  places: readonly number[],
): readonly CurvePoint[] {
  const all = [0];
  const system = [0];
  const indexes = new Map(places.map((place, index) => [place, index]));
  const before = (sums: readonly number[], place: number): number =>
    sums[indexes.get(place) ?? 0] ?? 0;
  const points: CurvePoint[] = [];
  let known: readonly number[] = [-1, 0];
  let base = 0;
  for (const [index, place] of places.entries()) {
    const kind = shape.kinds[place] ?? ".";
    const tokens = kind === "c" ? 0 : (shape.tokens[place] ?? 0);
    all.push((all[index] ?? 0) + tokens);
    system.push((system[index] ?? 0) + (kind === "s" ? tokens : 0));
    const isEnd = place === head.columns.leaf;
    const [compaction, keeps] = isEnd ? head.leafContext : contextAt(head, place);
    if (compaction !== known[0] || keeps !== known[1]) {
      const instructions = before(system, compaction) - before(system, keeps);
      const summary = shape.tokens[compaction] ?? 0;
      base = compaction < 0 ? 0 : summary - before(all, keeps) - instructions;
      known = [compaction, keeps];
    }
    const size = base + (all[index + 1] ?? 0);
    if (SHOWN_KINDS.has(kind)) points.push({ place, tokens: size, kind });
  }
  const step = Math.ceil(points.length / MOST_POINTS);
  const last = points.length - 1;
  return points.filter(({ kind }, at) => at % step === 0 || at === last || kind === "c");
}
