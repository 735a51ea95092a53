import type { CustomEntry, Entry } from "./entry.ts";
import { isEntry } from "./entry-check.ts";
import { UNREADABLE_PARENT } from "./session-decoder.ts";

/**
 * Our own state lives in `custom` entries named `branchline.*`, so that Pi keeps and ignores it
 * (design.md §2). Each names its session: after a copy into another session it has no effect.
 */
export const OWN_PREFIX = "branchline.";
/** Marker of a leaf move; its `parentId` is the target. */
export const LEAF_TYPE = "branchline.leaf";
/** Row of the session-wide table of branch names; the latest row of a branch wins. */
export const BRANCH_TYPE = "branchline.branch";
/** Makes projections below it skip a compaction, or honour it again. */
export const UNCOMPACT_TYPE = "branchline.uncompact";
/** Placeholder that a repair puts where entries are missing; contexts show it as a gap. */
export const GAP_TYPE = "branchline.gap";

/** Row of the session-wide queues: what was accepted, and what became of it. */
export const QUEUE_TYPE = "branchline.queue";
/** Row of the session-wide run journal. */
export const RUN_TYPE = "branchline.run";
/** The goal of a path and the budget for it; the latest on the path counts. */
export const GOAL_TYPE = "branchline.goal";
/** The tasks of a path; the latest on the path counts. */
export const TASKS_TYPE = "branchline.tasks";

/** What an operation and its undo carry beside their own data. */
export interface OperationMark {
  /** Id of the operation; all entries of one operation share it. */
  readonly op?: string;
  /** The operation that this one takes back. */
  readonly undoes?: string;
}

/** Data of a {@link LEAF_TYPE} marker. */
export interface LeafMark extends OperationMark {
  readonly session: string;
  /** True = the marker starts a branch of its own, whose id is the marker's id. */
  readonly start?: boolean;
  /** The leaf that was left, null = before the first entry; missing on a marker back. */
  readonly from?: string | null;
}

/** Data of a {@link BRANCH_TYPE} row. */
export interface BranchMark extends OperationMark {
  readonly session: string;
  readonly branch: string;
  /** null takes the name away. Missing = unchanged. */
  readonly name?: string | null;
  readonly archived?: boolean;
}

/** Data of an {@link UNCOMPACT_TYPE} mark. */
export interface UncompactMark extends OperationMark {
  readonly session: string;
  /** Id of the compaction entry. */
  readonly compaction: string;
  /** True = the compaction counts again. */
  readonly off?: boolean;
}

/** An entry of our own state, whoever's session it names. */
export function isOwnState(entry: Entry): entry is CustomEntry {
  return isEntry(entry, "custom") && entry.customType.startsWith(OWN_PREFIX);
}

/**
 * The data of our own state of one type, or null where the entry is none of it or names another session
 * (it came with a copy). The members are as they stand in the file: check them.
 */
export function ownData(
  entry: Entry,
  customType: string,
  session: string,
): Record<string, unknown> | null {
  if (!isEntry(entry, "custom") || entry.customType !== customType) return null;
  const data = entry.data;
  if (typeof data !== "object" || data === null) return null;
  const members = data as Record<string, unknown>;
  return members.session === session ? members : null;
}

function mark(data: Record<string, unknown>): OperationMark {
  return {
    ...(typeof data.op === "string" ? { op: data.op } : {}),
    ...(typeof data.undoes === "string" ? { undoes: data.undoes } : {}),
  };
}

/** The marker's data, or null where the entry is no leaf marker of this session. */
export function leafMark(entry: Entry, session: string): LeafMark | null {
  const data = ownData(entry, LEAF_TYPE, session);
  if (data === null) return null;
  const from = data.from;
  return {
    session,
    ...mark(data),
    ...(data.start === true ? { start: true } : {}),
    ...(typeof from === "string" || from === null ? { from } : {}),
  };
}

/** The row's data, or null where the entry is no branch row of this session. */
export function branchMark(entry: Entry, session: string): BranchMark | null {
  const data = ownData(entry, BRANCH_TYPE, session);
  if (data === null || typeof data.branch !== "string") return null;
  const name = data.name;
  return {
    session,
    branch: data.branch,
    ...mark(data),
    ...(typeof name === "string" || name === null ? { name } : {}),
    ...(typeof data.archived === "boolean" ? { archived: data.archived } : {}),
  };
}

/** The mark's data, or null where the entry is no uncompact mark of this session. */
export function uncompactMark(entry: Entry, session: string): UncompactMark | null {
  const data = ownData(entry, UNCOMPACT_TYPE, session);
  if (data === null || typeof data.compaction !== "string") return null;
  return {
    session,
    compaction: data.compaction,
    ...mark(data),
    ...(data.off === true ? { off: true } : {}),
  };
}

/** The uncompact mark of a copied path: it names the session that it stands in now. */
export function uncompactEntry(
  place: Pick<CustomEntry, "id" | "parentId" | "timestamp">,
  { session, compaction, off }: Pick<UncompactMark, "session" | "compaction" | "off">,
): CustomEntry {
  const data = { session, compaction, ...(off === true ? { off } : {}) };
  const { id, parentId, timestamp } = place;
  return { type: "custom", id, parentId, timestamp, customType: UNCOMPACT_TYPE, data };
}

/** What a placeholder of a gap is made of. */
export interface GapPlace extends Pick<CustomEntry, "id" | "parentId" | "timestamp"> {
  readonly session: string;
  readonly reason: "missing-parent" | "cycle";
  /** The id that the link across the gap names, {@link UNREADABLE_PARENT} where it names none. */
  readonly missingId: string;
}

/**
 * The entry that stands where entries are missing, so that a repaired or copied path has a whole chain
 * of parents and still shows its gap.
 */
export function gapEntry({ session, reason, missingId, ...place }: GapPlace): CustomEntry {
  const told = missingId === UNREADABLE_PARENT ? null : missingId;
  const data = { session, reason, missingId: told };
  return { type: "custom", ...place, customType: GAP_TYPE, data };
}

/** True for the placeholder of a gap, whatever session it names: it is a fact about the path. */
export function isGapEntry(entry: Entry): entry is CustomEntry {
  return isEntry(entry, "custom") && entry.customType === GAP_TYPE;
}
