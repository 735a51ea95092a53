import type { ReactElement } from "react";
import { overlay } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TreeRail } from "../tree/tree-rail.tsx";
import { PaneDivider, paneWidth } from "./pane-divider.tsx";

/** The tree beside the transcript, as wide as a person made it. */
export function TreePane({ model }: { readonly model: SessionModel }): ReactElement {
  const width = useSignal(paneWidth);
  return (
    <>
      <div className="tree-pane" style={{ width }}>
        <TreeRail model={model} />
      </div>
      <PaneDivider />
    </>
  );
}

/** The tree over the transcript, where there is no room beside it; gone when an entry was picked. */
export function TreeSheet({ model }: { readonly model: SessionModel }): ReactElement | null {
  const t = useText();
  const over = useSignal(overlay);
  if (over !== "tree") return null;
  return (
    <Dialog className="sheet" title={t("tree.title")} onClose={() => overlay.set(null)}>
      <TreeRail model={model} onPick={() => overlay.set(null)} />
    </Dialog>
  );
}
