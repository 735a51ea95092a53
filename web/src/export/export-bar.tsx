import type { ExportHead } from "branchline/protocol/export.ts";
import type { ReactElement } from "react";
import { BranchChip } from "../app/branch-chip.tsx";
import { overlay } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { useTheme } from "../app/theme.ts";
import { language, useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { word } from "./words.ts";

/** What an exported page says of itself, and its language and theme. */
export function ExportBar(parts: {
  readonly model: SessionModel;
  readonly head: ExportHead;
}): ReactElement {
  const t = useText();
  const { model, head } = parts;
  const state = useSignal(model.state);
  const { dark, toggle } = useTheme();
  const name = head.session.name ?? head.session.title ?? t("library.untitled");
  return (
    <header className="top-bar export-bar">
      <h1 className="session-name" title={name}>
        {name}
      </h1>
      {state !== undefined && state.branches.length > 1 && (
        <BranchChip model={model} state={state} />
      )}
      {head.model !== null && (
        <span className="quiet small export-model">{head.model.modelId}</span>
      )}
      <span className="spring" />
      <span className="quiet small export-about" title={madeText(head)}>
        {word("entries", { n: head.columns.size })} · {word(head.scope)}
      </span>
      <RedactionChip head={head} />
      <span className="export-tree">
        <Button icon="workspace" onClick={() => overlay.set("tree")}>
          {word("tree")}
        </Button>
      </span>
      <button
        type="button"
        className="text-button"
        title={t("app.languageTitle")}
        onClick={() => language.set(language.get() === "zh" ? "en" : "zh")}
      >
        {t("app.language")}
      </button>
      <IconButton
        icon={dark ? "sun" : "moon"}
        label={dark ? t("app.theme.light") : t("app.theme.dark")}
        onClick={toggle}
      />
    </header>
  );
}

function madeText({ exported, version }: ExportHead): string {
  return word("made", { date: exported.slice(0, 16).replace("T", " "), version });
}

function RedactionChip({ head }: { readonly head: ExportHead }): ReactElement {
  const { redaction } = head;
  if (redaction === null) return <span className="chip warn">{word("raw")}</span>;
  const kinds = redaction.kinds.map(({ kind, count }) => `${kind}: ${count}`).join("\n");
  return (
    <span className="chip" title={kinds}>
      {redaction.total === 0 ? word("clean") : word("redacted", { n: redaction.total })}
    </span>
  );
}
