import { type ReactElement, useDeferredValue, useMemo, useState } from "react";
import { useKeys } from "../app/keys.ts";
import { go, replaceRoute } from "../app/location.ts";
import { IS_EXPORT } from "../app/page-kind.ts";
import { useSignal } from "../app/signal.ts";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { redo, setHidden, undo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { IconButton } from "../parts/button.tsx";
import { Empty, FailureNote, Loading } from "../parts/notice.tsx";
import { toast, toastFailure } from "../parts/toast.tsx";
import { jsonText } from "../transcript/entry-content.ts";
import { PlainText } from "../transcript/text-body.tsx";
import { CompactionCard } from "./compaction-card.tsx";
import { ContextBar } from "./context-bar.tsx";
import { type ContextForm, type ContextWithBody, useContextData } from "./context-data.ts";
import { contextLines } from "./context-lines.ts";
import { ContextList } from "./context-list.tsx";
import { HeldNotice } from "./held-notice.tsx";
import { Scrubber } from "./scrubber.tsx";

const FORMS: readonly ContextForm[] = ["messages", "pi", "openai", "anthropic"];

/** S3: exactly what the model sees, at any entry of the path. */
export function ContextScreen(parts: {
  readonly model: SessionModel;
  readonly entry: string | null;
}): ReactElement {
  const t = useText();
  const { model, entry } = parts;
  const [form, setForm] = useState<ContextForm>("messages");
  const { view, curve, error } = useContextData(model, useDeferredValue(entry), form);
  const failure = useSignal(model.failure) ?? (view === undefined ? error : undefined);
  const points = curve?.points ?? [];
  const at = entry ?? view?.at ?? null;
  const found = points.findIndex((point) => point.entry === at);
  const index = found < 0 ? Math.max(0, points.length - 1) : found;
  const move = (to: number): void => {
    const point = points[Math.max(0, Math.min(points.length - 1, to))];
    if (point !== undefined) replaceRoute({ entry: point.entry });
  };
  useKeys({
    arrowleft: () => move(index - 1) as undefined,
    arrowright: () => move(index + 1) as undefined,
    y: () => copyBody(view),
    h: () => hideFocused(model),
    u: () => void undo(model),
    "shift+u": () => void redo(model),
    s: () => go({ screen: "workspace" }) as undefined,
    escape: () => go({ screen: "workspace" }) as undefined,
  });
  if (failure !== undefined) {
    return (
      <main className="screen" id="content">
        <FailureNote error={failure} onRetry={() => void model.open(entry)} />
      </main>
    );
  }
  return (
    <main className="screen context" id="content">
      <header className="screen-head">
        <h1>{t("context.title")}</h1>
        {view && <ContextFacts view={view} />}
        <span className="spring" />
        {!IS_EXPORT && <FormChoice form={form} onChange={setForm} />}
        <IconButton icon="copy" label={t("key.copyBody")} onClick={() => copyBody(view)} />
      </header>
      {curve && points.length > 1 && <Scrubber curve={curve} index={index} onMove={move} />}
      {view === undefined ? (
        <Loading lines={10} />
      ) : (
        <ContextBody model={model} view={view} form={form} />
      )}
    </main>
  );
}

function ContextFacts({ view }: { readonly view: ContextWithBody }): ReactElement {
  const t = useText();
  return (
    <p className="quiet small">
      {view.at === null ? t("context.start") : `${t("context.at")} ${view.at.slice(0, 8)}`} ·{" "}
      {t("unit.tokens", { n: tokensText(view.tokens) })} ·{" "}
      {t("unit.messages", { n: view.parts.length })}
      {view.model && ` · ${view.model.modelId}`}
      {view.gaps > 0 && ` · ${t("context.gaps", { n: view.gaps })}`}
    </p>
  );
}

function FormChoice(parts: {
  readonly form: ContextForm;
  readonly onChange: (form: ContextForm) => void;
}): ReactElement {
  const t = useText();
  return (
    <fieldset className="segments" aria-label={t("context.as")}>
      {FORMS.map((form) => (
        <button
          key={form}
          type="button"
          aria-pressed={form === parts.form}
          onClick={() => parts.onChange(form)}
        >
          {form === "messages" ? t("context.as.messages") : FORM_NAMES[form]}
        </button>
      ))}
    </fieldset>
  );
}

/** Names of products, the same in all languages. */
const FORM_NAMES: Readonly<Record<ContextForm, string>> = {
  messages: "",
  pi: "Pi",
  openai: "OpenAI",
  anthropic: "Anthropic",
};

function ContextBody(parts: {
  readonly model: SessionModel;
  readonly view: ContextWithBody;
  readonly form: ContextForm;
}): ReactElement {
  const t = useText();
  const { model, view, form } = parts;
  const [target, setTarget] = useState<number>();
  const lines = useMemo(() => contextLines(view), [view]);
  return (
    <>
      <ContextBar view={view} onPick={setTarget} />
      <HeldNotice model={model} view={view} />
      <div className="context-body">
        {form !== "messages" ? (
          <section className="context-scroll" aria-label={t("context.body")}>
            <PlainText className="code-text" source={jsonText(view.body ?? null)} />
          </section>
        ) : lines.length === 0 ? (
          <Empty title={t("context.empty")} />
        ) : (
          <ContextList
            lines={lines}
            target={target}
            onPick={(entry) => go({ screen: "workspace", entry })}
            onHide={(entry) => void setHidden(model, entry, true)}
          />
        )}
        {view.compaction && <CompactionCard model={model} compaction={view.compaction} />}
      </div>
    </>
  );
}

/** Hides the message whose line has the focus. */
function hideFocused(model: SessionModel): boolean {
  const line = document.activeElement?.closest<HTMLElement>("[data-part]");
  const entry = line?.dataset.part;
  if (entry === undefined || IS_EXPORT) return false;
  void setHidden(model, entry, true);
  return true;
}

function copyBody(view: ContextWithBody | undefined): undefined {
  if (view === undefined) return;
  const body = jsonText(view.body ?? view.parts.map(({ role, text }) => ({ role, text })));
  navigator.clipboard.writeText(body).then(() => toast({ text: "✓" }), toastFailure);
}
