import { type ReactElement, useState } from "react";
import { useText } from "../i18n/language.ts";
import { agreeToHeld } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { agreements } from "./agreements.ts";
import type { ContextWithBody } from "./context-data.ts";
import { HeldDialog } from "./held-dialog.tsx";

/** Says that system text of the file is held back, or sent because a person agreed, and lets them decide. */
export function HeldNotice(parts: {
  readonly model: SessionModel;
  readonly view: ContextWithBody;
}): ReactElement | null {
  const t = useText();
  const { model, view } = parts;
  const [isOpen, setOpen] = useState(false);
  const held = view.held ?? [];
  const agreed = view.parts.filter((part) => part.agreed === true).length;
  const say = (instructions: boolean): void => {
    setOpen(false);
    void agreeToHeld(model, instructions).then((isTaken) => {
      if (isTaken) agreements.update((count) => count + 1);
    });
  };
  if (held.length === 0 && agreed === 0) return null;
  return (
    <div className="held-notices">
      {held.length > 0 && (
        <p className="held-notice">
          <Icon name="key" />
          <span>{t("held.notice", { n: held.length })}</span>
          <Button onClick={() => setOpen(true)}>{t("held.read")}</Button>
        </p>
      )}
      {agreed > 0 && (
        <p className="held-notice agreed">
          <Icon name="check" />
          <span>{t("held.sent", { n: agreed })}</span>
          <Button onClick={() => say(false)}>{t("held.takeBack")}</Button>
        </p>
      )}
      {isOpen && (
        <HeldDialog held={held} onAgree={() => say(true)} onClose={() => setOpen(false)} />
      )}
    </div>
  );
}
