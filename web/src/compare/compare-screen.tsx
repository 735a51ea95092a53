import type { DiffView } from "branchline/protocol/operation.ts";
import { type ReactElement, useEffect, useState } from "react";
import { readDiff } from "../api/api.ts";
import { useKeys } from "../app/keys.ts";
import { replaceRoute } from "../app/location.ts";
import type { Route } from "../app/route.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { mergeFrom } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { IconButton } from "../parts/button.tsx";
import { roleName } from "../parts/message-role.ts";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";
import { BranchChoice, endHere, useChoices } from "./branch-choice.tsx";
import { compareText } from "./compare-text.ts";
import { DiffRows } from "./diff-rows.tsx";
import { FileTable, NumberTable } from "./diff-tables.tsx";

type Mode = "turns" | "context" | "files" | "numbers";

const MODES: readonly Mode[] = ["turns", "context", "files", "numbers"];

/** S4: two branches from their meeting point down. */
export function CompareScreen(parts: {
  readonly model: SessionModel;
  readonly route: Route;
}): ReactElement {
  const t = useText();
  const { model, route } = parts;
  const state = useSignal(model.state);
  const failure = useSignal(model.failure);
  const choices = useChoices(model);
  const a = route.a ?? endHere(model) ?? state?.leaf ?? null;
  const b = route.b ?? choices.find(({ id }) => id !== a)?.id ?? null;
  const mode = MODES.find((one) => one === route.mode) ?? "turns";
  if (failure !== undefined) {
    return (
      <main className="screen" id="content">
        <FailureNote error={failure} onRetry={() => void model.open(null)} />
      </main>
    );
  }
  return (
    <main className="screen compare" id="content">
      <header className="screen-head">
        <h1>{t("compare.title")}</h1>
        <BranchChoice
          side={t("compare.left")}
          choices={choices}
          value={a}
          onChange={(id) => replaceRoute({ a: id })}
        />
        <IconButton
          icon="swap"
          label={t("compare.swap")}
          onClick={() => replaceRoute({ a: b, b: a })}
        />
        <BranchChoice
          side={t("compare.right")}
          choices={choices}
          value={b}
          onChange={(id) => replaceRoute({ b: id })}
        />
        <span className="spring" />
        <ModeChoice mode={mode} />
      </header>
      {a === null || b === null ? (
        <Empty
          title={t("compare.choose")}
          body={t(choices.length < 2 ? "compare.oneBranch" : "compare.chooseBody")}
        />
      ) : (
        <Comparison model={model} a={a} b={b} mode={mode} />
      )}
    </main>
  );
}

function ModeChoice({ mode }: { readonly mode: Mode }): ReactElement {
  const t = useText();
  return (
    <fieldset className="segments">
      {MODES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === mode}
          onClick={() => replaceRoute({ mode: one })}
        >
          {t(`compare.mode.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}

function Comparison(parts: {
  readonly model: SessionModel;
  readonly a: string;
  readonly b: string;
  readonly mode: Mode;
}): ReactElement {
  const t = useText();
  const { model, a, b, mode } = parts;
  const [diff, setDiff] = useState<DiffView>();
  const [error, setError] = useState<unknown>();
  const asked = mode === "context" ? "context" : "turns";
  const copy = useCopy(diff);
  const to = (next: Mode) => (): undefined => void replaceRoute({ mode: next });
  useKeys({
    m: () => void mergeFrom(model, b),
    y: copy,
    ...{ 1: to("turns"), 2: to("context"), 3: to("files"), 4: to("numbers") },
  });
  useEffect(() => {
    const fetching = new AbortController();
    readDiff(model.id, { a, b, mode: asked }, fetching.signal).then(
      (read) => {
        setDiff(read);
        setError(undefined);
      },
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [model, a, b, asked]);
  if (error !== undefined) return <FailureNote error={error} />;
  if (diff === undefined) return <Loading lines={10} />;
  if (mode === "files") return <FileTable diff={diff} />;
  if (mode === "numbers") return <NumberTable diff={diff} />;
  if (diff.rows.every(({ kind }) => kind === "same")) return <Empty title={t("compare.noDiff")} />;
  return <DiffRows model={model} diff={diff} onCopy={copy} />;
}

/** Copies the comparison as Markdown. */
function useCopy(diff: DiffView | undefined): () => undefined {
  const t = useText();
  return () => {
    if (diff === undefined) return;
    const words = {
      title: t("compare.title"),
      left: t("compare.left"),
      right: t("compare.right"),
      shared:
        diff.meeting === null ? t("compare.noMeeting") : t("compare.shared", { n: diff.shared }),
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
      .writeText(compareText(diff, words))
      .then(() => toast({ text: t("app.copied") }), toastFailure);
  };
}
