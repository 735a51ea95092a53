import type { ContextView, EntryPreview } from "branchline/protocol/tree.ts";
import { type ReactElement, useEffect, useState } from "react";
import { readOriginals } from "../api/api.ts";
import { useKeys } from "../app/keys.ts";
import { useSignal } from "../app/signal.ts";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { compact, uncompact } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { ask } from "../parts/ask.tsx";
import { Button } from "../parts/button.tsx";
import { Loading } from "../parts/notice.tsx";
import { toastFailure } from "../parts/toast.tsx";
import { Originals } from "../transcript/compaction-row.tsx";
import { fieldsOf, jsonText, textOf } from "../transcript/entry-content.ts";
import { TextBody } from "../transcript/text-body.tsx";

/** The compaction in force: summary, originals, what the summary lost, and the ways back. */
export function CompactionCard(parts: {
  readonly model: SessionModel;
  readonly compaction: NonNullable<ContextView["compaction"]>;
}): ReactElement {
  const t = useText();
  const { model, compaction } = parts;
  const [isOpen, setOpen] = useState(false);
  const isReadOnly = typeof useSignal(model.state)?.readOnly === "string";
  useKeys({ x: () => void setOpen(!isOpen) });
  const again = async (): Promise<void> => {
    const note = await ask({ title: t("context.recompact"), body: t("context.recompactAsk") });
    if (note !== null) await compact(model, note);
  };
  return (
    <section className="card compaction-card">
      <h2>
        {t("context.compaction")}
        <span className="quiet small">
          {t("context.before", { n: tokensText(compaction.tokensBefore) })}
        </span>
      </h2>
      <h3>{t("context.summary")}</h3>
      <TextBody source={compaction.summary} />
      <LossReport loss={compaction.loss} />
      <div className="row">
        <Button pressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? "transcript.collapse" : "transcript.expand")}
        </Button>
        {!isReadOnly && (
          <>
            <Button icon="undo" onClick={() => void uncompact(model, compaction.entry)}>
              {t("transcript.uncompact")}
            </Button>
            <Button onClick={() => void again()}>{t("context.recompact")}</Button>
          </>
        )}
      </div>
      {isOpen && <OriginalRows model={model} entry={compaction.entry} />}
    </section>
  );
}

function OriginalRows(parts: {
  readonly model: SessionModel;
  readonly entry: string;
}): ReactElement {
  const t = useText();
  const [rows, setRows] = useState<readonly EntryPreview[]>();
  useEffect(() => {
    readOriginals(parts.model.id, parts.entry).then((answer) => setRows(answer.rows), toastFailure);
  }, [parts.model, parts.entry]);
  return (
    <>
      <h3>{t("context.originals")}</h3>
      {rows === undefined ? <Loading lines={4} /> : <Originals rows={rows} />}
    </>
  );
}

/** Kinds of facts that a report names. */
const LOSSES = ["decision", "error", "path", "url", "identifier", "number"] as const;
/** Facts of one kind that are shown, and characters of one. */
const SHOWN = { facts: 12, characters: 120 } as const;

/** The facts of our own report by kind; undefined for a report of another shape. */
function lostFacts(loss: unknown): readonly (readonly [string, readonly string[]])[] | undefined {
  const { items } = fieldsOf(loss);
  if (!Array.isArray(items)) return undefined;
  const facts = items.map(fieldsOf);
  return LOSSES.map((kind) => {
    const own = facts.filter((fact) => fact.kind === kind).map(({ text }) => textOf(text));
    const shown = own.slice(0, SHOWN.facts).map((one) => shortened(one));
    const more = own.length - shown.length;
    return [kind, more > 0 ? [...shown, `+${more}`] : shown] as const;
  }).filter(([, shown]) => shown.length > 0);
}

const shortened = (text: string): string =>
  text.length <= SHOWN.characters ? text : `${text.slice(0, SHOWN.characters)}…`;

/** What the context held before and holds no more, by kind. */
function LostFacts(parts: {
  readonly facts: readonly (readonly [string, readonly string[]])[];
}): ReactElement {
  const t = useText();
  return (
    <dl className="facts">
      {LOSSES.map((kind) => {
        const shown = parts.facts.find(([name]) => name === kind)?.[1];
        if (shown === undefined) return null;
        return (
          <div key={kind}>
            <dt>{t(`context.loss.${kind}`)}</dt>
            <dd>{shown.join(" · ")}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Lists of what stood before and stands no more; unknown shapes are shown as they are. */
function LossReport({ loss }: { readonly loss: unknown }): ReactElement | null {
  const t = useText();
  if (loss === null || loss === undefined) return null;
  const facts = lostFacts(loss);
  if (facts !== undefined) {
    return (
      <>
        <h3>{t("context.loss")}</h3>
        {facts.length === 0 && <p className="quiet">{t("context.lossNone")}</p>}
        <LostFacts facts={facts} />
      </>
    );
  }
  const groups = Object.entries(fieldsOf(loss)).filter(
    ([, value]) => !Array.isArray(value) || value.length > 0,
  );
  return (
    <>
      <h3>{t("context.loss")}</h3>
      {groups.length === 0 && <p className="quiet">{t("context.lossNone")}</p>}
      <dl className="facts">
        {groups.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {Array.isArray(value)
                ? value.map((one) => (typeof one === "string" ? one : jsonText(one))).join(", ")
                : jsonText(value)}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
