import { type ReactElement, type ReactNode, useEffect, useId, useRef } from "react";
import { useText } from "../i18n/language.ts";
import { IconButton } from "./button.tsx";

/** A modal window by the browser's own dialog: focus stays inside, Escape closes. */
export function Dialog(parts: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
}): ReactElement {
  const t = useText();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      if (!dialog.matches(".sheet"))
        dialog.querySelector<HTMLElement>(".dialog-body :is(input, textarea)")?.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the dialog's own; the click is on its backdrop
    <dialog
      ref={ref}
      className={`dialog ${parts.className ?? ""}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        parts.onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) parts.onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={titleId}>{parts.title}</h2>
        <IconButton icon="close" label={t("app.close")} onClick={parts.onClose} />
      </header>
      <div className="dialog-body">{parts.children}</div>
    </dialog>
  );
}
