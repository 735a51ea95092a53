import { type ReactElement, useEffect, useState } from "react";
import { readDiff } from "../api/api.ts";
import { useKeys } from "../app/keys.ts";
import { replaceRoute } from "../app/location.ts";
import { useText } from "../i18n/language.ts";
import { mergeFrom, switchTo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { roleName } from "../parts/message-role.ts";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";
import { type Mode, nextMode } from "./compare-mode.ts";
import type { CompareView } from "./compare-model.ts";
import { CompareRows } from "./compare-rows.tsx";
import { FileTable, NumberTable } from "./compare-tables.tsx";
import { compareText } from "./compare-text.ts";
import { LETTERS } from "./compare-view.ts";
import { mergeDiffs } from "./merge-diffs.ts";

interface ComparisonParts {
  readonly model: SessionModel;
  readonly leaves: readonly string[];
  readonly mode: Mode;
}

/** The chosen branches in the chosen mode, with the keys of the screen. */
export function Comparison(parts: ComparisonParts): ReactElement {
  const t = useText();
  const { model, leaves, mode } = parts;
  const { view, error } = useComparison(parts);
  const [column, setColumn] = useState(1);
  const copy = useCopy(view);
  const leaf = leaves[column] ?? "";
  const to = (at: number) => (): boolean => {
    if (at >= leaves.length) return false;
    setColumn(at);
    return true;
  };
  useKeys({
    ...{ 1: to(0), 2: to(1), 3: to(2), 4: to(3) },
    m: () => void mergeFrom(model, leaf),
    s: () => void switchTo(model, leaf),
    v: () => void replaceRoute({ mode: nextMode(mode) }),
    y: copy,
  });
  if (error !== undefined) return <FailureNote error={error} />;
  if (view === undefined) return <Loading lines={10} />;
  if (mode === "files") return <FileTable view={view} />;
  if (mode === "numbers") return <NumberTable view={view} />;
  if (view.rows.every(({ kind }) => kind === "same")) return <Empty title={t("compare.noDiff")} />;
  return (
    <CompareRows model={model} view={view} column={column} onColumn={setColumn} onCopy={copy} />
  );
}

function useComparison({ model, leaves, mode }: ComparisonParts): {
  readonly view: CompareView | undefined;
  readonly error: unknown;
} {
  const [view, setView] = useState<CompareView>();
  const [error, setError] = useState<unknown>();
  const asked = mode === "context" ? "context" : "turns";
  const names = leaves.join(",");
  useEffect(() => {
    const fetching = new AbortController();
    const [a, ...others] = names.split(",");
    const reading = Promise.all(
      others.map((b) => readDiff(model.id, { a, b, mode: asked }, fetching.signal)),
    ).then(mergeDiffs);
    reading.then(
      (read) => {
        setView(read);
        setError(undefined);
      },
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [model, names, asked]);
  return { view, error };
}

/** Copies the comparison as Markdown. */
function useCopy(view: CompareView | undefined): () => undefined {
  const t = useText();
  return () => {
    if (view === undefined) return;
    const words = {
      title: t("compare.title"),
      columns: LETTERS.map((name) => t("compare.column", { name })),
      shared:
        view.meeting === null ? t("compare.noMeeting") : t("compare.shared", { n: view.shared }),
      names: {
        turns: t("compare.turns"),
        entries: t("compare.entries"),
        tokens: t("compare.tokens"),
        cost: t("compare.cost"),
        stop: t("compare.stop"),
      },
      role: (role: string) => roleName(role, t),
    };
    navigator.clipboard
      .writeText(compareText(view, words))
      .then(() => toast({ text: t("app.copied") }), toastFailure);
  };
}
