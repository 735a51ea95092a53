import type { ReactElement } from "react";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { making } from "../model/making.ts";

/** Says how far the server is with a session that it makes now, because somebody opened it; else nothing. */
export function MakingProgress(): ReactElement | null {
  const t = useText();
  const progress = useSignal(making);
  if (progress === undefined) return null;
  const { done, total } = progress;
  return (
    <p className="quiet">
      {t("app.making", { done: done.toLocaleString(), total: total.toLocaleString() })}{" "}
      <progress value={done} max={total} />
    </p>
  );
}
