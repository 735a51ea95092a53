import { useVirtualizer } from "@tanstack/react-virtual";
import type { SessionRow } from "branchline/protocol/session.ts";
import { type ReactElement, useEffect, useRef } from "react";
import { useKeys } from "../app/keys.ts";
import { countText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import {
  archiveSession,
  copySessionId,
  newSession,
  openSessionPage,
  pinSession,
  renameSession,
  sessionMenu,
} from "./library-actions.ts";
import { SessionRowView } from "./session-row-view.tsx";
import type { LibraryState } from "./use-library.ts";

const ROW = 60;

interface ListParts {
  readonly library: LibraryState;
  readonly shelf: string;
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => void;
}

/** The virtual list of sessions with its keys. */
export function LibraryList(parts: ListParts): ReactElement {
  const t = useText();
  const { library, shelf, chosen, onChoose } = parts;
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
  useLibraryKeys(parts, (index) => list.scrollToIndex(index));
  return (
    <>
      <p className="quiet small count-line">
        {t("library.shown", {
          n: countText(rows.length),
          total: countText(library.page?.total ?? rows.length),
        })}
      </p>
      <div ref={scroller} className="library-scroll">
        <div className="rows" style={{ height: list.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <SessionRowView
                key={key}
                row={row}
                isChosen={row.id === chosen}
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

function useLibraryKeys(parts: ListParts, scrollTo: (index: number) => void): void {
  const { library, chosen, onChoose } = parts;
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
    y: on(copySessionId),
    n: () => void newSession(),
    escape: () => void onChoose(null),
  });
}
