import type { Entry, LabelEntry } from "../entry/entry.ts";
import { newEntryId, newSessionId, type RandomBytes } from "../entry/ids.ts";
import { isGapEntry } from "../entry/own-state.ts";
import { BranchlineError } from "../errors.ts";
import { project } from "../projection/context.ts";
import { idOfStep } from "../store/path-copy.ts";
import type { CopiedStep, PathCopy, SessionStore, StoreSession } from "../store/store.ts";
import { copiedPath, isCopied, isPlainCopy } from "../tree/copied-path.ts";
import { EMPTY_FOLD } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { LabelInfo, TreeEntry } from "../tree/tree-entry.ts";
import { type CopyPlan, planCopy } from "./copy-plan.ts";
import { contextSteps } from "./path-context.ts";
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
  /**
   * "link": the new session reads the path where it is instead of copying it. Only for stores of files;
   * Pi sees the new entries only, and the old session has to stay. Default "copy".
   */
  readonly how?: "copy" | "link";
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
 * original, or nothing is written (F088, F089). Linked to the old session instead of copied from it
 * (F121), it has the same context at a cost that does not grow with the path, but for labels and entries that a
 * copy would change; it has no name of its own yet. The caller closes the result.
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
  const common = { id, cwd, parentSession: from.file ?? from.id };
  // An id that was asked for may be taken, which takes longer to find out than most of the rest.
  const { id: _made, ...unnamed } = common;
  const plainly = options.id === undefined ? unnamed : common;
  const plan = async (): Promise<CopyPlan> => {
    const made = await planCopy(from.store, from.tree.path(at), { to: id, random });
    await checkCopy({ store: from.store, at, plan: made, to: id });
    return made;
  };
  if (options.how === "link") {
    const isPlain = !mayChange(from.tree, at);
    const labels = at === null ? new Map<string, LabelInfo>() : from.tree.labels();
    const ids = isPlain ? onPath(from.tree, at, labels) : (await plan()).steps.map(idOfStep);
    const under = isPlain ? lastCopied(from.tree, at) : null;
    const entries = copyLabels(ids, { labels, under, random });
    const link = at === null ? {} : { link: { from: from.store, at } };
    return store.create({ ...(isPlain ? plainly : common), ...link, entries });
  }
  const plain = plainCopy(from, at);
  const { copy, ids, under } = plain ?? (await plannedCopy(from, plan));
  const entries = copyLabels(ids, { labels: from.tree.labels(), under, random });
  return store.create({ ...(plain === null ? common : plainly), copy, entries });
}

/** What is copied, and the entries of it that may have a label. */
interface Copied {
  readonly copy: PathCopy;
  readonly ids: readonly string[];
  /** The entry that the copy ends at. */
  readonly under: string | null;
}

async function plannedCopy(from: Session, plan: () => Promise<CopyPlan>): Promise<Copied> {
  const { steps } = await plan();
  const ids = steps.map(idOfStep);
  return { copy: { from: from.store, steps }, ids, under: ids.at(-1) ?? null };
}

/** A copy in which no entry is written anew, found without a walk over the path; null where that is not plain. */
function plainCopy({ tree, store }: Session, at: string | null): Copied | null {
  if (at === null || mayChange(tree, at)) return null;
  const under = lastCopied(tree, at);
  if (under === null) return null;
  let steps: readonly CopiedStep[] | null = null;
  const copy = {
    from: store,
    plainTo: at,
    get steps(): readonly CopiedStep[] {
      steps ??= plainSteps(tree.path(at));
      return steps;
    },
  };
  return { copy, ids: onPath(tree, at, tree.labels()), under };
}

/** Gaps, marks and compactions that keep from elsewhere are not in it: see {@link mayChange}. */
function plainSteps(path: readonly TreeEntry[]): readonly CopiedStep[] {
  return copiedPath(path).steps.flatMap((step) => (step.kind === "same" ? [step] : []));
}

/** True where a copy of the path may hold an entry that is written anew. Does not walk the path. */
function mayChange(tree: SessionTree, at: string | null): boolean {
  const fold = (at === null ? undefined : tree.get(at))?.fold ?? EMPTY_FOLD;
  if (tree.hasGaps || fold.uncompacted !== null) return true;
  for (let link = fold.compactions; link !== null; link = link.previous) {
    const kept = tree.get(link.firstKeptEntryId ?? "");
    if (kept !== undefined && !isPlainCopy(kept)) return true;
  }
  return false;
}

/** The labelled entries of a path that a copy would hold, from its start on. Does not walk the path. */
function onPath(
  tree: SessionTree,
  at: string | null,
  labels: ReadonlyMap<string, LabelInfo>,
): readonly string[] {
  return [...labels.keys()]
    .flatMap((id) => tree.get(id) ?? [])
    .filter(
      (entry) => isAbove(tree, entry.id, at) && isCopied(entry, (id) => isAbove(tree, id, at)),
    )
    .sort((a, b) => a.fold.depth - b.fold.depth)
    .map(({ id }) => id);
}

/** True for an entry of the path to `at`. */
function isAbove(tree: SessionTree, id: string, at: string | null): boolean {
  return tree.has(id) && tree.commonAncestor(id, at)?.id === id;
}

/**
 * The entry that a copied path ends at, where that is plain to see; null = unknown, the store finds out.
 * Whether an edit of the context is copied, for one, depends on the rest of the path.
 */
function lastCopied(tree: SessionTree, at: string | null): string | null {
  for (const entry of tree.ancestors(at)) {
    if (isPlainCopy(entry)) return entry.id;
    if (entry.type === "context_edit") return null;
  }
  return null;
}

/** A fork at the leaf of the handle. */
export async function cloneSession(options: CloneOptions): Promise<StoreSession> {
  await options.from.refresh();
  return forkSession({ ...options, at: options.from.leaf });
}

interface LabelCopy {
  readonly labels: ReadonlyMap<string, LabelInfo>;
  /** What the first row hangs under; null = where the new session begins to be its own. */
  readonly under: string | null;
  readonly random: RandomBytes;
}

/** Labels keep the time they were set at; the rows are new. */
function copyLabels(
  ids: readonly string[],
  { labels, under, random }: LabelCopy,
): readonly LabelEntry[] {
  const rows: LabelEntry[] = [];
  let parentId = under;
  for (const targetId of ids) {
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

interface CheckedCopy {
  readonly store: StoreSession;
  readonly at: string | null;
  readonly plan: CopyPlan;
  /** Id of the new session. */
  readonly to: string;
}

/**
 * Refuses a copy whose context is another one. What is left out of a path gives no message and no
 * setting, and what is copied as it is cannot differ; so contexts are only made, from as much of the path
 * as they need, where an entry is written anew.
 */
async function checkCopy({ store, at, plan, to }: CheckedCopy): Promise<void> {
  const { steps, changed, left } = plan;
  if (!steps.some(({ kind }) => kind === "new")) return;
  // Gaps are shown by what stands before the entry in one, by a placeholder in the other.
  const path = (await contextSteps(store, at)).flatMap(({ entry }) =>
    isGapEntry(entry) ? [] : [entry],
  );
  const copy = path.flatMap((entry) =>
    left.has(entry.id) ? [] : [changed.get(entry.id) ?? entry],
  );
  if (modelView(path, store.id) === modelView(copy, to)) return;
  throw new BranchlineError(
    "TARGET_INVALID",
    { target: at ?? "root", reason: "the copy would give another context" },
    {
      message: "The path cannot be copied: the model would see something else in the copy.",
      hint: "Run fsck on the session; fork at another entry.",
    },
  );
}

/** What of the context of these entries must not change by copying. */
function modelView(entries: readonly Entry[], session: string): string {
  const path = entries.map((entry) => ({ entry, gap: null }));
  const { messages, sources, model, thinkingLevel, activeTools } = project(path, session);
  return JSON.stringify({ messages, sources, model, thinkingLevel, activeTools });
}
