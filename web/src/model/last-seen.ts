import { markSeen } from "../api/api.ts";
import { route } from "../app/location.ts";
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

/** Remembers how much of a session is on the screen now; the server hears of it for its library. */
export function noteSeen(session: string, entries: number): void {
  if (!isShown()) {
    later = () => noteSeen(session, entries);
    return;
  }
  tellServer(session, entries);
  if (lastSeen(session) === entries) return;
  const { [session]: _old, ...others } = visits.get();
  const kept = Object.entries(others).slice(1 - REMEMBERED);
  visits.set({ ...Object.fromEntries(kept), [session]: entries });
}

/** A session that is open behind another screen or in a tab of the background is not looked at. */
const isShown = (): boolean =>
  document.visibilityState === "visible" && route.get().screen === "workspace";

/** What came meanwhile is seen when the page comes back to it. */
let later: (() => void) | undefined;
const lookAgain = (): void => {
  if (!isShown()) return;
  later?.();
  later = undefined;
};
document.addEventListener("visibilitychange", lookAgain);
route.subscribe(lookAgain);

/** Wait before the server hears of it, in ms: while an answer comes, each entry would be a call. */
const WAIT = 1200;
const told = new Map<string, number>();
let timer: ReturnType<typeof setTimeout> | undefined;

function tellServer(session: string, entries: number): void {
  if (told.get(session) === entries) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    told.set(session, entries);
    markSeen(session, entries).catch((error: unknown) => console.debug("seen", error));
  }, WAIT);
}
