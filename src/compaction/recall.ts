import type { Entry } from "../entry/entry.ts";
import { BranchlineError } from "../errors.ts";
import { entryText } from "../index/entry-text.ts";
import { throwIfAborted } from "../io/clock.ts";
import { type Excerpt, makeExcerpt } from "../search/excerpt.ts";
import { MAX_QUERY_LENGTH } from "../search/query.ts";
import type { Session } from "../session/session.ts";
import { compactionInForce, originalIds, readPages } from "./originals.ts";
import { RecallQuery } from "./recall-query.ts";

/** What is looked for. */
export interface RecallOptions {
  /** Words, phrases in quotes, names, Chinese: what fits best comes first. At most 4,096 characters. */
  readonly query: string;
  /** Only in what this compaction stands for; default: in all that is not in the context of the path any more. */
  readonly compaction?: string | undefined;
  /** Most hits, default 8, at most 50. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An entry that was found. */
export interface RecallHit {
  /** Id of the entry, for `readRange`. */
  readonly entry: string;
  readonly type: string;
  /** Role of a message, else null. */
  readonly role: string | null;
  /** ISO time. */
  readonly timestamp: string;
  /** The line around the first match. */
  readonly excerpt: Excerpt;
  /** More is better. */
  readonly score: number;
}

/** Which entries around one are read. */
export interface RangeOptions {
  /** Id of an entry of the path. */
  readonly entry: string;
  /** Entries with text before and after it, default 2, at most 50. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_HITS = 8;
const MAX_HITS = 50;
const DEFAULT_AROUND = 2;
const MAX_AROUND = 50;
/** Entry types that hold what was said. */
const TOLD: ReadonlySet<string> = new Set(["message", "custom_message", "branch_summary"]);

/** Ids of what was said on the path before the context begins to hold the entries themselves, in path order. */
function takenOut(session: Session): readonly string[] {
  const active = compactionInForce(session);
  if (active === null) return [];
  const kept = active.firstKeptEntryId ?? active.id;
  const isThere = kept === active.id || isAbove(session, kept, active.id);
  const ids: string[] = [];
  let isOut = false;
  for (const at of session.tree.ancestors(active.id)) {
    if (isOut && TOLD.has(at.type)) ids.push(at.id);
    isOut ||= at.id === (isThere ? kept : active.id);
  }
  return ids.reverse();
}

function isAbove(session: Session, id: string, below: string): boolean {
  return session.tree.commonAncestor(id, below)?.id === id;
}

interface Candidate {
  readonly id: string;
  readonly matched: readonly number[];
}

/**
 * Finds in what compactions took out of the context of the handle's path, and nowhere else: other
 * branches stay out. Reads the range entry by entry (linear), the best first, of equal ones the newest; an
 * entry that has only some of the words is found too. Nothing where no compaction is in force. Throws
 * USAGE for a query without words or one that is too long, TARGET_INVALID for what is no compaction, ABORTED.
 *
 * @example
 * const [hit] = await recall(session, { query: "数据库端口" });
 * if (hit !== undefined) await readRange(session, { entry: hit.entry });
 */
export async function recall(
  session: Session,
  options: RecallOptions,
): Promise<readonly RecallHit[]> {
  const { query: text, compaction, signal, limit = DEFAULT_HITS } = options;
  if (text.length > MAX_QUERY_LENGTH) throw usage("The query is too long.");
  const query = new RecallQuery(text);
  if (query.isEmpty) throw usage("There is nothing to look for.");
  await session.whenVerified(signal);
  const ids = compaction === undefined ? takenOut(session) : originalIds(session, compaction);
  const found: Candidate[] = [];
  for await (const entry of readPages(session, ids, signal)) {
    const matched = query.match(entryText(entry));
    if (matched.length > 0) found.push({ id: entry.id, matched });
  }
  throwIfAborted(signal);
  const scored = query.scores(found.map(({ matched }) => matched));
  const order = found.map((_, at) => at).sort((a, b) => better(scored, a, b));
  const best = order.slice(0, Math.max(0, Math.min(limit, MAX_HITS)));
  const entries = await session.store.getAll(best.map((at) => (found[at] as Candidate).id));
  return entries.map((entry, at) => hitOf(entry, query, scored[best[at] as number] as number));
}

function better(scores: readonly number[], a: number, b: number): number {
  return (scores[b] as number) - (scores[a] as number) || b - a;
}

function hitOf(entry: Entry, query: RecallQuery, score: number): RecallHit {
  const { pieces, role, type } = entryText(entry);
  const { id, timestamp } = entry;
  return { entry: id, type, role, timestamp, excerpt: makeExcerpt(pieces, query.finders), score };
}

function usage(message: string): BranchlineError<"USAGE"> {
  return new BranchlineError("USAGE", {}, { message, hint: "Give words, a name, or a phrase." });
}

/**
 * Reads an entry of the handle's path with what was said before and after it, in the order of the path,
 * whole. Throws TARGET_INVALID where it is not on the path, ABORTED.
 */
export async function readRange(
  session: Session,
  options: RangeOptions,
): Promise<readonly Entry[]> {
  const { entry, signal, before = DEFAULT_AROUND, after = DEFAULT_AROUND } = options;
  throwIfAborted(signal);
  await session.whenVerified(signal);
  const behind: string[] = [];
  const ids: string[] = [];
  let isFound = false;
  for (const at of session.tree.ancestors(session.leaf)) {
    const isIt = at.id === entry;
    isFound ||= isIt;
    if (!isIt && !TOLD.has(at.type)) continue;
    (isFound ? ids : behind).push(at.id);
    if (ids.length > Math.min(before, MAX_AROUND)) break;
  }
  if (!isFound) throw offPath(entry);
  const later = behind.slice(behind.length - Math.min(after, MAX_AROUND));
  return session.store.getAll([...ids.reverse(), ...later.reverse()]);
}

function offPath(entry: string): BranchlineError<"TARGET_INVALID"> {
  return new BranchlineError(
    "TARGET_INVALID",
    { target: entry, reason: "not on the path" },
    { message: `${entry} is not on the path to the leaf.` },
  );
}
