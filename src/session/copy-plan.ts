import type { CompactionEntry, Entry } from "../entry/entry.ts";
import { newEntryId, type RandomBytes } from "../entry/ids.ts";
import { GAP_TYPE, gapEntry, UNCOMPACT_TYPE, uncompactMark } from "../entry/own-state.ts";
import { idOfStep } from "../store/path-copy.ts";
import type { CopiedStep, StoreSession } from "../store/store.ts";
import { isOwn } from "../tree/session-tree.ts";
import type { Gap, TreeEntry } from "../tree/tree-entry.ts";

/** From which session into which one. */
export interface CopySessions {
  readonly from: string;
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

/**
 * Decides what becomes of each entry of a path (root first) in another session: labels, our own state,
 * old leaf entries and edits of what is not on the path are left out; gaps become placeholders,
 * uncompact marks name the new session, and a first kept entry that is left out becomes the next one
 * that is copied. Reads only the entries that may change.
 */
export async function planCopy(
  store: StoreSession,
  path: readonly TreeEntry[],
  sessions: CopySessions,
): Promise<CopyPlan> {
  const marks = await readMarks(store, path, sessions);
  // Most paths hold no edit that asks.
  let ids: ReadonlySet<string> | null = null;
  const isOnPath = (id: string): boolean => {
    ids ??= new Set(path.map((at) => at.id));
    return ids.has(id);
  };
  const leaves = path.filter((at) => !isCopied(at, isOnPath) && !marks.has(at.id));
  const left = new Set(leaves.map(({ id }) => id));
  const changed = new Map([...marks, ...(await remapped(store, path, left))]);
  const steps: CopiedStep[] = [];
  for (const at of path) {
    if (at.gap !== null) steps.push(madeStep(gapIn(sessions, at, at.gap), steps));
    if (left.has(at.id)) continue;
    const entry = changed.get(at.id);
    steps.push(entry === undefined ? { kind: "same", at } : madeStep(entry, steps));
  }
  return { steps, changed, left };
}

function madeStep(entry: Entry, above: readonly CopiedStep[]): CopiedStep {
  const last = above.at(-1);
  const parentId = last === undefined ? null : idOfStep(last);
  return { kind: "new", entry: { ...entry, parentId } };
}

function isCopied(at: TreeEntry, isOnPath: (id: string) => boolean): boolean {
  if (isGap(at)) return true;
  if (isOwn(at) || at.type === "label" || at.isMove) return false;
  return at.type !== "context_edit" || at.targetId === null || isOnPath(at.targetId);
}

/** True for the placeholder of a gap, whatever session it names: it is a fact about the path. */
function isGap(at: TreeEntry): boolean {
  return at.type === "custom" && at.customType === GAP_TYPE;
}

/** The copy has a whole chain of parents; the placeholder keeps the gap visible in it. */
function gapIn(sessions: CopySessions, at: TreeEntry, { reason, missingId }: Gap): Entry {
  const id = newEntryId(sessions.random);
  const { timestamp } = at;
  return gapEntry({ id, parentId: null, timestamp, session: sessions.to, reason, missingId });
}

/** The uncompact marks that have an effect on the path, as the copy has them. */
async function readMarks(
  store: StoreSession,
  path: readonly TreeEntry[],
  sessions: CopySessions,
): Promise<ReadonlyMap<string, Entry>> {
  const named = path.filter(
    ({ type, customType }) => type === "custom" && customType === UNCOMPACT_TYPE,
  );
  const marks = new Map<string, Entry>();
  for (const entry of await store.getAll(named.map(({ id }) => id))) {
    const mark = uncompactMark(entry, sessions.from);
    if (mark === null) continue;
    const { compaction, off } = mark;
    const data = { session: sessions.to, compaction, ...(off === true ? { off } : {}) };
    const { id, parentId, timestamp } = entry;
    const made = { type: "custom", id, parentId, timestamp, customType: UNCOMPACT_TYPE, data };
    marks.set(id, made as Entry);
  }
  return marks;
}

/** The compactions that keep from an entry that is left out (F088, F089). */
async function remapped(
  store: StoreSession,
  path: readonly TreeEntry[],
  left: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Entry>> {
  const keptFrom = firstCopiedFrom(path, left);
  const kept = new Map<string, string>();
  if (keptFrom.size > 0) {
    for (const at of path) {
      const link = at.type === "compaction" ? at.fold.compactions : null;
      const next = keptFrom.get(link?.firstKeptEntryId ?? "");
      if (link?.id === at.id && next !== undefined) kept.set(at.id, next);
    }
  }
  const entries = await store.getAll([...kept.keys()]);
  return new Map(
    entries.map((entry) => {
      const firstKeptEntryId = kept.get(entry.id) as string;
      return [entry.id, { ...(entry as CompactionEntry), firstKeptEntryId }];
    }),
  );
}

/** For each entry of the path that is left out: the next one that is copied. */
function firstCopiedFrom(
  path: readonly TreeEntry[],
  left: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  let next: string | null = null;
  if (left.size === 0) return first;
  for (const { id } of path.toReversed()) {
    if (!left.has(id)) next = id;
    else if (next !== null) first.set(id, next);
  }
  return first;
}
