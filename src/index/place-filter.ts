import type { PlaceFilter } from "./text-query.ts";
import { normalizeText } from "./tokens.ts";

/** What a place filter looks at: of the session, and of the entry. */
export interface PlaceFacts {
  /** Id of the session. */
  readonly session: string;
  /** Name in force, or null. */
  readonly name: string | null;
  /** Working folder. */
  readonly cwd: string;
  readonly timestamp: string;
  readonly onActivePath: boolean;
  /** The label that the entry bears, or null; asked for only by label filters. */
  label(): string | null;
}

function isBelow(cwd: string, folder: string): boolean {
  const isAbsolute = /^(?:[/\\]|[A-Za-z]:)/.test(folder);
  if (!isAbsolute) return normalizeText(cwd).includes(normalizeText(folder));
  const bare = folder.replace(/(?<=.)[/\\]$/, "");
  return cwd === bare || cwd.startsWith(`${bare}/`) || cwd.startsWith(`${bare}\\`);
}

function hasLabel(label: string | null, wanted: string): boolean {
  if (label === null) return false;
  return wanted === "*" || normalizeText(label).includes(normalizeText(wanted));
}

function holds(filter: PlaceFilter, at: PlaceFacts): boolean {
  switch (filter.kind) {
    case "label":
      return filter.values.some((value) => hasLabel(at.label(), value));
    case "session":
      return filter.values.some((value) => at.session.startsWith(value) || at.name === value);
    case "cwd":
      return filter.values.some((value) => isBelow(at.cwd, value));
    case "branch":
      return filter.values.some((value) => (value === "active") === at.onActivePath);
    case "date":
      return at.timestamp >= filter.from && (filter.to === "" || at.timestamp < filter.to);
  }
}

/** True where every filter holds, a negated one where it does not. */
export function passesPlaces(filters: readonly PlaceFilter[], at: PlaceFacts): boolean {
  return filters.every((filter) => holds(filter, at) !== filter.negated);
}

/** True where nothing in a session can pass: its own facts decide already. */
export function excludesSession(
  filters: readonly PlaceFilter[],
  session: { readonly session: string; readonly name: string | null; readonly cwd: string },
): boolean {
  const ofSession = filters.filter(({ kind }) => kind === "session" || kind === "cwd");
  const at = { ...session, timestamp: "", onActivePath: false, label: () => null };
  return !passesPlaces(ofSession, at);
}
