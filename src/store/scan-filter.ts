import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import type { ScanOptions } from "./store.ts";

/** Places in file order: `from` is the first, `to` the one after the last. */
export interface ScanRange {
  readonly from: number;
  readonly to: number;
}

/** The places that a scan looks at, within the `size` entries that there are. */
export function scanRange(options: ScanOptions, size: number): ScanRange {
  const from = Math.min(Math.max(options.from ?? 0, 0), size);
  const to = Math.min(options.to ?? size, size);
  return { from, to: Math.max(from, to) };
}

function roleOf(entry: Entry): string | null {
  return isEntry(entry, "message") ? entry.message.role : null;
}

function customTypeOf(entry: Entry): string | null {
  const isCustom = isEntry(entry, "custom") || isEntry(entry, "custom_message");
  return isCustom ? entry.customType : null;
}

/**
 * The filter of a scan, without its range. Times are compared as times, whatever their zone; a
 * timestamp that is none never passes `since`.
 */
export function scanFilter(options: ScanOptions): (entry: Entry) => boolean {
  const { types, roles, customTypes, since } = options;
  const start = since === undefined ? undefined : Date.parse(since);
  return (entry) =>
    (types === undefined || types.includes(entry.type)) &&
    (roles === undefined || includes(roles, roleOf(entry))) &&
    (customTypes === undefined || includes(customTypes, customTypeOf(entry))) &&
    (start === undefined || Date.parse(entry.timestamp) >= start);
}

/** What of a scan's filter the tree alone tells: what it holds back has no payload to be read for. */
export function rowFilter({
  types,
  roles,
}: ScanOptions): (row: Pick<TreeEntry, "type" | "role">) => boolean {
  return ({ type, role }) =>
    (types === undefined || types.includes(type)) && (roles === undefined || includes(roles, role));
}

function includes(wanted: readonly string[], value: string | null): boolean {
  return value !== null && wanted.includes(value);
}
