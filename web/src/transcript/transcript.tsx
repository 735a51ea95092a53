import { useVirtualizer } from "@tanstack/react-virtual";
import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { type ReactElement, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { replaceRoute } from "../app/location.ts";
import { chosenEntry } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { pathIndexOf } from "../model/path-index.ts";
import type { SessionModel } from "../model/session-model.ts";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, Loading } from "../parts/notice.tsx";
import { fieldsOf } from "./entry-content.ts";
import { LiveRow } from "./live-row.tsx";
import { Minimap } from "./minimap.tsx";
import type { RowList } from "./row-list.ts";
import { useTranscriptCalls } from "./transcript-calls.ts";
import { useTranscriptKeys } from "./transcript-keys.ts";
import { TranscriptRowView } from "./transcript-row.tsx";

/** Heights before they were measured, in px. */
const TOOL_ROW = 40;
const OTHER_ROW = 110;

/** The active path: a window of rows around what is in view. */
export function Transcript({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  useSignal(model.path.version);
  const state = useSignal(model.state);
  const live = useSignal(model.live);
  if (state === undefined) return <Loading lines={12} />;
  if (model.path.total === 0 && live.state === "idle") {
    return (
      <div className="transcript-scroll">
        <Empty title={t("transcript.empty")} body={t("transcript.emptyBody")} />
      </div>
    );
  }
  return <RowsView model={model} />;
}

function RowsView({ model }: { readonly model: SessionModel }): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const version = useSignal(model.path.version);
  const chosen = useSignal(chosenEntry);
  const { path } = model;
  // biome-ignore lint/correctness/useExhaustiveDependencies: version says that rows came
  const keyOf = useCallback((index: number) => path.at(index)?.id ?? index, [path, version]);
  const list = useVirtualizer<HTMLDivElement, Element>({
    count: path.total,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (path.at(index)?.kind === "t" ? TOOL_ROW : OTHER_ROW),
    getItemKey: keyOf,
    overscan: 4,
    paddingEnd: 8,
  });
  const items = list.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => path.ensure({ start: first - 20, end: last + 20 }));
  useFollowEnd(model, list);
  const jump = (index: number): void => list.scrollToIndex(index, { align: "start" });
  const view = useTranscriptKeys({ model, list, jump });
  const calls = useTranscriptCalls(model, version);
  return (
    <div className="transcript">
      <PromptHead model={model} list={list} onJump={jump} />
      <div ref={scroller} className="transcript-scroll" data-transcript="">
        <div className="rows" style={{ height: list.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = path.at(index);
            return (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="row-place"
                style={{ transform: `translateY(${start}px)` }}
                onPointerUp={() => row && choose(row)}
              >
                {isBoundary(model, index) && <UnreadLine />}
                {row === undefined ? (
                  <div className="entry waiting" />
                ) : (
                  <TranscriptRowView
                    model={model}
                    row={row}
                    isChosen={row.id === chosen || chosen === `~${row.place}`}
                    openTools={view.openTools}
                    openThinking={view.openThinking}
                    call={calls.callOf(row)}
                    isAnswered={calls.isAnswered}
                  />
                )}
              </div>
            );
          })}
        </div>
        <LiveRow model={model} />
      </div>
      <Minimap model={model} first={first} last={last} onJump={jump} />
      <ToEnd list={list} total={path.total} />
    </div>
  );
}

/** The first row that was not there at the last visit. */
function isBoundary({ path, seenBefore }: SessionModel, index: number): boolean {
  const [above, row] = [path.at(index - 1), path.at(index)];
  if (seenBefore === null || above === undefined || row === undefined) return false;
  return above.place < seenBefore && row.place >= seenBefore;
}

function UnreadLine(): ReactElement {
  const t = useText();
  return <p className="unread-line">{t("transcript.unread")}</p>;
}

function choose(row: TranscriptRow): void {
  if (getSelection()?.isCollapsed === false) return;
  chosenEntry.set(row.id);
  replaceRoute({ entry: row.id });
}

/** Stays at the end while it grows there; goes to the chosen entry of the address first. */
function useFollowEnd(model: SessionModel, list: RowList): void {
  const chosen = useSignal(chosenEntry);
  const live = useSignal(model.live);
  const { path } = model;
  const { total, leaf } = path;
  const shown = useRef<{ leaf: string | null; total: number; pinned: boolean }>({
    leaf: null,
    total: 0,
    pinned: true,
  });
  const element = list.scrollElement;
  useEffect(() => {
    if (element === null) return;
    const note = (): void => {
      shown.current.pinned = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    };
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, [element]);
  useLayoutEffect(() => {
    const before = shown.current;
    const isOther = before.leaf !== leaf || before.total !== total;
    if (!isOther) return;
    const index = chosen === null ? undefined : pathIndexOf(model, chosen);
    shown.current = { leaf, total, pinned: before.pinned };
    if (before.total === 0 && index !== undefined) list.scrollToIndex(index, { align: "center" });
    else if (before.pinned || total < before.total) list.scrollToIndex(total - 1, { align: "end" });
  });
  useLayoutEffect(() => {
    if (live.state !== "idle" && shown.current.pinned && element !== null)
      element.scrollTop = element.scrollHeight;
  }, [live, element]);
  const firstChosen = useRef(true);
  useEffect(() => {
    const index = chosen === null ? undefined : pathIndexOf(model, chosen);
    const isFirst = firstChosen.current;
    firstChosen.current = false;
    if (index === undefined || isFirst) return;
    if (!list.getVirtualItems().some((item) => item.index === index))
      list.scrollToIndex(index, { align: "center" });
  }, [chosen, model, list]);
}

/** The question that the rows in view belong to, as a sticky line. */
function PromptHead(parts: {
  readonly model: SessionModel;
  readonly list: RowList;
  readonly onJump: (index: number) => void;
}): ReactElement | null {
  const t = useText();
  const { model, list } = parts;
  const top = (list.scrollOffset ?? 0) + 8;
  const first = list.getVirtualItems().find((item) => item.end > top)?.index ?? 0;
  let index = first;
  while (index >= 0 && model.path.at(index) !== undefined && model.path.at(index)?.kind !== "u")
    index--;
  const row = model.path.at(index);
  const starts = list.getVirtualItems().find((item) => item.index === index)?.start ?? 0;
  if (row === undefined || row.kind !== "u" || (index === first && starts >= top - 8)) return null;
  return (
    <button
      type="button"
      className="prompt-head"
      title={t("transcript.toPrompt")}
      onClick={() => parts.onJump(index)}
    >
      <Icon name="send" />
      <span>{row.text || String(fieldsOf(row.entry).id)}</span>
    </button>
  );
}

function ToEnd(parts: { readonly list: RowList; readonly total: number }): ReactElement | null {
  const t = useText();
  const { list, total } = parts;
  const height = list.scrollRect?.height ?? 0;
  const left = list.getTotalSize() - (list.scrollOffset ?? 0) - height;
  if (left < 400) return null;
  return (
    <div className="to-end">
      <IconButton
        icon="down"
        label={t("transcript.toEnd")}
        onClick={() => list.scrollToIndex(total - 1, { align: "end" })}
      />
    </div>
  );
}
