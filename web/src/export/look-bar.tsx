/** Stands in the place of `tree/chosen-bar.tsx` in an exported page. */
import type { ReactElement } from "react";
import { chosenEntry } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { pathMarks, type TreeShape } from "../tree/tree-shape.ts";
import { switchTo } from "./look-actions.ts";
import { word } from "./words.ts";

/** Offers the path through an entry of another branch that was chosen in the tree. */
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
        {word("showHere")}
      </Button>
    </div>
  );
}
