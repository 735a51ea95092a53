import type { ReactElement } from "react";
import { go } from "../app/location.ts";
import { chosenEntry } from "../app/overlays.ts";
import { IS_EXPORT } from "../app/page-kind.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { switchTo } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { pathMarks, type TreeShape } from "./tree-shape.ts";

/** What can be done with an entry of a left branch that was chosen in the tree. */
export function ChosenBar(parts: {
  readonly model: SessionModel;
  readonly shape: TreeShape;
}): ReactElement | null {
  const t = useText();
  const { model, shape } = parts;
  const chosen = useSignal(chosenEntry);
  const place = chosen === null ? undefined : model.placeOf(chosen);
  if (chosen === null || place === undefined || place < 0) return null;
  if (pathMarks(shape, shape.leaf)[place] === 1) return null;
  return (
    <div className="chosen-bar">
      <span className="quiet small">{t("tree.leftBranch")}</span>
      <Button kind="primary" onClick={() => void switchTo(model, chosen)}>
        {t(IS_EXPORT ? "action.showPath" : "action.switch")}
      </Button>
      {!IS_EXPORT && (
        <Button onClick={() => go({ screen: "compare", a: null, b: chosen })}>
          {t("screen.compare")}
        </Button>
      )}
      <Button onClick={() => go({ screen: "context", entry: chosen })}>
        {t("screen.context")}
      </Button>
    </div>
  );
}
