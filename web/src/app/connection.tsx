import { type ReactElement, useSyncExternalStore } from "react";
import { eventStream, type StreamState } from "../api/event-stream.ts";
import { useText } from "../i18n/language.ts";

function useConnection(): StreamState {
  return useSyncExternalStore(
    (listener) => eventStream.onState(listener),
    () => eventStream.state,
  );
}

/** A dot that says whether the page hears the server. */
export function ConnectionDot(): ReactElement {
  const t = useText();
  const state = useConnection();
  const label = t(
    state === "open" ? "app.live" : state === "connecting" ? "app.connecting" : "app.lost",
  );
  return (
    <span className={`live-dot ${state}`} title={label} role="img" aria-label={label}>
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        {state === "open" ? <circle cx="5" cy="5" r="4" /> : <path d="M1 1l8 8M9 1L1 9" />}
      </svg>
    </span>
  );
}

/** The line over the page while the server is gone. */
export function LostBanner(): ReactElement | null {
  const t = useText();
  const state = useConnection();
  return state === "lost" ? (
    <div className="banner" role="status">
      {t("app.lost")}
    </div>
  ) : null;
}
