import type { OperationRow } from "branchline/protocol/operation.ts";
import { type ReactElement, useEffect, useState } from "react";
import { readOperations } from "../api/api.ts";
import { useKeys } from "../app/keys.ts";
import { go } from "../app/location.ts";
import { useSignal } from "../app/signal.ts";
import { ageText, countText, timeText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { redo, undo, undoMany } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { operationWords } from "./operation-text.ts";

/** Lines that are shown. */
const SHOWN = 200;

/** The operations, newest first, with undo and redo. */
export function OperationLog({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  const state = useSignal(model.state);
  const [rows, setRows] = useState<readonly OperationRow[]>();
  const [error, setError] = useState<unknown>();
  const [asked, setAsked] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when the session changed
  useEffect(() => {
    const fetching = new AbortController();
    readOperations(model.id, fetching.signal).then(
      ({ operations }) => setRows(operations),
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [model, state]);
  useKeys({ u: () => void undo(model), "shift+u": () => void redo(model) });
  if (error !== undefined) return <FailureNote error={error} />;
  if (rows === undefined) return <Loading />;
  if (rows.length === 0)
    return <Empty title={t("health.opsEmpty")} body={t("health.opsEmptyBody")} />;
  return (
    <>
      <div className="row">
        <Button icon="undo" onClick={() => void undo(model)}>
          {t("health.undoHere")}
        </Button>
        <Button icon="redo" onClick={() => void redo(model)}>
          {t("health.redo")}
        </Button>
      </div>
      <ol className="operations">
        {rows
          .toReversed()
          .slice(0, SHOWN)
          .map((row) => (
            <OperationLine
              key={row.op}
              row={row}
              count={undoCount(rows, row)}
              isAsked={row.op === asked}
              onAsk={() => setAsked(row.op === asked ? undefined : row.op)}
              onUndo={() => {
                setAsked(undefined);
                void undoMany(model, undoCount(rows, row));
              }}
            />
          ))}
      </ol>
      {rows.length > SHOWN && (
        <p className="quiet small">
          {t("health.cut", { shown: SHOWN, total: countText(rows.length) })}
        </p>
      )}
    </>
  );
}

/** Operations that undoing down to this line takes back, it included; 0 = it cannot. */
function undoCount(rows: readonly OperationRow[], line: OperationRow): number {
  if (line.undone || line.undoes !== null) return 0;
  const from = rows.indexOf(line);
  return rows.slice(from).filter(({ undone, undoes }) => !undone && undoes === null).length;
}

function OperationLine(parts: {
  readonly row: OperationRow;
  readonly count: number;
  readonly isAsked: boolean;
  readonly onAsk: () => void;
  readonly onUndo: () => void;
}): ReactElement {
  const t = useText();
  const { row, count, isAsked } = parts;
  const entry = row.entries.at(-1);
  const words = operationWords(row);
  const className = `operation${row.undone ? " undone" : ""}${isAsked ? " asked" : ""}`;
  return (
    <li className={className}>
      <button
        type="button"
        disabled={entry === undefined}
        onClick={() => go({ screen: "workspace", entry: entry ?? null })}
      >
        <span className="chip">{t(words.kind)}</span>
        <span className="operation-text">{words.about}</span>
        <time className="quiet small" dateTime={row.timestamp} title={timeText(row.timestamp)}>
          {ageText(row.timestamp)}
        </time>
        {row.undone && <span className="chip">{t("health.undone")}</span>}
      </button>
      {count > 0 && <IconButton icon="undo" label={t("health.undoTo")} onClick={parts.onAsk} />}
      {isAsked && (
        <p className="undo-ask" role="status">
          <span>{t("health.undoCount", { n: count })}</span>
          <Button kind="primary" onClick={parts.onUndo}>
            {t("health.undoNow")}
          </Button>
        </p>
      )}
    </li>
  );
}
