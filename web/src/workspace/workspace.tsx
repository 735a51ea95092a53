import { type ReactElement, useEffect } from "react";
import { chosenEntry, overlay } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { Composer } from "../composer/composer.tsx";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { FailureNote } from "../parts/notice.tsx";
import { RunAnnouncer } from "../transcript/live-row.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { TreePane, TreeSheet } from "./tree-pane.tsx";

/** S2, the home of a session: tree rail, transcript, composer. */
export function Workspace(parts: {
  readonly model: SessionModel;
  readonly entry: string | null;
}): ReactElement {
  const t = useText();
  const { model, entry } = parts;
  const failure = useSignal(model.failure);
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
      <TreePane model={model} />
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
      <TreeSheet model={model} />
    </main>
  );
}
