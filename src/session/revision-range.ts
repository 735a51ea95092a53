import { isOwn, type SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { resolveRevision } from "./revision.ts";
import type { Session } from "./session.ts";

/** Several entries that one text names; ids only, our own state left out. */
export interface RevisionRange {
  /**
   * "entry": one revision. "beyond": `A..B`. "sides": `A...B`. "set": `leaves`, `forks`, `compactions`.
   */
  readonly kind: "entry" | "beyond" | "sides" | "set";
  /** Where both paths of a range meet; null = root, and for "entry" and "set". */
  readonly base: string | null;
  /** What A has beyond `base`, top down; only for "sides". */
  readonly left: readonly string[];
  /** What B has beyond `base`, top down; the entry, or the set in file order. */
  readonly right: readonly string[];
}

/**
 * Finds the entries that a text names: `A..B` what B has beyond A, `A...B` both sides from their
 * meeting point (an empty side is `@`), the sets `leaves` (positions of all branches and tips), `forks`
 * (entries with several continuations) and `compactions`, or one revision. Throws as
 * {@link resolveRevision}.
 */
export async function resolveRange(session: Session, text: string): Promise<RevisionRange> {
  const set = namedSet(session.tree, text);
  if (set !== null) return { kind: "set", base: null, left: [], right: set };
  const dots = /\.\.\.?/.exec(text);
  if (dots === null || session.tree.has(text)) {
    const id = await resolveRevision(session, text);
    return { kind: "entry", base: null, left: [], right: id === null ? [] : [id] };
  }
  const a = await resolveRevision(session, text.slice(0, dots.index) || "@");
  const b = await resolveRevision(session, text.slice(dots.index + dots[0].length) || "@");
  const { tree } = session;
  const base = tree.commonAncestor(a, b)?.id ?? null;
  const isSides = dots[0].length === 3;
  return {
    kind: isSides ? "sides" : "beyond",
    base: tree.position(base),
    left: isSides ? between(tree, base, a) : [],
    right: between(tree, base, b),
  };
}

function between(tree: SessionTree, above: string | null, to: string | null): readonly string[] {
  const ids: string[] = [];
  for (const at of tree.ancestors(to)) {
    if (at.id === above) break;
    if (!isOwn(at)) ids.push(at.id);
  }
  return ids.reverse();
}

function namedSet(tree: SessionTree, text: string): readonly string[] | null {
  if (text === "leaves") return leaves(tree);
  if (text === "forks") return forks(tree);
  if (text !== "compactions") return null;
  return idsWhere(tree, ({ type }) => type === "compaction");
}

function leaves(tree: SessionTree): readonly string[] {
  const heads = tree.branches().map(({ head }) => tree.position(head));
  const positions = new Set(heads);
  return idsWhere(tree, ({ id }) => positions.has(id));
}

/** Entries with several continuations, whether markers stand between or not. */
function forks(tree: SessionTree): readonly string[] {
  const children = new Map<string, number>();
  const positions = new Map<string, string | null>();
  for (const at of tree.entries()) {
    if (isOwn(at) || at.isMove) continue;
    const parent = at.parent === null ? null : positionOf(at.parent, positions);
    if (parent !== null) children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  return idsWhere(tree, ({ id }) => (children.get(id) ?? 0) > 1);
}

/** The nearest entry that is not our own; remembered for each marker, so chains of them stay cheap. */
function positionOf(from: TreeEntry, known: Map<string, string | null>): string | null {
  const passed: string[] = [];
  let at: TreeEntry | null = from;
  while (at !== null && isOwn(at) && !known.has(at.id)) {
    passed.push(at.id);
    at = at.parent;
  }
  const position = at === null ? null : (known.get(at.id) ?? (isOwn(at) ? null : at.id));
  for (const id of passed) known.set(id, position);
  return position;
}

function idsWhere(tree: SessionTree, fits: (at: TreeEntry) => boolean): readonly string[] {
  const ids: string[] = [];
  for (const at of tree.entries()) if (fits(at)) ids.push(at.id);
  return ids;
}
