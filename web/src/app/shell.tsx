import { lazy, type ReactElement, Suspense } from "react";
import { useText } from "../i18n/language.ts";
import { Library } from "../library/library.tsx";
import { openSession, useSessionModel } from "../model/open-session.ts";
import { AskHost } from "../parts/ask.tsx";
import { Button } from "../parts/button.tsx";
import { Empty, Loading } from "../parts/notice.tsx";
import { ToastHost } from "../parts/toast.tsx";
import { Workspace } from "../workspace/workspace.tsx";
import { LostBanner } from "./connection.tsx";
import { KeyOverlay } from "./key-overlay.tsx";
import { useKeys } from "./keys.ts";
import { goToScreen, LeftRail } from "./left-rail.tsx";
import { go, useRoute } from "./location.ts";
import { ModelDialog } from "./model-dialog.tsx";
import { overlay } from "./overlays.ts";
import { Palette } from "./palette.tsx";
import type { Route, Screen } from "./route.ts";
import { ScreenGuard } from "./screen-guard.tsx";
import { useSignal } from "./signal.ts";
import { TopBar } from "./top-bar.tsx";
import { TourCard } from "./tour.tsx";

const ContextScreen = lazy(async () => ({
  default: (await import("../context/context-screen.tsx")).ContextScreen,
}));
const CompareScreen = lazy(async () => ({
  default: (await import("../compare/compare-screen.tsx")).CompareScreen,
}));
const ExportDialog = lazy(async () => ({
  default: (await import("./export-dialog.tsx")).ExportDialog,
}));
const HealthScreen = lazy(async () => ({
  default: (await import("../health/health-screen.tsx")).HealthScreen,
}));

/** The page around the five screens. */
export function Shell(): ReactElement {
  const t = useText();
  const route = useRoute();
  useShellKeys();
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        {t("app.skip")}
      </a>
      <TopBar />
      <LostBanner />
      <div className="shell-body">
        <LeftRail />
        <ScreenGuard key={route.screen}>
          <Suspense fallback={<Loading lines={12} />}>
            <ScreenView route={route} />
          </Suspense>
        </ScreenGuard>
      </div>
      <TourCard />
      <Overlays />
      <AskHost />
      <ToastHost />
    </div>
  );
}

function ScreenView({ route }: { readonly route: Route }): ReactElement {
  const t = useText();
  const model = useSessionModel(route.session, route.entry);
  if (route.screen === "library") return <Library />;
  if (route.screen === "health") return <HealthScreen model={model} />;
  if (route.session === null) {
    return (
      <main className="screen" id="content">
        <Empty title={t("app.noSession")} body={t("app.noSessionBody")}>
          <Button kind="primary" onClick={() => go({ screen: "library" })}>
            {t("app.openLibrary")}
          </Button>
        </Empty>
      </main>
    );
  }
  if (model === undefined) return <Loading lines={12} />;
  if (route.screen === "context")
    return <ContextScreen key={model.id} model={model} entry={route.entry} />;
  if (route.screen === "compare")
    return <CompareScreen key={model.id} model={model} route={route} />;
  return <Workspace key={model.id} model={model} entry={route.entry} />;
}

function Overlays(): ReactElement | null {
  const open = useSignal(overlay);
  const model = useSignal(openSession);
  if (open === "palette") return <Palette />;
  if (open === "keys") return <KeyOverlay />;
  if (open === "model") return <ModelDialog />;
  if (open === "export" && model !== undefined) {
    return (
      <Suspense fallback={null}>
        <ExportDialog model={model} />
      </Suspense>
    );
  }
  return null;
}

function useShellKeys(): void {
  const to = (screen: Screen) => (): undefined => goToScreen(screen) as undefined;
  useKeys({
    "mod+k": () => void overlay.set(overlay.get() === "palette" ? null : "palette"),
    "?": () => void overlay.set("keys"),
    "/": () => {
      const field = document.querySelector<HTMLElement>("[data-search], .tree-head input");
      field?.focus();
      return field !== null;
    },
    "g 1": to("library"),
    "g 2": to("workspace"),
    "g 3": to("context"),
    "g 4": to("compare"),
    "g 5": to("health"),
    escape: () => {
      const field = document.activeElement;
      if (field instanceof HTMLElement && field !== document.body) field.blur();
      return false;
    },
  });
}
