import { UNCOMPACT_TYPE } from "../entry/own-state.ts";
import { isLeftOut } from "../protocol/kinds.ts";
import type { ContextCurve } from "../protocol/tree.ts";
import { pathCut } from "../tree/path-cut.ts";
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

/** Tokens of a path up to a depth, without compactions; how many of them are instructions. */
interface Sums {
  readonly all: number[];
  readonly system: number[];
}

/**
 * The size of the context at every row of a path, from the tokens of the single entries: the sum of all, less
 * what the compaction in force there leaves out, and its summary. Context edits are not looked at.
 */
export function contextCurve(
  tree: SessionTree,
  leaf: string | null,
  skeleton: PathTokens,
): ContextCurve {
  const places = [...skeleton.placesUp(placeOf(tree, leaf))].reverse();
  const points: Point[] = [];
  const sums: Sums = { all: [0], system: [0] };
  let base = 0;
  for (const [index, place] of places.entries()) {
    const kind = skeleton.kindAt(place);
    const tokens = kind === "c" ? 0 : skeleton.tokensAt(place);
    sums.all.push((sums.all[index] as number) + tokens);
    sums.system.push((sums.system[index] as number) + (kind === "s" ? tokens : 0));
    if (kind === "c" || isMark(tree, place, kind)) base = baseAt({ tree, skeleton, sums }, place);
    const size = base + (sums.all[index + 1] as number);
    if (isShownKind(kind)) points.push({ place, tokens: size, kind });
  }
  return { points: thinned(points).map((point) => named(tree, point)) };
}

/** An uncompact mark: from it on another compaction is in force. */
function isMark(tree: SessionTree, place: number, kind: string): boolean {
  return kind === "." && tree.at(place)?.customType === UNCOMPACT_TYPE;
}

interface Path {
  readonly tree: SessionTree;
  readonly skeleton: PathTokens;
  readonly sums: Sums;
}

/** The summary, less everything that is not sent because of it: what it took up, and instructions above it. */
function baseAt({ tree, skeleton, sums }: Path, place: number): number {
  const { compaction, from } = pathCut(tree, tree.at(place)?.id ?? null);
  if (compaction === null) return 0;
  const first = Math.max(0, from - 1);
  const before = sums.all[first] ?? 0;
  const instructions = (sums.system[compaction.depth] ?? 0) - (sums.system[first] ?? 0);
  return skeleton.tokensAt(placeOf(tree, compaction.id)) - before - instructions;
}

function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  const last = points.length - 1;
  return points.filter(({ kind }, at) => at % step === 0 || at === last || kind === "c");
}

function named(tree: SessionTree, { place, tokens, kind }: Point): ContextCurve["points"][number] {
  return { entry: tree.at(place)?.id ?? `~${place}`, tokens, kind };
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
  const { compaction, from } = pathCut(tree, leaf);
  const active = placeOf(tree, compaction?.id ?? null);
  let depth = (leaf === null ? undefined : tree.get(leaf))?.fold.depth ?? 0;
  let sum = 0;
  for (const place of skeleton.placesUp(placeOf(tree, leaf))) {
    if (depth < from) break;
    const kind = skeleton.kindAt(place);
    const isOut = isLeftOut({ compaction: compaction?.depth ?? -1, from }, depth, kind);
    if (place === active || (kind !== "c" && !isOut)) sum += skeleton.tokensAt(place);
    depth--;
  }
  return sum;
}
