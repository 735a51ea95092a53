import type { WireEvent } from "branchline/protocol/event.ts";
import { useEffect } from "react";
import { eventStream } from "../api/event-stream.ts";
import { tabName } from "../api/http.ts";
import { Signal, useSignal } from "../app/signal.ts";
import { text } from "../i18n/language.ts";
import { toast } from "../parts/toast.tsx";
import { data } from "./live-run.ts";
import { hearOfMaking } from "./making.ts";
import { SessionModel } from "./session-model.ts";

/** The session that the page has open. */
export const openSession: Signal<SessionModel | undefined> = new Signal<SessionModel | undefined>(
  undefined,
);

/** Opens a session unless it is open; `entry` = where to look first. */
export function openSessionModel(id: string, entry: string | null): SessionModel {
  const present = openSession.get();
  if (present?.id === id) return present;
  const model = new SessionModel(id);
  openSession.set(model);
  void model.open(entry);
  return model;
}

/** Hands the server's events to the open session; called once. */
export function followEvents(): void {
  eventStream.onEvent((event) => {
    const model = openSession.get();
    model?.hear(event);
    hearOfMaking(event);
    if (event.sessionId === model?.id) tellOfOthers(event);
  });
  let wasLost = false;
  eventStream.onState((state) => {
    // What was missed while the line was down.
    if (state === "open" && wasLost) void openSession.get()?.refresh();
    wasLost = state === "lost";
  });
}

/** Says when somebody else moved the leaf or wrote beside us. */
function tellOfOthers(event: WireEvent): void {
  if (event.type === "diverged") toast({ text: text("done.diverged") });
  if (event.type !== "branch_switch") return;
  const { by } = data(event, "branch_switch");
  // A run moves only where another writer is in its way; that is said as `diverged`.
  if (by !== tabName && by !== "run") toast({ text: text("done.movedElsewhere") });
}

/** The model of the session that the address names; undefined without one. */
export function useSessionModel(id: string | null, entry: string | null): SessionModel | undefined {
  const model = useSignal(openSession);
  useEffect(() => {
    if (id !== null) openSessionModel(id, entry);
  }, [id, entry]);
  return id !== null && model?.id === id ? model : undefined;
}
