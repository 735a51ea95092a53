import type { ReactElement, ReactNode } from "react";
import { ApiFailure, failureText } from "../api/api-failure.ts";
import { go } from "../app/location.ts";
import type { MessageKey } from "../i18n/en.ts";
import { useText } from "../i18n/language.ts";
import { Button } from "./button.tsx";
import { MakingProgress } from "./making-progress.tsx";

/** Says that there is nothing, and what to do about it. */
export function Empty(parts: {
  readonly title: string;
  readonly body?: string;
  readonly children?: ReactNode;
}): ReactElement {
  return (
    <div className="empty">
      <svg className="empty-art" viewBox="0 0 64 40" width="64" height="40" aria-hidden="true">
        <path d="M12 4v32M12 26c0-10 20-4 20-16" />
        <circle cx="12" cy="36" r="3" />
        <circle cx="32" cy="8" r="3" />
      </svg>
      <h2>{parts.title}</h2>
      {parts.body && <p>{parts.body}</p>}
      {parts.children && <div className="empty-actions">{parts.children}</div>}
    </div>
  );
}

/** Failures that a person meets by following an old link; said in the language of the page. */
const KNOWN: Readonly<Record<string, MessageKey>> = {
  NETWORK: "error.network",
  SESSION_UNKNOWN: "error.sessionUnknown",
  ENTRY_UNKNOWN: "error.entryUnknown",
};

/** A failure with its code, its hint and a way to try again. */
export function FailureNote(parts: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}): ReactElement {
  const t = useText();
  const { error, onRetry } = parts;
  const failure = error instanceof ApiFailure ? error : undefined;
  const known = failure === undefined ? undefined : KNOWN[failure.code];
  return (
    <div className="failure" role="alert">
      <strong>{t("error.title")}</strong>
      <p>{known === undefined ? failureText(error) : t(known)}</p>
      {known === undefined && failure?.hint && <p className="quiet">{failure.hint}</p>}
      <div className="row">
        {failure && <code className="quiet">{failure.code}</code>}
        {onRetry && <Button onClick={onRetry}>{t("app.retry")}</Button>}
        {failure?.code === "SESSION_UNKNOWN" && (
          <Button onClick={() => go({ screen: "library", session: null, entry: null })}>
            {t("app.openLibrary")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Grey lines while something is on its way. */
export function Loading({ lines = 6 }: { readonly lines?: number }): ReactElement {
  const t = useText();
  return (
    <div className="loading" role="status" aria-label={t("app.loading")}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={at} className={`loading-line w${at % 4}`} />
      ))}
      <MakingProgress />
    </div>
  );
}
