import type { Route } from "../app/route.ts";

/** Properties of sessions that a person can ask for. */
export type LibraryFlag = "running" | "unread" | "diverged" | "secrets";

/** In the order in which they are shown. */
export const FLAGS: readonly LibraryFlag[] = ["running", "unread", "diverged", "secrets"];

/** Orders of the list. */
export const SORTS = ["modified", "created", "title", "bytes", "messages", "cost"] as const;

/** What the library is narrowed to; all of it stands in the address. */
export interface LibraryFilter {
  readonly shelf: "all" | "archived" | "trash";
  readonly project: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly label: string | null;
  /** Only sessions that changed since midnight so many days ago; 0 = today, null = all. */
  readonly days: number | null;
  readonly flags: readonly LibraryFlag[];
  readonly sort: (typeof SORTS)[number];
}

/** Everything, newest first. */
export const NO_FILTER: LibraryFilter = {
  ...{ shelf: "all", project: null, agent: null, model: null, label: null, days: null },
  ...{ flags: [], sort: "modified" },
};

/** Reads the filter of an address. What is not known counts as not there. Pure. */
export function filterOf(route: Route): LibraryFilter {
  const { project, agent, model, label } = route;
  const named = (route.flags ?? "").split(",");
  const days = /^\d{1,4}$/.test(route.days ?? "") ? Number(route.days) : null;
  return {
    ...{ project, agent, model, label, days },
    shelf: route.shelf === "archived" || route.shelf === "trash" ? route.shelf : "all",
    flags: FLAGS.filter((flag) => named.includes(flag)),
    sort: SORTS.find((one) => one === route.sort) ?? NO_FILTER.sort,
  };
}

/** The parts of the address that say a filter; the opposite of {@link filterOf}. Pure. */
export function routeOf(filter: LibraryFilter): Partial<Route> {
  const { shelf, project, agent, model, label, days, flags, sort } = filter;
  return {
    ...{ project, agent, model, label },
    shelf: shelf === NO_FILTER.shelf ? null : shelf,
    days: days === null ? null : String(days),
    flags: flags.length === 0 ? null : flags.join(","),
    sort: sort === NO_FILTER.sort ? null : sort,
  };
}

/** Whether sessions of the shelf are left out. Pure. */
export function isNarrowed(filter: LibraryFilter): boolean {
  const { project, agent, model, label, days, flags } = filter;
  const values = [project, agent, model, label, days];
  return flags.length > 0 || values.some((value) => value !== null);
}
