import type { ExportHead } from "branchline/protocol/export.ts";
import type { ReactElement } from "react";
import { ContextRing, LanguageAndTheme } from "../app/bar-parts.tsx";
import { BranchChip } from "../app/branch-chip.tsx";
import { go, useRoute } from "../app/location.ts";
import { overlay } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { word } from "./words.ts";

/** What an exported page says of itself, and its language and theme. */
export function ExportBar(parts: {
  readonly model: SessionModel;
  readonly head: ExportHead;
}): ReactElement {
  const t = useText();
  const { model, head } = parts;
  const state = useSignal(model.state);
  const name = head.session.name ?? head.session.title ?? t("library.untitled");
  return (
    <header className="top-bar export-bar">
      <h1 className="session-name" title={name}>
        {name}
      </h1>
      {state !== undefined && state.branches.length > 1 && (
        <BranchChip model={model} state={state} />
      )}
      {state !== undefined && <ContextRing state={state} />}
      {head.model !== null && (
        <span className="quiet small export-model">{head.model.modelId}</span>
      )}
      <span className="spring" />
      <span className="quiet small export-about" title={madeText(head)}>
        {word("entries", { n: head.columns.size })} · {word(head.scope)}
      </span>
      <RedactionChip head={head} />
      <ScreenChoice />
      <span className="export-tree">
        <Button icon="workspace" onClick={() => overlay.set("tree")}>
          {word("tree")}
        </Button>
      </span>
      <LanguageAndTheme />
    </header>
  );
}

/** The two screens of the page. */
function ScreenChoice(): ReactElement {
  const t = useText();
  const { screen } = useRoute();
  return (
    <fieldset className="segments export-screens" aria-label={t("app.screens")}>
      <button
        type="button"
        aria-pressed={screen !== "context"}
        onClick={() => go({ screen: "workspace" })}
      >
        {t("transcript.title")}
      </button>
      <button
        type="button"
        aria-pressed={screen === "context"}
        onClick={() => go({ screen: "context" })}
      >
        {t("screen.context")}
      </button>
    </fieldset>
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
