import type { CompactionEntry, Entry } from "../entry/entry.ts";
import { newEntryId, type RandomBytes } from "../entry/ids.ts";
import { gapEntry, uncompactEntry } from "../entry/own-state.ts";
import { idOfStep } from "../store/path-copy.ts";
import type { CopiedStep, StoreSession } from "../store/store.ts";
import { copiedPath, type PathStep } from "../tree/copied-path.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";

/** Into which session. */
export interface CopySessions {
  readonly to: string;
  readonly random: RandomBytes;
}

/** What becomes of a path. */
export interface CopyPlan {
  readonly steps: readonly CopiedStep[];
  /** By id of the old entry: what is written in its place. */
  readonly changed: ReadonlyMap<string, Entry>;
  /** Ids of the old entries that have no place in the copy. */
  readonly left: ReadonlySet<string>;
}

/** The entries of a copied path, see {@link copiedPath}. Reads only those that change. */
export async function planCopy(
  store: StoreSession,
  path: readonly TreeEntry[],
  sessions: CopySessions,
): Promise<CopyPlan> {
  const { steps: places, left } = copiedPath(path);
  const changed = await changedEntries(store, places, sessions.to);
  const steps: CopiedStep[] = [];
  for (const step of places) {
    if (step.kind === "same") steps.push(step);
    else if (step.kind === "gap") steps.push(madeStep(gapIn(sessions, step), steps));
    else steps.push(madeStep(changed.get(step.at.id) as Entry, steps));
  }
  return { steps, changed, left };
}

function madeStep(entry: Entry, above: readonly CopiedStep[]): CopiedStep {
  const last = above.at(-1);
  const parentId = last === undefined ? null : idOfStep(last);
  return { kind: "new", entry: { ...entry, parentId } };
}

/** The copy has a whole chain of parents; the placeholder keeps the gap visible in it. */
function gapIn(sessions: CopySessions, step: PathStep & { readonly kind: "gap" }): Entry {
  const id = newEntryId(sessions.random);
  const { timestamp } = step.behind;
  return gapEntry({ id, parentId: null, timestamp, session: sessions.to, ...step.gap });
}

/** The uncompact marks and compactions of the path, as the copy has them. */
async function changedEntries(
  store: StoreSession,
  steps: readonly PathStep[],
  session: string,
): Promise<ReadonlyMap<string, Entry>> {
  const changed = new Map<string, Entry>();
  const kept = new Map<string, string>();
  for (const step of steps) {
    if (step.kind === "kept") kept.set(step.at.id, step.firstKeptEntryId);
    if (step.kind !== "mark") continue;
    const { id, storedParentId: parentId, timestamp } = step.at;
    changed.set(id, uncompactEntry({ id, parentId, timestamp }, { ...step, session }));
  }
  for (const entry of await store.getAll([...kept.keys()])) {
    const firstKeptEntryId = kept.get(entry.id) as string;
    changed.set(entry.id, { ...(entry as CompactionEntry), firstKeptEntryId });
  }
  return changed;
}
