import type { SessionState } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import { tokensText } from "../i18n/format.ts";
import { language, useText } from "../i18n/language.ts";
import { IconButton } from "../parts/button.tsx";
import { go } from "./location.ts";
import { useTheme } from "./theme.ts";

/** How full the model's window is; goes to what the model sees. */
export function ContextRing({ state }: { readonly state: SessionState }): ReactElement {
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

/** The other language, and light or dark. */
export function LanguageAndTheme(): ReactElement {
  const t = useText();
  const { dark, toggle } = useTheme();
  return (
    <>
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
    </>
  );
}
