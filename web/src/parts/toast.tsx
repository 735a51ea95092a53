import type { ReactElement } from "react";
import { failureText } from "../api/api-failure.ts";
import { Signal, useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { Button, IconButton } from "./button.tsx";

/** A short word at the bottom: what was done, how to undo it, which CLI verb does the same. */
export interface Toast {
  readonly text: string;
  readonly verb?: string;
  readonly tone?: "plain" | "error";
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 6000;

const shown: Signal<Toast | undefined> = new Signal<Toast | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a word for six seconds, in place of the one before. */
export function toast(next: Toast): void {
  clearTimeout(timer);
  shown.set(next);
  timer = setTimeout(() => shown.set(undefined), SHOWN_MS);
}

/** Shows what was thrown. */
export function toastFailure(error: unknown): void {
  toast({ text: failureText(error), tone: "error" });
}

/** The place of the words. Stands once in the page. */
export function ToastHost(): ReactElement {
  const t = useText();
  const now = useSignal(shown);
  return (
    <div className="toast-host" role="status" aria-live="polite">
      {now && (
        <div className={`toast ${now.tone ?? "plain"}`}>
          <span>{now.text}</span>
          {now.verb && <code>{now.verb}</code>}
          {now.action && (
            <Button
              onClick={() => {
                shown.set(undefined);
                now.action?.run();
              }}
            >
              {now.action.label}
            </Button>
          )}
          <IconButton icon="close" label={t("app.close")} onClick={() => shown.set(undefined)} />
        </div>
      )}
    </div>
  );
}
