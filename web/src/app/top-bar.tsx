import type { SessionState } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import { tokensText } from "../i18n/format.ts";
import { language, useText } from "../i18n/language.ts";
import { newSession } from "../library/library-actions.ts";
import { openSession } from "../model/open-session.ts";
import type { SessionModel } from "../model/session-model.ts";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { BranchChip } from "./branch-chip.tsx";
import { ConnectionDot } from "./connection.tsx";
import { go, useRoute } from "./location.ts";
import { overlay } from "./overlays.ts";
import { useSignal } from "./signal.ts";
import { useTheme } from "./theme.ts";

/** Session name, branch, context ring, model, connection, language, theme. */
export function TopBar(): ReactElement {
  const t = useText();
  const route = useRoute();
  const model = useSignal(openSession);
  const { dark, toggle } = useTheme();
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

/** How full the model's window is. */
function ContextRing({ state }: { readonly state: SessionState }): ReactElement {
  const t = useText();
  const window = state.model?.contextWindow ?? null;
  const share = window === null ? 0 : Math.min(1, state.tokens / window);
  const label =
    window === null
      ? t("app.contextUnknown", { used: tokensText(state.tokens) })
      : t("app.context", { used: tokensText(state.tokens), window: tokensText(window) });
  return (
    <button
      type="button"
      className="context-ring"
      title={label}
      aria-label={label}
      onClick={() => go({ screen: "context" })}
    >
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <circle cx="10" cy="10" r="7.5" className="ring-track" />
        <circle
          cx="10"
          cy="10"
          r="7.5"
          className={share > 0.85 ? "ring-fill full" : "ring-fill"}
          pathLength="100"
          strokeDasharray={`${Math.max(share * 100, share > 0 ? 2 : 0)} 100`}
        />
      </svg>
      <span>{tokensText(state.tokens)}</span>
    </button>
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
