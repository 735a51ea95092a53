/** The five screens. */
export type Screen = "library" | "workspace" | "context" | "compare" | "health";

/** In the order of the rail and of the keys 1–5. */
export const SCREENS: readonly Screen[] = ["library", "workspace", "context", "compare", "health"];

/** What the address of the page says: every view is a link. */
export interface Route {
  readonly screen: Screen;
  readonly session: string | null;
  /** Id or `~place` of the entry that is shown or chosen. */
  readonly entry: string | null;
  /** The two leaves of a comparison. */
  readonly a: string | null;
  readonly b: string | null;
  readonly q: string | null;
  readonly filter: string | null;
  readonly mode: string | null;
}

/** The library without filters. */
export const HOME: Route = {
  screen: "library",
  session: null,
  entry: null,
  a: null,
  b: null,
  q: null,
  filter: null,
  mode: null,
};

const PARTS = ["session", "entry", "a", "b", "q", "filter", "mode"] as const;

/** Reads the query of an address. Unknown parts are ignored, an unknown screen is the library. */
export function parseRoute(search: string): Route {
  const query = new URLSearchParams(search);
  const named = query.get("screen");
  const screen =
    SCREENS.find((one) => one === named) ?? (query.has("session") ? "workspace" : "library");
  const route: Record<string, string | null> = {};
  for (const part of PARTS) route[part] = query.get(part);
  return { ...HOME, ...route, screen };
}

/** The query of an address, beginning with `?`; the opposite of {@link parseRoute}. */
export function formatRoute(route: Route): string {
  const query = new URLSearchParams();
  if (route.screen !== "library") query.set("screen", route.screen);
  for (const part of PARTS) {
    const value = route[part];
    if (value !== null && value !== "") query.set(part, value);
  }
  const text = query.toString();
  return text === "" ? "/" : `/?${text}`;
}
