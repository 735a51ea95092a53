import type { ContextCurve } from "../protocol/tree.ts";
import { activeCompaction, EMPTY_FOLD } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import { isShownKind } from "../view/entry-kind.ts";
import type { TreeSkeleton } from "./tree-skeleton.ts";

/** What of a skeleton curves are made from. */
export type PathTokens = Pick<TreeSkeleton, "tokensAt" | "kindAt" | "placesUp">;

/** Points of one curve; of a longer path every n-th is given, and every compaction. */
const MOST_POINTS = 5000;

interface Point {
  readonly place: number;
  readonly tokens: number;
  readonly kind: string;
}

/**
 * The size of the context at every row of a path, from the tokens of the single entries: before a
 * compaction the sum of all, after it the summary and what it keeps. Context edits are not looked at.
 */
export function contextCurve(
  tree: SessionTree,
  leaf: string | null,
  skeleton: PathTokens,
): ContextCurve {
  const places = [...skeleton.placesUp(placeOf(tree, leaf))].reverse();
  const points: Point[] = [];
  const sums = new Map<number, number>();
  let base = 0;
  let sum = 0;
  for (const place of places) {
    const kind = skeleton.kindAt(place);
    sums.set(place, sum);
    if (kind === "c") {
      const kept = keptPlace(tree, place);
      base = skeleton.tokensAt(place) - (kept === place ? sum : (sums.get(kept) ?? sum));
    } else {
      sum += skeleton.tokensAt(place);
    }
    if (isShownKind(kind)) points.push({ place, tokens: base + sum, kind });
  }
  return { points: thinned(points).map((point) => named(tree, point)) };
}

function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  const last = points.length - 1;
  return points.filter(({ kind }, at) => at % step === 0 || at === last || kind === "c");
}

function named(tree: SessionTree, { place, tokens, kind }: Point): ContextCurve["points"][number] {
  return { entry: tree.at(place)?.id ?? `~${place}`, tokens, kind };
}

/** Place of the first entry that the compaction at a place keeps; its own where it keeps nothing. */
function keptPlace(tree: SessionTree, place: number): number {
  const kept = tree.at(place)?.fold.compactions?.firstKeptEntryId ?? null;
  return (kept === null ? undefined : tree.get(kept)?.ordinal) ?? place;
}

function placeOf(tree: SessionTree, id: string | null): number {
  return (id === null ? undefined : tree.get(id)?.ordinal) ?? -1;
}

/** Estimated tokens of the context at an entry. */
export function contextTokens(
  tree: SessionTree,
  leaf: string | null,
  skeleton: PathTokens,
): number {
  const fold = (leaf === null ? undefined : tree.get(leaf))?.fold ?? EMPTY_FOLD;
  const compaction = placeOf(tree, activeCompaction(fold)?.id ?? null);
  const kept = compaction < 0 ? -1 : keptPlace(tree, compaction);
  let sum = 0;
  let hasSummary = compaction < 0;
  for (const place of skeleton.placesUp(placeOf(tree, leaf))) {
    if (place === compaction) hasSummary = true;
    const isCounted = place === compaction || skeleton.kindAt(place) !== "c";
    if (isCounted) sum += skeleton.tokensAt(place);
    if (hasSummary && place === kept) break;
  }
  return sum;
}
