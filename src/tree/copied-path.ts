import { GAP_TYPE, UNCOMPACT_TYPE } from "../entry/own-state.ts";
import type { UncompactLink } from "./fold.ts";
import { isOwn } from "./session-tree.ts";
import type { Gap, TreeEntry } from "./tree-entry.ts";

/** What becomes of one place of a path in another session. */
export type PathStep =
  /** The entry as it is, but perhaps for its parent. */
  | { readonly kind: "same"; readonly at: TreeEntry }
  /** A compaction that keeps from another entry: the one it kept from is left out (F088, F089). */
  | { readonly kind: "kept"; readonly at: TreeEntry; readonly firstKeptEntryId: string }
  /** An uncompact mark, which has to name the new session. */
  | {
      readonly kind: "mark";
      readonly at: TreeEntry;
      readonly compaction: string;
      readonly off: boolean;
    }
  /** A placeholder that has to be made: here a link is missing. */
  | { readonly kind: "gap"; readonly behind: TreeEntry; readonly gap: Gap };

/** What becomes of a path in another session. */
export interface CopiedPath {
  readonly steps: readonly PathStep[];
  /** Ids of the entries that have no place there. */
  readonly left: ReadonlySet<string>;
}

/**
 * Decides what becomes of each entry of a path (root first) in another session: labels, our own state,
 * old leaf entries and edits of what is not on the path are left out; gaps become placeholders, uncompact
 * marks in force name the new session, and a first kept entry that is left out becomes the next one that
 * is copied. From the tree alone; reads no payload.
 */
export function copiedPath(path: readonly TreeEntry[]): CopiedPath {
  const marks = marksOf(path);
  // Most paths hold no edit that asks.
  let ids: ReadonlySet<string> | null = null;
  const isOnPath = (id: string): boolean => {
    ids ??= new Set(path.map((at) => at.id));
    return ids.has(id);
  };
  const leaves = path.filter((at) => !isCopied(at, isOnPath) && !marks.has(at.id));
  const left = new Set(leaves.map(({ id }) => id));
  const keptFrom = firstCopiedFrom(path, left);
  const steps: PathStep[] = [];
  for (const at of path) {
    if (at.gap !== null) steps.push({ kind: "gap", behind: at, gap: at.gap });
    if (left.has(at.id)) continue;
    const mark = marks.get(at.id);
    const firstKeptEntryId = mark === undefined ? keptInstead(at, keptFrom) : undefined;
    if (mark !== undefined) {
      steps.push({ kind: "mark", at, compaction: mark.compaction, off: mark.off });
    } else if (firstKeptEntryId !== undefined) steps.push({ kind: "kept", at, firstKeptEntryId });
    else steps.push({ kind: "same", at });
  }
  return { steps, left };
}

/** True for what another session takes over whatever stands around it: neither own state nor a row of its own. */
export function isPlainCopy(at: TreeEntry): boolean {
  return isCopied(at, () => false);
}

/**
 * True for an entry that has a place in a copy of a path with this rest, uncompact marks in force apart;
 * `isOnPath` is asked for what an edit is about.
 */
export function isCopied(at: TreeEntry, isOnPath: (id: string) => boolean): boolean {
  if (isGap(at)) return true;
  if (isOwn(at) || at.type === "label" || at.isMove) return false;
  return at.type !== "context_edit" || at.targetId === null || isOnPath(at.targetId);
}

/** True for the placeholder of a gap, whatever session it names: it is a fact about the path. */
function isGap(at: TreeEntry): boolean {
  return at.type === "custom" && at.customType === GAP_TYPE;
}

/** The uncompact marks that have an effect on the path, by id: each makes the list of its fold longer. */
function marksOf(path: readonly TreeEntry[]): ReadonlyMap<string, UncompactLink> {
  const marks = new Map<string, UncompactLink>();
  let known = 0;
  for (const at of path) {
    if (at.type !== "custom" || at.customType !== UNCOMPACT_TYPE) continue;
    const { uncompacted } = at.fold;
    const length = lengthOf(uncompacted);
    if (uncompacted !== null && length > known) marks.set(at.id, uncompacted);
    known = length;
  }
  return marks;
}

function lengthOf(marks: UncompactLink | null): number {
  let length = 0;
  for (let mark = marks; mark !== null; mark = mark.previous) length++;
  return length;
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

function keptInstead(at: TreeEntry, keptFrom: ReadonlyMap<string, string>): string | undefined {
  if (at.type !== "compaction" || keptFrom.size === 0) return undefined;
  const link = at.fold.compactions;
  return link?.id === at.id ? keptFrom.get(link.firstKeptEntryId ?? "") : undefined;
}
