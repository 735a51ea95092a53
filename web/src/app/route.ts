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
  /** The two to four leaves of a comparison. */
  readonly a: string | null;
  readonly b: string | null;
  readonly c: string | null;
  readonly d: string | null;
  readonly q: string | null;
  readonly filter: string | null;
  readonly mode: string | null;
  /** What the library is narrowed to; in the address of the library only, kept while another screen is open. */
  readonly shelf: string | null;
  readonly project: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly label: string | null;
  readonly days: string | null;
  /** Names of flags, apart by commas. */
  readonly flags: string | null;
  readonly sort: string | null;
}

/** The library without filters. */
export const HOME: Route = {
  screen: "library",
  session: null,
  entry: null,
  a: null,
  b: null,
  c: null,
  d: null,
  q: null,
  filter: null,
  mode: null,
  shelf: null,
  project: null,
  agent: null,
  model: null,
  label: null,
  days: null,
  flags: null,
  sort: null,
};

const ANYWHERE = ["session", "entry", "a", "b", "c", "d", "q", "filter", "mode"] as const;
const IN_LIBRARY = [
  "shelf",
  "project",
  "agent",
  "model",
  "label",
  "days",
  "flags",
  "sort",
] as const;

/** Reads the query of an address. Unknown parts are ignored, an unknown screen is the library. */
export function parseRoute(search: string): Route {
  const query = new URLSearchParams(search);
  const named = query.get("screen");
  const screen =
    SCREENS.find((one) => one === named) ?? (query.has("session") ? "workspace" : "library");
  const route: Record<string, string | null> = {};
  for (const part of [...ANYWHERE, ...IN_LIBRARY]) route[part] = query.get(part);
  return { ...HOME, ...route, screen };
}

/** The query of an address, beginning with `?`; the opposite of {@link parseRoute}. */
export function formatRoute(route: Route): string {
  const query = new URLSearchParams();
  // A session alone would lead to its workspace.
  if (route.screen !== "library" || route.session !== null) query.set("screen", route.screen);
  const parts = route.screen === "library" ? [...ANYWHERE, ...IN_LIBRARY] : ANYWHERE;
  for (const part of parts) {
    const value = route[part];
    if (value !== null && value !== "") query.set(part, value);
  }
  const text = query.toString();
  return text === "" ? "/" : `/?${text}`;
}
