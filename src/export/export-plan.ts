import type { ExportScope } from "../protocol/export.ts";
import type { Session } from "../session/session.ts";
import { isOwn } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { kindOf } from "../view/entry-kind.ts";

/** Which entries are exported, every parent before its children, and what they hang under. */
export interface ExportPlan {
  readonly scope: ExportScope;
  readonly entries: readonly TreeEntry[];
  /** Place of the parent among `entries`; -1 = a root. */
  readonly parents: readonly number[];
  /** Place of the leaf; -1 = before the first entry. */
  readonly leaf: number;
  /** The leaf as the session has it: our own state may stand below the last exported entry. */
  readonly leafId: string | null;
  /** Place of an entry, or of the nearest exported one above it; -1 = there is none. */
  placeOf(id: string | null): number;
}

/** Own state and old leaf moves stay out, marks of gaps stay: they say that something is missing. */
function isExported(at: TreeEntry): boolean {
  return kindOf(at) === "g" || !(isOwn(at) || at.isMove);
}

/**
 * The plan of a session: the path to `at`, or every branch with `at` as the leaf. What hung under entries
 * that are not exported hangs under the nearest one above that is. O(entries).
 */
export function planExport(session: Session, at: string | null, scope: ExportScope): ExportPlan {
  const { tree } = session;
  const entries: TreeEntry[] = [];
  const parents: number[] = [];
  const places = new Map<string, number>();
  const place = (one: TreeEntry): void => {
    // Not exported: children find what stands above through the same table.
    const above = one.parent === null ? -1 : (places.get(one.parent.id) ?? -1);
    if (!isExported(one)) {
      places.set(one.id, above);
      return;
    }
    places.set(one.id, entries.length);
    parents.push(above);
    entries.push(one);
  };
  if (scope === "path") for (const one of tree.path(at)) place(one);
  else for (const one of tree.entries()) placeWithParents(one, places, place);
  const placeOf = (id: string | null): number => (id === null ? -1 : (places.get(id) ?? -1));
  return { scope, entries, parents, leaf: placeOf(at), leafId: at, placeOf };
}

/** A damaged file may hold a parent behind its children: it is placed first. */
function placeWithParents(
  one: TreeEntry,
  places: ReadonlyMap<string, number>,
  place: (at: TreeEntry) => void,
): void {
  const waiting: TreeEntry[] = [];
  for (let at: TreeEntry | null = one; at !== null && !places.has(at.id); at = at.parent) {
    waiting.push(at);
  }
  for (const at of waiting.reverse()) place(at);
}
