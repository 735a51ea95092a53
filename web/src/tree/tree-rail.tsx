import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import { replaceRoute, useRoute } from "../app/location.ts";
import { chosenEntry } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { moveHere } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Loading } from "../parts/notice.tsx";
import { ChosenBar } from "./chosen-bar.tsx";
import { heat, heatWidth } from "./heat.ts";
import { filterMarks, TREE_FILTERS, type TreeFilter } from "./tree-filter.ts";
import { TreeRowView } from "./tree-row-view.tsx";
import { type TreeRow, visibleAbove } from "./tree-rows.ts";
import type { TreeShape } from "./tree-shape.ts";
import { type TreeState, useTreeState } from "./tree-state.ts";

const ROW = 28;
/** Under 720 px fingers need more. */
const TOUCH_ROW = 44;

/** The tree of a session: search, filter, rows. `onPick` is told after an entry was chosen. */
export function TreeRail(parts: {
  readonly model: SessionModel;
  readonly onPick?: () => void;
}): ReactElement {
  const t = useText();
  const route = useRoute();
  const filter = TREE_FILTERS.find((one) => one === route.filter) ?? "forks";
  const tree = useTreeState(parts.model, filter);
  return (
    <section className="tree-rail" aria-label={t("tree.title")}>
      <div className="tree-head">
        <input
          className="field"
          type="search"
          value={tree.query}
          placeholder={t("tree.search")}
          aria-label={t("tree.search")}
          onChange={(event) => tree.setQuery(event.target.value)}
        />
        <div className="row">
          <FilterButtons filter={filter} />
          <HeatButton />
        </div>
        {tree.matches !== undefined && (
          <span className="quiet small" role="status">
            {t("tree.matches", { n: tree.matches.size })}
          </span>
        )}
      </div>
      <TreeBody model={parts.model} tree={tree} onPick={parts.onPick} />
      {tree.shape && <ChosenBar model={parts.model} shape={tree.shape} />}
    </section>
  );
}

function FilterButtons({ filter }: { readonly filter: TreeFilter }): ReactElement {
  const t = useText();
  return (
    <fieldset className="segments" aria-label={t("tree.filter")}>
      {TREE_FILTERS.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === filter}
          onClick={() => replaceRoute({ filter: one === "forks" ? null : one })}
        >
          {t(`tree.filter.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}

function HeatButton(): ReactElement {
  const t = useText();
  const isHot = useSignal(heat);
  return (
    <button
      type="button"
      className="icon-button"
      aria-pressed={isHot}
      aria-label={t("tree.heat")}
      title={t("tree.heat")}
      onClick={() => heat.set(!isHot)}
    >
      <Icon name="heat" />
    </button>
  );
}

function TreeBody(parts: {
  readonly model: SessionModel;
  readonly tree: TreeState;
  readonly onPick: (() => void) | undefined;
}): ReactElement {
  const t = useText();
  const { tree, model } = parts;
  if (tree.shape === undefined) return <Loading lines={10} />;
  if (tree.shape.size === 0) return <Empty title={t("tree.empty")} />;
  if (tree.rows.length === 0) return <Empty title={t("tree.noMatch")} />;
  return <TreeList model={model} tree={tree} shape={tree.shape} onPick={parts.onPick} />;
}

interface ListParts {
  readonly model: SessionModel;
  readonly tree: TreeState;
  readonly shape: TreeShape;
  readonly onPick: (() => void) | undefined;
}

function TreeList(parts: ListParts): ReactElement {
  const { model, tree, shape } = parts;
  const t = useText();
  const scroller = useRef<HTMLDivElement>(null);
  const height = innerWidth < 720 ? TOUCH_ROW : ROW;
  const { rows } = tree;
  useSignal(model.previews.version);
  const isHot = useSignal(heat);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 4,
  });
  const items = virtual.getVirtualItems();
  const branchNames = useBranchNames(shape);
  const choice = useTreeChoice(parts, (index) => virtual.scrollToIndex(index));
  useEffect(() => {
    const shown = items.map(({ index }) => rows[index]).filter((row) => row?.kind === "entry");
    model.previews.want(shown.flatMap((row) => row?.place ?? []));
  });
  useFollowLeaf({
    shape,
    rows,
    scrollTo: (index) => virtual.scrollToIndex(index, { align: "center" }),
  });
  return (
    <div
      ref={scroller}
      className="tree-scroll"
      role="tree"
      tabIndex={0}
      aria-label={t("tree.title")}
      aria-activedescendant={choice.focused ? `tree-${choice.focused.key}` : undefined}
      onKeyDown={choice.onKeyDown}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <TreeRowView
              key={key}
              id={`tree-${row.key}`}
              row={row}
              preview={model.previews.at(row.place)}
              kind={shape.kinds[row.place] ?? "."}
              label={shape.labels.get(row.place)}
              branch={branchNames.get(row.place)}
              isLeaf={row.isLeaf}
              isFocused={row === choice.focused}
              isChosen={row.place === choice.chosenPlace}
              height={height}
              line={isHot ? heatWidth(row.tokens) : undefined}
              style={{ transform: `translateY(${start}px)`, height }}
              onPick={choice.pick}
              onFold={tree.toggle}
            />
          );
        })}
      </div>
    </div>
  );
}

interface TreeChoice {
  readonly focused: TreeRow | undefined;
  readonly chosenPlace: number | undefined;
  readonly pick: (row: TreeRow) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Which row has the focus, which entry is chosen, and the keys. */
function useTreeChoice(parts: ListParts, scrollTo: (index: number) => void): TreeChoice {
  const { model, tree, onPick } = parts;
  const { rows } = tree;
  const [focus, setFocus] = useState<string>();
  const chosen = useSignal(chosenEntry);
  const focusIndex = rows.findIndex((row) => row.key === focus);
  const pick = (row: TreeRow): void => {
    setFocus(row.key);
    if (row.kind === "run") {
      tree.toggle(row);
      return;
    }
    lookAt(model, row.place);
    onPick?.();
  };
  const focusOn = (index: number): void => {
    setFocus(rows[index]?.key);
    scrollTo(index);
  };
  return {
    focused: rows[focusIndex],
    chosenPlace: chosen === null ? undefined : model.placeOf(chosen),
    pick,
    onKeyDown: treeKeys({ rows, focusIndex, tree, pick, model, focusOn }),
  };
}

/** Chooses an entry; one of the active path comes into view, others wait for "move here". */
function lookAt(model: SessionModel, place: number): void {
  const id = model.nameOf(place);
  chosenEntry.set(id);
  replaceRoute({ entry: id });
}

/** Names of branches by the place of their end that is shown. */
function useBranchNames(shape: TreeShape): ReadonlyMap<number, string> {
  return useMemo(() => {
    const marks = filterMarks(shape, "forks");
    const named = shape.branches.flatMap(({ head, name }) =>
      name === null ? [] : [[visibleAbove(shape, marks, head), name] as const],
    );
    return new Map(named);
  }, [shape]);
}

/** Scrolls to the leaf when the session opened and when the leaf moved. */
function useFollowLeaf(parts: {
  readonly shape: TreeShape;
  readonly rows: readonly TreeRow[];
  readonly scrollTo: (index: number) => void;
}): void {
  const last = useRef<number>(undefined);
  useEffect(() => {
    if (last.current === parts.shape.leaf) return;
    last.current = parts.shape.leaf;
    const index = parts.rows.findIndex(({ isLeaf }) => isLeaf);
    if (index >= 0) parts.scrollTo(index);
  });
}

interface KeyParts {
  readonly rows: readonly TreeRow[];
  readonly focusIndex: number;
  readonly tree: TreeState;
  readonly model: SessionModel;
  readonly pick: (row: TreeRow) => void;
  readonly focusOn: (index: number) => void;
}

/** Arrow keys of a tree; `[` and `]` jump between forks. */
function treeKeys(parts: KeyParts): (event: KeyboardEvent) => void {
  const { rows, focusIndex, focusOn, tree, pick, model } = parts;
  const row = rows[focusIndex];
  const step = (by: number): void =>
    focusOn(Math.max(0, Math.min(rows.length - 1, focusIndex + by)));
  const fold = (isFolded: boolean): void => {
    if (row === undefined) return;
    const isNow = row.kind === "run" || row.collapsed;
    if (isNow !== isFolded && (row.kind === "run" || row.sides > 0 || row.run >= 0))
      tree.toggle(row);
    else step(isFolded ? -1 : 1);
  };
  const actions: Readonly<Record<string, () => void>> = {
    arrowdown: () => step(1),
    arrowup: () => step(-1),
    arrowleft: () => fold(true),
    arrowright: () => fold(false),
    home: () => focusOn(0),
    end: () => focusOn(rows.length - 1),
    pagedown: () => step(20),
    pageup: () => step(-20),
    " ": () => row && pick(row),
    enter: () => {
      if (row?.kind === "run") tree.toggle(row);
      else if (row !== undefined) void moveHere(model, model.nameOf(row.place));
    },
  };
  return (event) => {
    const action = actions[event.key.toLowerCase()];
    if (action === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
}
