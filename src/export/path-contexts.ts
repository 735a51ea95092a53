import { originalIds } from "../compaction/originals.ts";
import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { contextMessages } from "../projection/context-messages.ts";
import { estimateContextTokens } from "../projection/token-estimate.ts";
import type { ExportedCut, ExportHead } from "../protocol/export.ts";
import { editableContent, isSameContent } from "../session/entry-content.ts";
import type { Session } from "../session/session.ts";
import { EMPTY_FOLD, type Fold } from "../tree/fold.ts";
import { pathCut } from "../tree/path-cut.ts";
import type { ExportPlan } from "./export-plan.ts";
import type { ExportedEntry } from "./exported-entries.ts";

/** Where the contexts of a plan begin; the same boundary is looked up once. */
class Cuts {
  readonly #session: Session;
  readonly #plan: ExportPlan;
  readonly #known = new Map<string, number>();

  constructor(session: Session, plan: ExportPlan) {
    this.#session = session;
    this.#plan = plan;
  }

  at(id: string | null): ExportedCut {
    const { compaction, from } = pathCut(this.#session.tree, id);
    if (compaction === null) return [-1, 0];
    const key = `${from} ${compaction.id}`;
    const keeps = this.#known.get(key) ?? this.#placeFrom(compaction.id, from);
    this.#known.set(key, keeps);
    return [this.#plan.placeOf(compaction.id), keeps];
  }

  /** The first exported place on the path to a compaction at or below a depth. */
  #placeFrom(compaction: string, depth: number): number {
    const { entries } = this.#plan;
    let place = this.#plan.placeOf(compaction);
    for (const at of this.#session.tree.ancestors(compaction)) {
      if (at.fold.depth < depth) break;
      const own = this.#plan.placeOf(at.id);
      if (entries[own] === at) place = own;
    }
    return place;
  }
}

/** Where contexts begin whose path ends at an entry, as runs of places, and that at the leaf. */
export function contextCuts(
  session: Session,
  plan: ExportPlan,
): Pick<ExportHead, "contexts" | "leafContext"> {
  const cuts = new Cuts(session, plan);
  const contexts: (readonly [number, number, number])[] = [];
  let fold: Fold = EMPTY_FOLD;
  for (const [place, at] of plan.entries.entries()) {
    const last = contexts.at(-1);
    // Along a path without new marks both lists are the very same.
    const { compactions, uncompacted } = at.fold;
    const isSame = compactions === fold.compactions && uncompacted === fold.uncompacted;
    fold = at.fold;
    if (isSame && last !== undefined) continue;
    const [compaction, keeps] = cuts.at(at.id);
    if (last?.[1] !== compaction || last[2] !== keeps) contexts.push([place, compaction, keeps]);
  }
  return { contexts, leafContext: cuts.at(plan.leafId) };
}

/** For each compaction the exported places between which its originals lie. */
export function originalPlaces(session: Session, plan: ExportPlan): ExportHead["compactions"] {
  const rows: [number, number, number][] = [];
  for (const [place, at] of plan.entries.entries()) {
    if (at.type !== "compaction") continue;
    const ids = originalIds(session, at.id);
    const first = ids.find((id) => isExported(plan, id));
    const last = ids.findLast((id) => isExported(plan, id));
    const placed = (id: string | undefined): number => plan.placeOf(id ?? null);
    rows.push([place, placed(first), placed(last)]);
  }
  return rows;
}

function isExported(plan: ExportPlan, id: string): boolean {
  return plan.entries[plan.placeOf(id)]?.id === id;
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
  if (replacement === null) return [place, target, "hidden", 0];
  const edited = session.tree.has(targetId) ? await session.store.get(targetId) : undefined;
  if (edited !== undefined && isSameContent(editableContent(edited), replacement.content)) {
    return [place, target, "original", 0];
  }
  return [
    place,
    target,
    "replaced",
    edited === undefined ? 0 : replacedTokens(edited, replacement),
  ];
}

type Replacement = Parameters<typeof contextMessages>[1];

function replacedTokens(edited: Entry, replacement: Replacement): number {
  return estimateContextTokens(contextMessages(edited, replacement));
}
