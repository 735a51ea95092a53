import type { ReactElement } from "react";
import { useSignal } from "../app/signal.ts";
import { costText, countText, tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { archiveBranch, mergeFrom, switchTo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { branchToArchive } from "./branch-choice.tsx";
import type { CompareColumn, CompareView } from "./compare-model.ts";
import { LETTERS } from "./compare-view.ts";

interface HeadParts {
  readonly model: SessionModel;
  readonly view: CompareView;
  readonly column: number;
  readonly onColumn: (at: number) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onCopy: () => void;
}

/** The trunk that all share, the fork, and what stands above each column. */
export function ColumnHeads(parts: HeadParts): ReactElement {
  const t = useText();
  const { model, view, column, onColumn, onStep } = parts;
  const { columns, meeting, shared } = view;
  return (
    <>
      <div className="fork-trunk">
        <span className="pill">
          {meeting === null ? t("compare.noMeeting") : t("compare.shared", { n: shared })}
        </span>
        <IconButton icon="left" label={`${t("compare.previous")} (N)`} onClick={() => onStep(-1)} />
        <IconButton icon="right" label={`${t("compare.next")} (n)`} onClick={() => onStep(1)} />
        <IconButton icon="copy" label={`${t("compare.copy")} (y)`} onClick={parts.onCopy} />
        <fieldset className="segments column-switch" aria-label={t("compare.shown")}>
          {columns.map(({ leaf }, at) => (
            <button
              key={`${leaf}-${LETTERS[at]}`}
              type="button"
              aria-pressed={at === column}
              aria-label={t("compare.column", { name: LETTERS[at] ?? "" })}
              onClick={() => onColumn(at)}
            >
              {LETTERS[at]}
            </button>
          ))}
        </fieldset>
      </div>
      <svg
        className="fork-art compare-wide"
        viewBox="0 0 100 24"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={columns.map((_, at) => limb(((at + 0.5) * 100) / columns.length)).join("")} />
      </svg>
      <div className="fork-columns compare-wide">
        {columns.map((totals, at) => (
          <ColumnHead
            key={`${totals.leaf}-${LETTERS[at]}`}
            {...{ model, view, totals, at }}
            isChosen={at === column}
            onChoose={() => onColumn(at)}
          />
        ))}
      </div>
    </>
  );
}

/** One line from the trunk in the middle down to a column. */
const limb = (x: number): string => `M50 0C50 16 ${x} 8 ${x} 24`;

function ColumnHead(parts: {
  readonly model: SessionModel;
  readonly view: CompareView;
  readonly totals: CompareColumn;
  readonly at: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): ReactElement {
  const t = useText();
  const { totals, at, isChosen } = parts;
  const letter = LETTERS[at] ?? "";
  const { shown, entries } = totals;
  const isCut = shown !== undefined && shown < entries;
  return (
    <div className={isChosen ? "side-head chosen" : "side-head"}>
      <button
        type="button"
        className={`letter letter-${at}`}
        aria-pressed={isChosen}
        aria-label={t("compare.column", { name: letter })}
        title={`${t("compare.column", { name: letter })}  ${at + 1}`}
        onClick={parts.onChoose}
      >
        {letter}
      </button>
      <p className="numbers">
        {t("unit.turns", { n: totals.turns })} ·{" "}
        {t("unit.tokens", { n: tokensText(totals.tokens) })} · {costText(totals.cost)}
        {totals.stopReason && ` · ${totals.stopReason}`}
      </p>
      {totals.labels.map((label) => (
        <span key={label} className="flag" title={label}>
          {label}
        </span>
      ))}
      {isCut && (
        <p className="cut-note small">
          {t("compare.cut", { shown: countText(shown), total: countText(entries) })}
        </p>
      )}
      <ColumnActions {...parts} />
    </div>
  );
}

function ColumnActions(parts: {
  readonly model: SessionModel;
  readonly view: CompareView;
  readonly totals: CompareColumn;
  readonly at: number;
}): ReactElement {
  const t = useText();
  const { model, view, totals, at } = parts;
  useSignal(model.shape);
  useSignal(model.previews.version);
  const loser = branchToArchive(model, totals.leaf);
  const other = view.columns.length === 2 ? view.columns[1 - at] : undefined;
  const merge = async (): Promise<void> => {
    if (other !== undefined) await switchTo(model, other.leaf);
    await mergeFrom(model, totals.leaf);
  };
  return (
    <div className="side-actions">
      <Button onClick={() => void switchTo(model, totals.leaf)}>{t("compare.switch")}</Button>
      <Button onClick={() => void merge()} title={other ? undefined : t("action.merge")}>
        {t(other === undefined ? "compare.mergeHere" : "compare.merge")}
      </Button>
      {loser !== undefined && (
        <Button onClick={() => void archiveBranch(model, loser)}>{t("compare.archive")}</Button>
      )}
    </div>
  );
}
