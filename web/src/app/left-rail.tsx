import type { ReactElement } from "react";
import { useText } from "../i18n/language.ts";
import { openSession } from "../model/open-session.ts";
import { Icon } from "../parts/icon.tsx";
import { go, useRoute } from "./location.ts";
import { SCREENS, type Screen } from "./route.ts";
import { useSignal } from "./signal.ts";

/** Goes to a screen with the session that is open. */
export function goToScreen(screen: Screen): void {
  go({ screen, session: openSession.get()?.id ?? null });
}

/** The icons of the five screens. */
export function LeftRail(): ReactElement {
  const t = useText();
  const route = useRoute();
  useSignal(openSession);
  return (
    <nav className="left-rail" aria-label={t("app.screens")}>
      {SCREENS.map((screen, at) => (
        <button
          key={screen}
          type="button"
          aria-current={route.screen === screen ? "page" : undefined}
          aria-label={t(`screen.${screen}`)}
          title={`${t(`screen.${screen}`)}  g ${at + 1}`}
          onClick={() => goToScreen(screen)}
        >
          <Icon name={screen} />
          <span className="rail-name">{t(`screen.${screen}`)}</span>
        </button>
      ))}
    </nav>
  );
}
