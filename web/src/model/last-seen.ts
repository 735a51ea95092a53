import type { Signal } from "../app/signal.ts";
import { storedSignal } from "../app/stored-signal.ts";

/** Sessions that are remembered; the oldest visit is forgotten first. */
const REMEMBERED = 300;

type Visits = Readonly<Record<string, number>>;

const isVisits = (value: unknown): value is Visits =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((entries) => typeof entries === "number");

/** Entries that each session had when this browser showed it last. */
const visits: Signal<Visits> = storedSignal<Visits>("seen", {}, isVisits);

/** Entries that a session had at the last visit; null = it was never shown here. */
export function lastSeen(session: string): number | null {
  return visits.get()[session] ?? null;
}

/** Remembers how much of a session is on the screen now. */
export function noteSeen(session: string, entries: number): void {
  if (document.visibilityState !== "visible" || lastSeen(session) === entries) return;
  const { [session]: _old, ...others } = visits.get();
  const kept = Object.entries(others).slice(1 - REMEMBERED);
  visits.set({ ...Object.fromEntries(kept), [session]: entries });
}
