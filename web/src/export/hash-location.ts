/**
 * Stands in the place of `app/location.ts` in an exported page: a page from disk may not change its
 * address but for the part behind `#`, so that is where the screen, the chosen entry and the filter are.
 */
import { HOME, type Route } from "../app/route.ts";
import { Signal, useSignal } from "../app/signal.ts";

function parse(hash: string): Route {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    ...HOME,
    screen: query.get("screen") === "context" ? "context" : "workspace",
    entry: query.get("entry"),
    filter: query.get("filter"),
  };
}

/** The route of the address bar. */
export const route: Signal<Route> = new Signal(parse(location.hash));

/** Follows the browser's back and forward buttons; called once. */
export function followLocation(): void {
  addEventListener("hashchange", () => route.set(parse(location.hash)));
}

/** Goes somewhere in this page. */
export function go(parts: Partial<Route>): void {
  navigate(parts, "push");
}

/** As {@link go}, but in place of the present step. */
export function replaceRoute(parts: Partial<Route>): void {
  navigate(parts, "replace");
}

function navigate(parts: Partial<Route>, how: "push" | "replace"): void {
  const next = { ...route.get(), ...parts };
  const query = new URLSearchParams();
  if (next.screen === "context") query.set("screen", "context");
  if (next.entry !== null) query.set("entry", next.entry);
  if (next.filter !== null) query.set("filter", next.filter);
  const address = `#${query.toString()}`;
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  route.set(next);
}

/** The present route. */
export function useRoute(): Route {
  return useSignal(route);
}
