import { useVirtualizer } from "@tanstack/react-virtual";
import type { DiffRow, DiffSide, DiffTotals, DiffView } from "branchline/protocol/operation.ts";
import {
  memo,
  type NamedExoticComponent,
  type ReactElement,
  useMemo,
  useRef,
  useState,
} from "react";
import { useKeys } from "../app/keys.ts";
import { useSignal } from "../app/signal.ts";
import { costText, tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { archiveBranch, mergeFrom, pickEntry, switchTo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { messageRole, roleName } from "../parts/message-role.ts";
import { RoleMark } from "../parts/role-mark.tsx";
import { type DiffPiece, diffLines, diffWords } from "../parts/text-diff.ts";
import { branchToArchive } from "./branch-choice.tsx";

type Grain = "word" | "line";

/** The aligned turns, with the fork drawn once above its two columns. */
export function DiffRows(parts: {
  readonly model: SessionModel;
  readonly diff: DiffView;
  readonly onCopy: () => void;
}): ReactElement {
  const t = useText();
  const { model, diff } = parts;
  const { rows } = diff;
  const scroller = useRef<HTMLDivElement>(null);
  const [grain, setGrain] = useState<Grain>("word");
  const [at, setAt] = useState(-1);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 80,
    overscan: 4,
  });
  const differing = useMemo(
    () => rows.flatMap(({ kind }, index) => (kind === "same" ? [] : [index])),
    [rows],
  );
  const step = (by: 1 | -1): undefined => {
    const next =
      by === 1 ? differing.find((index) => index > at) : differing.findLast((index) => index < at);
    if (next === undefined) return;
    setAt(next);
    list.scrollToIndex(next, { align: "center" });
  };
  useKeys({
    n: () => step(1),
    "shift+n": () => step(-1),
    w: () => void setGrain(grain === "word" ? "line" : "word"),
  });
  return (
    <>
      <ForkHead model={model} diff={diff} onStep={step} onCopy={parts.onCopy} />
      <section
        ref={scroller}
        className="diff-scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keys
        tabIndex={0}
        aria-label={t("compare.title")}
      >
        <div className="rows" style={{ height: list.getTotalSize() }}>
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
                {diff.cacheBreak === index && <CacheBreak />}
                {row && <DiffRowView model={model} row={row} grain={grain} />}
              </div>
            );
          })}
        </div>
      </section>
    </>
  );
}

function CacheBreak(): ReactElement {
  const t = useText();
  return <p className="cache-break">{t("compare.cacheBreak")}</p>;
}

function ForkHead(parts: {
  readonly model: SessionModel;
  readonly diff: DiffView;
  readonly onStep: (by: 1 | -1) => void;
  readonly onCopy: () => void;
}): ReactElement {
  const t = useText();
  const { model, diff, onStep } = parts;
  return (
    <div className="fork-head">
      <div className="fork-trunk">
        <span className="pill">
          {diff.meeting === null ? t("compare.noMeeting") : t("compare.shared", { n: diff.shared })}
        </span>
        <IconButton icon="left" label={`${t("compare.previous")} (N)`} onClick={() => onStep(-1)} />
        <IconButton icon="right" label={`${t("compare.next")} (n)`} onClick={() => onStep(1)} />
        <IconButton icon="copy" label={`${t("compare.copy")} (y)`} onClick={parts.onCopy} />
      </div>
      <svg className="fork-art" viewBox="0 0 200 24" preserveAspectRatio="none" aria-hidden="true">
        <path d="M100 0C100 16 50 8 50 24M100 0C100 16 150 8 150 24" />
      </svg>
      <div className="fork-columns">
        <SideHead model={model} totals={diff.a} other={diff.b} />
        <SideHead model={model} totals={diff.b} other={diff.a} />
      </div>
    </div>
  );
}

function SideHead(parts: {
  readonly model: SessionModel;
  readonly totals: DiffTotals;
  readonly other: DiffTotals;
}): ReactElement {
  const t = useText();
  const { model, totals, other } = parts;
  useSignal(model.shape);
  useSignal(model.previews.version);
  const loser = branchToArchive(model, totals.leaf);
  return (
    <div className="side-head">
      <p className="numbers">
        {t("unit.turns", { n: totals.turns })} ·{" "}
        {t("unit.tokens", { n: tokensText(totals.tokens) })} · {costText(totals.cost)}
        {totals.stopReason && ` · ${totals.stopReason}`}
      </p>
      {totals.labels.map((label) => (
        <span key={label} className="flag">
          {label}
        </span>
      ))}
      <div className="side-actions">
        <Button onClick={() => void switchTo(model, totals.leaf)}>{t("compare.switch")}</Button>
        <Button
          onClick={() => {
            void switchTo(model, other.leaf).then(() => mergeFrom(model, totals.leaf));
          }}
        >
          {t("compare.merge")}
        </Button>
        {loser !== undefined && (
          <Button onClick={() => void archiveBranch(model, loser)}>{t("compare.archive")}</Button>
        )}
      </div>
    </div>
  );
}

const DiffRowView: NamedExoticComponent<{
  readonly model: SessionModel;
  readonly row: DiffRow;
  readonly grain: Grain;
}> = memo(({ model, row, grain }) => {
  const { left, right } = row;
  const pieces = useMemo(() => {
    if (row.kind !== "changed" || left === null || right === null) return undefined;
    const isLong = left.text.length + right.text.length > 20_000;
    return grain === "line" || isLong
      ? diffLines(left.text, right.text)
      : diffWords(left.text, right.text);
  }, [row, left, right, grain]);
  const part = (without: "added" | "removed"): ReactElement | undefined =>
    pieces && <Pieces pieces={pieces.filter(({ kind }) => kind !== without)} />;
  return (
    <div className={`diff-row ${row.kind}`}>
      <SideView model={model} side={left} kind={row.kind} marked={part("added")} />
      <SideView model={model} side={right} kind={row.kind} marked={part("removed")} />
    </div>
  );
});

function Pieces({ pieces }: { readonly pieces: readonly DiffPiece[] }): ReactElement {
  return (
    <span>
      {pieces.map(({ kind, text }, at) => {
        const key = `${at}`;
        return kind === "same" ? (
          <span key={key}>{text}</span>
        ) : (
          <mark key={key} className={kind}>
            {text}
          </mark>
        );
      })}
    </span>
  );
}

/** Characters that one side shows. */
const SHOWN = 3000;

function SideView(parts: {
  readonly model: SessionModel;
  readonly side: DiffSide | null;
  readonly kind: DiffRow["kind"];
  readonly marked: ReactElement | undefined;
}): ReactElement {
  const t = useText();
  const { model, side, kind, marked } = parts;
  if (side === null) return <div className="diff-side none" />;
  return (
    <div className="diff-side">
      <p className="diff-role small">
        <RoleMark of={messageRole(side.role)} />
        <span title={side.role}>{roleName(side.role, t)}</span>
        <span className="quiet numbers">{tokensText(side.tokens)}</span>
        {kind !== "same" && (
          <span className={`chip ${kind}`}>
            {t(kind === "changed" ? "compare.changed" : "compare.only")}
          </span>
        )}
        <span className="spring" />
        {kind !== "same" && (
          <IconButton
            icon="plus"
            label={t("action.pick")}
            onClick={() => void pickEntry(model, side.entry)}
          />
        )}
      </p>
      <div className="plain-text">{marked ?? side.text.slice(0, SHOWN)}</div>
    </div>
  );
}
