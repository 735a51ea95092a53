import { useDeferredValue, useMemo, useState } from "react";
import { useSignal } from "../app/signal.ts";
import type { SessionModel } from "../model/session-model.ts";
import { filterMarks, searchMarks, type TreeFilter } from "./tree-filter.ts";
import { type TreeRow, treeRows } from "./tree-rows.ts";
import { useTreeMatches } from "./tree-search.ts";
import type { TreeShape } from "./tree-shape.ts";

/** Trees up to this size are shown with short runs open. */
const SMALL = 60;

/** What the rail shows and how it is folded. */
export interface TreeState {
  readonly shape: TreeShape | undefined;
  readonly rows: readonly TreeRow[];
  readonly query: string;
  /** Places that match; undefined = no search. */
  readonly matches: ReadonlySet<number> | undefined;
  readonly setQuery: (query: string) => void;
  /** Folds or unfolds the run or the branches of a row. */
  readonly toggle: (row: TreeRow) => void;
}

/** Rows of a session's tree under a filter; laid out again only when something changed. */
export function useTreeState(model: SessionModel, filter: TreeFilter): TreeState {
  const shape = useSignal(model.shape);
  const [query, setQuery] = useState("");
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set());
  const matches = useTreeMatches(model.previews, shape, useDeferredValue(query));
  const rows = useMemo(() => {
    if (shape === undefined) return [];
    const isFlat = matches !== undefined || filter === "all" || filter === "labelled";
    return treeRows(shape, {
      marks: matches === undefined ? marksOf(shape, filter) : searchMarks(shape, matches),
      collapsed,
      opened,
      kept: new Set(),
      minRun: isFlat ? Number.POSITIVE_INFINITY : shape.size <= SMALL ? 6 : 3,
    });
  }, [shape, filter, matches, collapsed, opened]);
  const toggle = (row: TreeRow): void => {
    if (row.kind === "run") setOpened(toggled(opened, row.place));
    else if (row.sides > 0) setCollapsed(toggled(collapsed, row.last));
    else if (row.run >= 0) setOpened(toggled(opened, row.run));
  };
  return { shape, rows, query, matches, setQuery, toggle };
}

function marksOf(shape: TreeShape, filter: TreeFilter): Uint8Array {
  return filter === "labelled"
    ? searchMarks(shape, shape.labels.keys())
    : filterMarks(shape, filter);
}

function toggled(set: ReadonlySet<number>, place: number): ReadonlySet<number> {
  const next = new Set(set);
  if (!next.delete(place)) next.add(place);
  return next;
}
