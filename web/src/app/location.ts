import { formatRoute, parseRoute, type Route } from "./route.ts";
import { Signal, useSignal } from "./signal.ts";

/** The route of the address bar. */
export const route: Signal<Route> = new Signal(parseRoute(location.search));

/** Follows the browser's back and forward buttons; called once. */
export function followLocation(): void {
  addEventListener("popstate", () => route.set(parseRoute(location.search)));
}

/** Goes somewhere: parts that are not named stay. A new step in the browser's history. */
export function go(parts: Partial<Route>): void {
  navigate(parts, "push");
}

/** As {@link go}, but in place of the present step. */
export function replaceRoute(parts: Partial<Route>): void {
  navigate(parts, "replace");
}

function navigate(parts: Partial<Route>, how: "push" | "replace"): void {
  const next = { ...route.get(), ...parts };
  const address = withFont(formatRoute(next));
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  route.set(next);
}

/** `font` is no part of the route but stays through a session of the tests. */
function withFont(address: string): string {
  const font = new URLSearchParams(location.search).get("font");
  if (font === null) return address;
  return `${address}${address.includes("?") ? "&" : "?"}font=${encodeURIComponent(font)}`;
}

/** The present route. */
export function useRoute(): Route {
  return useSignal(route);
}
