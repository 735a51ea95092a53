import { useEffect, useMemo } from "react";
import { useSignal } from "../app/signal.ts";
import type { Previews } from "../model/previews.ts";
import type { TreeShape } from "./tree-shape.ts";

/** Sessions up to this size are searched on the page; of larger ones only what was seen. */
const SEARCHED = 20_000;

/** Places whose short text, tool or label holds all words of the query; undefined = no search. */
export function useTreeMatches(
  previews: Previews,
  shape: TreeShape | undefined,
  query: string,
): ReadonlySet<number> | undefined {
  const version = useSignal(previews.version);
  const isSearching = query.trim() !== "";
  useEffect(() => {
    if (!isSearching || shape === undefined) return;
    previews.want(Array.from({ length: Math.min(shape.size, SEARCHED) }, (_, place) => place));
  }, [isSearching, shape, previews]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: version says that texts came
  return useMemo(
    () => (isSearching && shape !== undefined ? matches(previews, shape, query) : undefined),
    [isSearching, shape, previews, query, version],
  );
}

function matches(previews: Previews, shape: TreeShape, query: string): ReadonlySet<number> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = new Set<number>();
  for (let place = 0; place < shape.size; place++) {
    const text = previews.searchText(place);
    const label = shape.labels.get(place)?.toLowerCase() ?? "";
    if (words.every((word) => text.includes(word) || label.includes(word))) found.add(place);
  }
  return found;
}
