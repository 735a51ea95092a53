import { isEntry } from "../entry/entry-check.ts";
import type { ExportHead } from "../protocol/export.ts";
import { editableContent, isSameContent } from "../session/entry-content.ts";
import type { Session } from "../session/session.ts";
import { activeCompaction, EMPTY_FOLD, type Fold } from "../tree/fold.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import type { ExportPlan } from "./export-plan.ts";
import type { ExportedEntry } from "./exported-entries.ts";

/** Which compaction is in force with a path's end at each entry, as runs of places. */
export function contextRuns(plan: ExportPlan): ExportHead["contexts"] {
  const runs: [number, number][] = [];
  for (const [place, at] of plan.entries.entries()) {
    const compaction = inForce(plan, at.fold);
    if (runs.at(-1)?.[1] !== compaction) runs.push([place, compaction]);
  }
  return runs;
}

/** The same for the leaf of the session, below which our own state may stand. */
export function leafContext(session: Session, plan: ExportPlan): number {
  const leaf = plan.leafId === null ? undefined : session.tree.get(plan.leafId);
  return inForce(plan, leaf?.fold ?? EMPTY_FOLD);
}

function inForce(plan: ExportPlan, fold: Fold): number {
  const link = fold.compactions === null ? null : activeCompaction(fold);
  return link === null ? -1 : plan.placeOf(link.id);
}

/** For each compaction the first exported place that it keeps. */
export function keptPlaces(session: Session, plan: ExportPlan): ExportHead["compactions"] {
  const rows: [number, number][] = [];
  for (const [place, at] of plan.entries.entries()) {
    if (at.type === "compaction") rows.push([place, keptPlace(session, plan, at)]);
  }
  return rows;
}

function keptPlace(session: Session, plan: ExportPlan, compaction: TreeEntry): number {
  const link = compaction.fold.compactions;
  const kept = link?.id === compaction.id ? link.firstKeptEntryId : null;
  if (kept === null || kept === compaction.id) return plan.placeOf(compaction.id);
  const target = session.tree.get(kept);
  // What it names is not there: nothing counts as replaced.
  if (target === undefined) return -1;
  let place = plan.placeOf(compaction.id);
  for (const at of session.tree.ancestors(compaction.id)) {
    if (at.fold.depth < target.fold.depth) break;
    if (plan.entries[plan.placeOf(at.id)] === at) place = plan.placeOf(at.id);
    if (at === target) return place;
  }
  return -1;
}

/** What a context edit does; undefined for other entries. */
export async function editEffect(
  session: Session,
  plan: ExportPlan,
  { place, original }: ExportedEntry,
): Promise<ExportHead["edits"][number] | undefined> {
  if (!isEntry(original, "context_edit")) return undefined;
  const { targetId, replacement } = original;
  const target = plan.placeOf(session.tree.has(targetId) ? targetId : null);
  if (replacement === null) return [place, target, "hidden"];
  const edited = session.tree.has(targetId) ? await session.store.get(targetId) : undefined;
  const isOriginal =
    edited !== undefined && isSameContent(editableContent(edited), replacement.content);
  return [place, target, isOriginal ? "original" : "replaced"];
}
