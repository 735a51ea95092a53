import type { SessionState } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import { useText } from "../i18n/language.ts";
import { newSession } from "../library/library-actions.ts";
import { openSession } from "../model/open-session.ts";
import type { SessionModel } from "../model/session-model.ts";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { ContextRing, LanguageAndTheme } from "./bar-parts.tsx";
import { BranchChip } from "./branch-chip.tsx";
import { ConnectionDot } from "./connection.tsx";
import { go, useRoute } from "./location.ts";
import { overlay } from "./overlays.ts";
import { useSignal } from "./signal.ts";

/** Session name, branch, context ring, model, connection, language, theme. */
export function TopBar(): ReactElement {
  const t = useText();
  const route = useRoute();
  const model = useSignal(openSession);
  const isOpen = route.screen !== "library" && model?.id === route.session;
  return (
    <header className="top-bar">
      <button
        type="button"
        className="brand"
        onClick={() => go({ screen: "library" })}
        aria-label={`Branchline: ${t("app.openLibrary")}`}
      >
        <BrandMark />
        <span className="brand-name">Branchline</span>
      </button>
      {isOpen && model ? <SessionParts model={model} /> : <span className="spring" />}
      {route.screen !== "library" && (
        <span className="new-session">
          <IconButton icon="plus" label={t("library.new")} onClick={() => void newSession()} />
        </span>
      )}
      <button type="button" className="palette-button" onClick={() => overlay.set("palette")}>
        <Icon name="search" />
        <span>{t("app.palette")}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <ConnectionDot />
      <LanguageAndTheme />
      <IconButton icon="key" label={t("app.keysTitle")} onClick={() => overlay.set("keys")} />
    </header>
  );
}

function BrandMark(): ReactElement {
  return (
    <svg className="brand-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d="M6 2.500v15M6 11.500c0-4 8-2 8-7" />
      <circle cx="6" cy="17" r="2" />
      <circle cx="14" cy="3.5" r="2" />
    </svg>
  );
}

function SessionParts({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  const state = useSignal(model.state);
  if (state === undefined) return <span className="spring" />;
  const name = state.row.name ?? state.row.title ?? t("library.untitled");
  return (
    <>
      <span className="session-name" title={name}>
        {name}
      </span>
      {state.readOnly !== null && (
        <span className="chip warn" title={t("app.readOnly", { why: state.readOnly })}>
          {t("app.readOnly", { why: "" }).replace(/[:：]\s*$/, "")}
        </span>
      )}
      <BranchChip model={model} state={state} />
      <ContextRing state={state} />
      <ModelName state={state} />
      <span className="spring" />
    </>
  );
}

function ModelName({ state }: { readonly state: SessionState }): ReactElement {
  const t = useText();
  const { model } = state;
  const title = model?.isOffline
    ? t("model.offline")
    : `${model?.provider ?? ""}/${model?.modelId ?? ""}`;
  return (
    <button type="button" className="model-name" title={title} onClick={() => overlay.set("model")}>
      <span>{model?.isOffline ? t("app.offlineModel") : (model?.name ?? "–")}</span>
    </button>
  );
}
