import type { Entry, LabelEntry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { newEntryId, newSessionId, type RandomBytes } from "../entry/ids.ts";
import {
  gapEntry,
  isGapEntry,
  isOwnState,
  UNCOMPACT_TYPE,
  uncompactMark,
} from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { type Context, project } from "../projection/context.ts";
import type { PathStep } from "../projection/cut.ts";
import type { SessionStore, StoreSession } from "../store/store.ts";
import type { Gap, LabelInfo } from "../tree/tree-entry.ts";
import { pathSteps } from "./path-context.ts";
import { platformClock, platformRandom } from "./platform.ts";
import type { Session } from "./session.ts";
import type { WallClock } from "./session-handle.ts";

/** What a clone is made of. */
export interface CloneOptions {
  readonly from: Session;
  /** Where the new session goes. */
  readonly store: SessionStore;
  /** Working folder of the new session. Default: that of the old one. */
  readonly cwd?: string;
  /** Id of the new session. Default: a new UUIDv7. */
  readonly id?: string;
  /** Defaults: those of the platform. */
  readonly clock?: WallClock;
  readonly random?: RandomBytes;
}

/** What a fork is made of. */
export interface ForkOptions extends CloneOptions {
  /** The entry that the copied path ends at; null copies nothing. */
  readonly at: string | null;
}

/**
 * Makes a new session from the path to an entry (formats.md §2 "Fork"): the same entries with the same
 * ids, without labels and our own state, re-chained around what is left out (P18); gaps stay
 * visible as placeholders. Labels in force on copied entries are appended again. Uncompact marks are part of what the
 * context is, so they are kept and name the new session. The context of the copy equals that of the
 * original, or nothing is written (F088, F089). The caller closes the result.
 * Throws ENTRY_UNKNOWN, TARGET_INVALID and what {@link SessionStore.create} throws.
 */
export async function forkSession(options: ForkOptions): Promise<StoreSession> {
  const { from, at, store, clock = platformClock, random = platformRandom } = options;
  await from.refresh();
  if (at !== null && !from.tree.has(at)) {
    throw new BranchlineError(
      "ENTRY_UNKNOWN",
      { revision: at },
      { message: `No entry has the id ${at}.` },
    );
  }
  const { id = newSessionId(clock.now(), random), cwd = from.header.cwd } = options;
  const path = await pathSteps(from.store, at);
  const sessions = { from: from.id, to: id, random };
  const entries = copyPath(path, sessions);
  checkCopy(path, entries, sessions);
  return store.create({
    id,
    cwd,
    parentSession: from.file ?? from.id,
    entries: [...entries, ...copyLabels(entries, from.tree.labels(), random)],
  });
}

/** A fork at the leaf of the handle. */
export async function cloneSession(options: CloneOptions): Promise<StoreSession> {
  await options.from.refresh();
  return forkSession({ ...options, at: options.from.leaf });
}

interface Sessions {
  readonly from: string;
  readonly to: string;
  readonly random: RandomBytes;
}

function copyPath(path: readonly PathStep[], sessions: Sessions): readonly Entry[] {
  const ids = new Set(path.map(({ entry }) => entry.id));
  const copied = path.map(({ entry }) => (isCopied(entry, sessions, ids) ? entry : null));
  const keptFrom = firstCopiedFrom(path, copied);
  const entries: Entry[] = [];
  for (const [index, { entry, gap }] of path.entries()) {
    const parentId = (): string | null => entries.at(-1)?.id ?? null;
    if (gap !== null) entries.push(gapIn(sessions, { entry, gap }, parentId()));
    if (copied[index] === null) continue;
    entries.push({ ...adapt(entry, sessions, keptFrom), parentId: parentId() });
  }
  return entries;
}

/** The copy has a whole chain of parents; the placeholder keeps the gap visible in it. */
function gapIn(
  sessions: Sessions,
  { entry, gap }: { readonly entry: Entry; readonly gap: Gap },
  parentId: string | null,
): Entry {
  const { timestamp } = entry;
  return gapEntry({
    id: newEntryId(sessions.random),
    parentId,
    timestamp,
    session: sessions.to,
    reason: gap.reason,
    missingId: gap.missingId,
  });
}

/** Left out: labels, our own state, old leaf entries, and edits of what is not on the path. */
function isCopied(entry: Entry, sessions: Sessions, ids: ReadonlySet<string>): boolean {
  if (uncompactMark(entry, sessions.from) !== null || isGapEntry(entry)) return true;
  if (isOwnState(entry) || entry.type === "label" || isEntry(entry, "leaf")) return false;
  return !isEntry(entry, "context_edit") || ids.has(entry.targetId);
}

/** For each entry of the path that is left out: the next one that is copied. */
function firstCopiedFrom(
  path: readonly PathStep[],
  copied: readonly (Entry | null)[],
): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  let next: string | null = null;
  for (let index = path.length - 1; index >= 0; index--) {
    const entry = copied[index] ?? null;
    const id = path[index]?.entry.id;
    if (entry !== null) next = entry.id;
    else if (next !== null && id !== undefined) first.set(id, next);
  }
  return first;
}

function adapt(entry: Entry, sessions: Sessions, keptFrom: ReadonlyMap<string, string>): Entry {
  const mark = uncompactMark(entry, sessions.from);
  if (mark !== null) {
    const { compaction, off } = mark;
    const data = { session: sessions.to, compaction, ...(off === true ? { off } : {}) };
    const { id, parentId, timestamp } = entry;
    return { type: "custom", id, parentId, timestamp, customType: UNCOMPACT_TYPE, data };
  }
  if (!isEntry(entry, "compaction")) return entry;
  const firstKeptEntryId = keptFrom.get(entry.firstKeptEntryId);
  return firstKeptEntryId === undefined ? entry : { ...entry, firstKeptEntryId };
}

/** Labels keep the time they were set at; the rows are new. */
function copyLabels(
  entries: readonly Entry[],
  labels: ReadonlyMap<string, LabelInfo>,
  random: RandomBytes,
): readonly LabelEntry[] {
  const rows: LabelEntry[] = [];
  let parentId = entries.at(-1)?.id ?? null;
  for (const { id: targetId } of entries) {
    const info = labels.get(targetId);
    if (info === undefined) continue;
    const { label, timestamp } = info;
    const row = {
      type: "label",
      id: newEntryId(random),
      parentId,
      timestamp,
      targetId,
      label,
    } as const;
    rows.push(row);
    parentId = row.id;
  }
  return rows;
}

function checkCopy(path: readonly PathStep[], entries: readonly Entry[], sessions: Sessions): void {
  const bridged = path.flatMap(({ entry }) => (isGapEntry(entry) ? [] : [{ entry, gap: null }]));
  const copy = entries.flatMap((entry) => (isGapEntry(entry) ? [] : [{ entry, gap: null }]));
  const before = modelView(project(bridged, sessions.from));
  if (before === modelView(project(copy, sessions.to))) return;
  throw new BranchlineError(
    "TARGET_INVALID",
    { target: path.at(-1)?.entry.id ?? "root", reason: "the copy would give another context" },
    {
      message: "The path cannot be copied: the model would see something else in the copy.",
      hint: "Run fsck on the session; fork at another entry.",
    },
  );
}

/** What of a context must not change by copying. */
function modelView(context: Context): string {
  const { messages, sources, model, thinkingLevel, activeTools } = context;
  return JSON.stringify({ messages, sources, model, thinkingLevel, activeTools });
}
