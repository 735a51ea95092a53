import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, useMemo, useRef, useState } from "react";
import { useKeys } from "../app/keys.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { ColumnHeads } from "./column-heads.tsx";
import type { CompareView } from "./compare-model.ts";
import { CompareRowView, type Grain } from "./compare-row.tsx";
import { LETTERS } from "./compare-view.ts";

interface RowsParts {
  readonly model: SessionModel;
  readonly view: CompareView;
  /** The column that keys act on, and that a narrow page shows. */
  readonly column: number;
  readonly onColumn: (at: number) => void;
  readonly onCopy: () => void;
}

/** The aligned turns, with the fork drawn once above its columns; all columns scroll as one. */
export function CompareRows(parts: RowsParts): ReactElement {
  const t = useText();
  const { model, view, column, onColumn } = parts;
  const { rows, columns } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const heads = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 88,
    overscan: 4,
  });
  const { at, grain, step } = useSteps(view, (index) =>
    list.scrollToIndex(index, { align: "center" }),
  );
  return (
    <div className="compare-body" data-column={column} data-columns={columns.length}>
      <div ref={heads} className="fork-head">
        <ColumnHeads {...{ model, view, column, onColumn }} onStep={step} onCopy={parts.onCopy} />
      </div>
      <section
        ref={scroller}
        className="diff-scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keys
        tabIndex={0}
        aria-label={t("compare.title")}
        onScroll={() => {
          if (heads.current !== null) heads.current.scrollLeft = scroller.current?.scrollLeft ?? 0;
        }}
      >
        <div className="rows compare-wide" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                className={index === at ? "row-place current" : "row-place"}
                style={{ transform: `translateY(${start}px)` }}
              >
                <CacheBreak view={view} index={index} />
                {row && <CompareRowView model={model} row={row} grain={grain} />}
              </div>
            );
          })}
        </div>
      </section>
    </div>
  );
}

/** The steps from difference to difference, and whether words or lines are marked. */
function useSteps(
  { rows }: CompareView,
  show: (index: number) => void,
): { readonly at: number; readonly grain: Grain; readonly step: (by: 1 | -1) => undefined } {
  const [grain, setGrain] = useState<Grain>("word");
  const [at, setAt] = useState(-1);
  const differing = useMemo(
    () => rows.flatMap(({ kind }, index) => (kind === "same" ? [] : [index])),
    [rows],
  );
  const step = (by: 1 | -1): undefined => {
    const next =
      by === 1 ? differing.find((index) => index > at) : differing.findLast((index) => index < at);
    if (next === undefined) return;
    setAt(next);
    show(next);
  };
  useKeys({
    n: () => step(1),
    "shift+n": () => step(-1),
    w: () => void setGrain(grain === "word" ? "line" : "word"),
  });
  return { at, grain, step };
}

/** The line above the first message at which a column's request is no longer that of the first. */
function CacheBreak(parts: {
  readonly view: CompareView;
  readonly index: number;
}): ReactElement | null {
  const t = useText();
  const { columns } = parts.view;
  const broken = columns.flatMap(({ cacheBreak }, at) =>
    at > 0 && cacheBreak === parts.index ? [LETTERS[at]] : [],
  );
  if (broken.length === 0) return null;
  const names = columns.length === 2 ? "" : ` (${broken.join(", ")})`;
  return (
    <p className="cache-break">
      {t("compare.cacheBreak")}
      {names}
    </p>
  );
}
