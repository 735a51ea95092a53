import { type ReactElement, useEffect } from "react";
import { chosenEntry, overlay } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { Composer } from "../composer/composer.tsx";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FailureNote } from "../parts/notice.tsx";
import { RunAnnouncer } from "../transcript/live-row.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { TreeRail } from "../tree/tree-rail.tsx";
import { PaneDivider, paneWidth } from "./pane-divider.tsx";

/** S2, the home of a session: tree rail, transcript, composer. */
export function Workspace(parts: {
  readonly model: SessionModel;
  readonly entry: string | null;
}): ReactElement {
  const t = useText();
  const { model, entry } = parts;
  const failure = useSignal(model.failure);
  const width = useSignal(paneWidth);
  const over = useSignal(overlay);
  useEffect(() => chosenEntry.set(entry), [entry]);
  if (failure !== undefined) {
    return (
      <main className="screen" id="content">
        <FailureNote error={failure} onRetry={() => void model.open(entry)} />
      </main>
    );
  }
  return (
    <main className="screen workspace" id="content">
      <div className="tree-pane" style={{ width }}>
        <TreeRail model={model} />
      </div>
      <PaneDivider />
      <section className="talk" aria-label={t("transcript.title")}>
        <Transcript model={model} />
        <Composer model={model}>
          <span className="tree-sheet-button">
            <Button icon="workspace" onClick={() => overlay.set("tree")}>
              {t("tree.open")}
            </Button>
          </span>
        </Composer>
        <RunAnnouncer model={model} />
      </section>
      {over === "tree" && (
        <Dialog className="sheet" title={t("tree.title")} onClose={() => overlay.set(null)}>
          <TreeRail model={model} onPick={() => overlay.set(null)} />
        </Dialog>
      )}
    </main>
  );
}
