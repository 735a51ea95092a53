import { useVirtualizer } from "@tanstack/react-virtual";
import type { SessionRow } from "branchline/protocol/session.ts";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { useKeys } from "../app/keys.ts";
import { countText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { Button } from "../parts/button.tsx";
import { FilterChips } from "./filter-chips.tsx";
import {
  archiveMany,
  archiveSession,
  copySessionId,
  openSessionPage,
  pinSession,
  renameSession,
  sessionMenu,
} from "./library-actions.ts";
import type { LibraryFilter } from "./library-filter.ts";
import { SessionRowView } from "./session-row-view.tsx";
import type { LibraryState } from "./use-library.ts";

const ROW = 60;

interface ListParts {
  readonly library: LibraryState;
  readonly filter: LibraryFilter;
  readonly onFilter: (filter: LibraryFilter) => void;
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
}

/** The virtual list of sessions with its keys. */
export function LibraryList(parts: ListParts): ReactElement {
  const t = useText();
  const { library, filter, chosen, onChoose } = parts;
  const { shelf } = filter;
  const { rows, reload, loadMore } = library;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 6,
  });
  const items = list.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 20) loadMore();
  });
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  useLibraryKeys({
    ...parts,
    scrollTo: (index) => list.scrollToIndex(index),
    onPick: (id) => setPicked((known) => toggled(known, id)),
  });
  const chosenRows = rows.filter(({ id }) => picked.has(id));
  return (
    <>
      {chosenRows.length > 0 ? (
        <PickedBar rows={chosenRows} reload={reload} onDone={() => setPicked(new Set())} />
      ) : (
        <div className="count-line">
          <p className="quiet small numbers">
            {t("library.shown", {
              n: countText(rows.length),
              total: countText(library.page?.total ?? rows.length),
            })}
          </p>
          {shelf !== "trash" && (
            <FilterChips
              counts={library.page?.facets.flags}
              filter={filter}
              onChange={parts.onFilter}
            />
          )}
        </div>
      )}
      <div ref={scroller} className="library-scroll">
        <div className="rows" style={{ height: list.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <SessionRowView
                key={key}
                row={row}
                isChosen={row.id === chosen}
                isPicked={picked.has(row.id)}
                isTrash={shelf === "trash"}
                style={{ transform: `translateY(${start}px)`, height: ROW }}
                onChoose={() => onChoose(row.id)}
                menu={() => sessionMenu({ row, reload }, shelf)}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

/** What can be done with all sessions that were selected with `x`. */
function PickedBar(parts: {
  readonly rows: readonly SessionRow[];
  readonly reload: () => void;
  readonly onDone: () => void;
}): ReactElement {
  const t = useText();
  const { rows, reload, onDone } = parts;
  return (
    <div className="picked-bar" role="toolbar" aria-label={t("action.menu")}>
      <strong>{t("library.selected", { n: rows.length })}</strong>
      <Button
        icon="archive"
        onClick={() => {
          void archiveMany(rows, reload);
          onDone();
        }}
      >
        {t("library.archiveAll")}
      </Button>
      <Button onClick={onDone}>{t("library.unselect")}</Button>
    </div>
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface KeyParts extends ListParts {
  readonly scrollTo: (index: number) => void;
  readonly onPick: (id: string) => void;
}

function useLibraryKeys(parts: KeyParts): void {
  const { library, chosen, onChoose, scrollTo } = parts;
  const { rows, reload } = library;
  const index = rows.findIndex(({ id }) => id === chosen);
  const row = rows[index];
  const step = (by: number) => (): undefined => {
    const next = Math.max(0, Math.min(rows.length - 1, index + by));
    onChoose(rows[next]?.id ?? null);
    scrollTo(next);
  };
  const on = (act: (row: SessionRow) => unknown) => (): boolean => {
    if (row === undefined) return false;
    act(row);
    return true;
  };
  useKeys({
    j: step(1),
    k: step(-1),
    arrowdown: step(1),
    arrowup: step(-1),
    enter: on(({ id }) => openSessionPage(id)),
    " ": step(index < 0 ? 1 : 0),
    r: on((one) => renameSession({ row: one, reload })),
    p: on((one) => pinSession({ row: one, reload })),
    a: on((one) => archiveSession({ row: one, reload })),
    x: on(({ id }) => {
      parts.onPick(id);
      step(1)();
    }),
    y: on(copySessionId),
    escape: () => void onChoose(null),
  });
}
