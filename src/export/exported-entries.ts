import type { Entry } from "../entry/entry.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Session } from "../session/session.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import type { ExportPlan } from "./export-plan.ts";

/** Entries that are read at once. */
const PAGE = 256;

/** One entry as it leaves: redacted, under its exported parent. */
export interface ExportedEntry {
  readonly place: number;
  readonly at: TreeEntry;
  /** As the session holds it. */
  readonly original: Entry;
  /** As it is exported; its `parentId` is that of the exported parent. */
  readonly entry: Entry;
}

/** The entries of a plan in order, read page by page. Throws as the store's `getAll`. */
export async function* exportedEntries(
  session: Session,
  plan: ExportPlan,
  redactor: Redactor | null,
): AsyncGenerator<ExportedEntry, void, undefined> {
  const ids: string[] = [];
  for (let from = 0; from < plan.entries.length; from += PAGE) {
    const page = plan.entries.slice(from, from + PAGE);
    const originals = await session.store.getAll(page.map(({ id }) => id));
    for (const [index, original] of originals.entries()) {
      const place = from + index;
      const redacted = redactor === null ? original : redactor.entry(original);
      const parentId = ids[plan.parents[place] as number] ?? null;
      ids.push(redacted.id);
      const entry = { ...redacted, parentId };
      yield { place, at: page[index] as TreeEntry, original, entry };
    }
  }
}
