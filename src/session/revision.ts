import { BranchlineError } from "../errors.ts";
import { isOwn, type SessionTree } from "../tree/session-tree.ts";
import { nearIds, nearMatches } from "./near-matches.ts";
import { readOperations } from "./operations.ts";
import { MAX_REVISION_LENGTH, parseRevision, type RevisionStep } from "./revision-text.ts";
import type { Session } from "./session.ts";

/** Shortest prefix of an id that counts as one, in characters. */
export const MIN_PREFIX_LENGTH = 3;
/** Most candidates that an ENTRY_AMBIGUOUS error lists. */
const MAX_LISTED = 8;

/** How a revision is read. */
export interface RevisionOptions {
  /** What `@` stands for; default the position of the handle, see also {@link entryHere}. */
  readonly here?: string | null;
}

/** What is written about other entries, or about the session; nobody means it by "here". */
const ASIDE: ReadonlySet<string> = new Set(["context_edit", "label", "session_info"]);

/**
 * The entry that a person means by `@` who wants to do something with it: the nearest one at or above
 * the position that is no label, name or edit; the position itself where there is none.
 */
export function entryHere({ tree, position }: Session): string | null {
  for (const at of tree.ancestors(position)) if (!isOwn(at) && !ASIDE.has(at.type)) return at.id;
  return position;
}

/**
 * Finds the entry that a text names (product.md §3a); null = before the first entry. Tried in this
 * order, letters exactly as they are:
 * - `@` the position of the handle (or `here`), `@{n}` the position before the n-th last move, undos included;
 * - `root` before the first entry;
 * - name or id of a branch: the position of its head. The starting marker of a branch is its id too;
 * - `:label` the entry with that label;
 * - an entry's id, or a prefix of at least 3 characters that fits one id only.
 * Behind it any number of suffixes: `~n` goes n entries up, our own state (`branchline.*`) not counted;
 * `^n` goes n user turns back, to the user message before that of the turn which the entry is in.
 * Without a number n is 1. One entry above the first is root, more is ENTRY_UNKNOWN.
 * Throws ENTRY_UNKNOWN with near matches in its hint, ENTRY_AMBIGUOUS with up to 8 candidates.
 */
export async function resolveRevision(
  session: Session,
  text: string,
  options: RevisionOptions = {},
): Promise<string | null> {
  const { tree } = session;
  if (text === "" || text.length > MAX_REVISION_LENGTH) throw unknown(tree, text);
  const { here = session.position } = options;
  const whole = await lookUp(session, text, here);
  if (whole !== undefined) return whole;
  const { base, steps } = parseRevision(text);
  const found = steps.length === 0 ? undefined : await lookUp(session, base, here);
  let at = found === undefined ? byPrefix(tree, base) : found;
  if (at === undefined) throw unknown(tree, base === "" ? text : base);
  for (const step of steps) {
    const next = climb(tree, at, step);
    if (next === undefined) throw tooFar(tree, { text, at, step });
    at = next;
  }
  return at;
}

/** The entry with exactly this name, null = root, undefined = there is none. */
async function lookUp(
  session: Session,
  name: string,
  here: string | null,
): Promise<string | null | undefined> {
  const { tree } = session;
  if (name === "@") return here;
  if (name === "root") return null;
  const move = /^@\{(\d+)\}$/.exec(name)?.[1];
  if (move !== undefined) return beforeMove(session, Number(move));
  const branch = tree.branch(name);
  if (branch !== undefined) return tree.position(branch.head);
  if (name.startsWith(":")) {
    const labelled = byLabel(tree, name);
    if (labelled !== undefined) return labelled;
  }
  return tree.has(name) ? name : undefined;
}

async function beforeMove(session: Session, count: number): Promise<string | null> {
  if (count === 0) return session.position;
  const changes = (await readOperations(session.store)).flatMap((operation) => operation.changes);
  const moves = changes.filter((change) => change.kind === "move");
  const move = moves.at(-count);
  if (move !== undefined) return session.tree.position(move.from);
  const many =
    moves.length === 1 ? "There was only 1 move" : `There were only ${moves.length} moves`;
  throw entryUnknown(
    `@{${count}}`,
    moves.length === 0 ? "There was no move yet." : `${many}.`,
    "`branchline oplog` lists the moves; @{n} counts them back.",
  );
}

function byLabel(tree: SessionTree, text: string): string | undefined {
  const label = text.slice(1);
  const infos = [...tree.labels().values()].filter((info) => info.label === label);
  const matches = infos.map((info) => info.targetId).filter((id) => tree.has(id));
  if (matches.length > 1) throw ambiguous(text, matches);
  return matches[0];
}

function byPrefix(tree: SessionTree, prefix: string): string | null | undefined {
  if (prefix.length < MIN_PREFIX_LENGTH) return undefined;
  const ids = tree.withPrefix(prefix, MAX_LISTED + 1);
  if (ids.length > 1) throw ambiguous(prefix, ids);
  const [id] = ids;
  // As with the whole id: what starts a branch stands for the branch.
  return id !== undefined && tree.branch(id)?.id === id ? tree.position(tree.head(id)) : id;
}

function climb(
  tree: SessionTree,
  from: string | null,
  step: RevisionStep,
): string | null | undefined {
  return step.kind === "entries" ? up(tree, from, step.count) : turnsBack(tree, from, step.count);
}

function up(tree: SessionTree, from: string | null, count: number): string | null | undefined {
  if (count === 0) return from;
  if (from === null) return undefined;
  // The position of `from` is step 0, also where `from` is our own state.
  let left = count + 1;
  for (const at of tree.ancestors(from)) {
    if (!isOwn(at)) left--;
    if (left === 0) return at.id;
  }
  return left === 1 ? null : undefined;
}

/** The first user message at or above begins the turn that the entry is in. */
function turnsBack(
  tree: SessionTree,
  from: string | null,
  count: number,
): string | null | undefined {
  if (count === 0) return from;
  let left = count + 1;
  for (const at of tree.ancestors(from)) {
    if (at.role === "user") left--;
    if (left === 0) return at.id;
  }
  return undefined;
}

function ambiguous(revision: string, matches: readonly string[]): BranchlineError {
  const listed = matches.slice(0, MAX_LISTED);
  const more = matches.length > MAX_LISTED ? ", …" : "";
  return new BranchlineError(
    "ENTRY_AMBIGUOUS",
    { revision, matches: listed },
    {
      message: `More than one entry fits ${revision}: ${listed.join(", ")}${more}.`,
      hint: "Give more characters of the id.",
    },
  );
}

interface FailedStep {
  readonly text: string;
  readonly at: string | null;
  readonly step: RevisionStep;
}

function tooFar(tree: SessionTree, { text, at, step }: FailedStep): BranchlineError {
  const isTurns = step.kind === "turns";
  let count = -1;
  for (const above of tree.ancestors(at)) {
    if (isTurns ? above.role === "user" : !isOwn(above)) count++;
  }
  const [one, many] = isTurns ? ["user turn", "user turns"] : ["entry", "entries"];
  const number = Math.max(0, count);
  const message = `${text} goes too far: there ${number === 1 ? `is only 1 ${one}` : `are only ${number} ${many}`} above.`;
  return entryUnknown(text, message, "`branchline log` shows the path.");
}

function unknown(tree: SessionTree, text: string): BranchlineError {
  const revision = text.slice(0, MAX_REVISION_LENGTH);
  const near = suggestions(tree, revision);
  const isShort = revision !== "" && revision.length < MIN_PREFIX_LENGTH;
  if (isShort && tree.withPrefix(revision, 1).length > 0) {
    const message = `${revision} is too short: a prefix of an id needs at least ${MIN_PREFIX_LENGTH} characters.`;
    return entryUnknown(revision, message, "Give more characters of the id.");
  }
  return entryUnknown(
    revision,
    `No entry is called ${revision}.`,
    near.length > 0
      ? `Did you mean ${near.join(", ")}?`
      : "Give an id or a prefix of one, a branch, :label, @, @~n, @^ or root.",
  );
}

function entryUnknown(revision: string, message: string, hint: string): BranchlineError {
  return new BranchlineError("ENTRY_UNKNOWN", { revision }, { message, hint });
}

function suggestions(tree: SessionTree, text: string): readonly string[] {
  const names = tree.branches().flatMap(({ name }) => (name === null ? [] : [name]));
  const labels = [...tree.labels().values()].map(({ label }) => `:${label}`);
  const named = nearMatches(text, new Set([...names, ...labels]));
  return named.length > 0 ? named : nearIds(text, idsOf(tree));
}

function* idsOf(tree: SessionTree): Iterable<string> {
  for (const { id } of tree.entries()) yield id;
}
