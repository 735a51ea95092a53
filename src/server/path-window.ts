import { isEntry } from "../entry/entry-check.ts";
import { BranchlineError } from "../errors.ts";
import { isLeftOut, SILENT_KINDS } from "../protocol/kinds.ts";
import type { PathWindow, TranscriptRow } from "../protocol/tree.ts";
import { editableContent, isSameContent } from "../session/entry-content.ts";
import { entryText } from "../session/entry-preview.ts";
import type { StoreSession } from "../store/store.ts";
import { type PathCut, pathCut } from "../tree/path-cut.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { isChoice, isShownKind, kindOf } from "../view/entry-kind.ts";
import { shortText } from "../view/entry-view.ts";
import { EntryReader, type ReadEntry, readPreview, shownEntry } from "./entry-reader.ts";
import { WINDOW_ROWS } from "./limits.ts";
import type { TreeSkeleton } from "./tree-skeleton.ts";

/** Paths that are remembered for one session. */
const REMEMBERED = 4;
/** Entries that are looked through for the alternatives of one row. */
const LOOKED_THROUGH = 2000;
/** Alternatives that a row tells. */
const SHOWN_SIBLINGS = 50;

type Sent = TranscriptRow["sent"];

/** The rows of one path, root first, and what a context at its end does with them. */
interface KnownPath {
  readonly leaf: string | null;
  /** Places of the rows. */
  readonly rows: readonly number[];
  /** By place, where a row is in `rows`; made by the first look for an entry. */
  indexes: ReadonlyMap<number, number> | null;
  readonly cut: PathCut;
  readonly edits: ReadonlyMap<string, "hidden" | "replaced">;
  readonly relinks: number;
}

/** Which part of a path. */
export interface WindowRequest {
  readonly leaf: string | null;
  /** Entry in the middle; null = the end of the path. */
  readonly around: string | null;
  /** Rows before and after it; together at most {@link WINDOW_ROWS}. */
  readonly before: number;
  readonly after: number;
}

/** Windows of the paths of one open session; remembers the rows of the last few paths. */
export class PathWindows {
  readonly #store: StoreSession;
  readonly #reader: EntryReader;
  readonly #skeleton: TreeSkeleton;
  readonly #known = new Map<string, KnownPath>();
  #last: { readonly size: number; readonly places: Int32Array } | null = null;

  constructor(store: StoreSession, skeleton: TreeSkeleton) {
    this.#store = store;
    this.#reader = new EntryReader(store);
    this.#skeleton = skeleton;
  }

  /** Throws ENTRY_UNKNOWN where `leaf` or `around` is no entry. */
  async window(revision: string, request: WindowRequest): Promise<PathWindow> {
    const path = await this.#pathFor(request);
    const { rows } = path;
    const middle =
      request.around === null ? rows.length - 1 : this.#indexNear(path, request.around);
    const start = Math.max(0, middle - request.before);
    const end = Math.min(rows.length, middle + request.after + 1, start + WINDOW_ROWS);
    const part = rows.slice(start, end).flatMap((place) => this.#store.tree.at(place) ?? []);
    const entries = await this.#reader.read(part.map(({ id }) => id));
    const shown: TranscriptRow[] = [];
    for (const [index, at] of part.entries()) {
      shown.push(await this.#row(path, at, entries[index] as ReadEntry));
    }
    return { revision, leaf: path.leaf, total: rows.length, start, rows: shown };
  }

  /** The last entry below one, where a move to it goes. */
  leafUnder(at: TreeEntry): string {
    const place = this.#lastPlaces()[at.ordinal] ?? at.ordinal;
    return this.#store.tree.at(place)?.id ?? at.id;
  }

  async #pathFor(request: WindowRequest): Promise<KnownPath> {
    const { tree } = this.#store;
    const path = await this.#path(request.leaf);
    if (request.around === null) return path;
    const around = mustFind(tree, request.around);
    const isOn = tree.commonAncestor(around.id, path.leaf)?.id === around.id;
    return isOn ? path : await this.#path(this.leafUnder(around));
  }

  /** The row of an entry, or of the nearest one above it that has a row. */
  #indexNear(path: KnownPath, id: string): number {
    const from = this.#store.tree.get(id)?.ordinal ?? -1;
    path.indexes ??= new Map(path.rows.map((place, index) => [place, index]));
    for (const place of this.#skeleton.placesUp(from)) {
      const index = path.indexes.get(place);
      if (index !== undefined) return index;
    }
    return 0;
  }

  async #path(leaf: string | null): Promise<KnownPath> {
    const { tree } = this.#store;
    if (leaf !== null) mustFind(tree, leaf);
    const key = leaf ?? "";
    const known = this.#known.get(key);
    if (known !== undefined && known.relinks === tree.relinks) return known;
    const made = await knownPath(this.#store, this.#skeleton, leaf);
    this.#known.delete(key);
    this.#known.set(key, made);
    for (const old of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(old);
    }
    return made;
  }

  #lastPlaces(): Int32Array {
    const { size } = this.#store.tree;
    if (this.#last?.size !== size) this.#last = { size, places: this.#skeleton.lastPlaces() };
    return this.#last.places;
  }

  async #row(path: KnownPath, at: TreeEntry, read: ReadEntry): Promise<TranscriptRow> {
    const { tree } = this.#store;
    const label = tree.labels().get(at.id)?.label ?? null;
    const siblings = isChoice(at) ? siblingsOf(tree, at) : [];
    const shown = siblings.length > 1 ? await this.#siblingViews(siblings) : [];
    return {
      ...readPreview(at, read, label),
      ...shownEntry(read),
      siblings: shown,
      sibling: Math.max(
        0,
        siblings.findIndex(({ id }) => id === at.id),
      ),
      sent: sentOf(path, at),
    };
  }

  async #siblingViews(siblings: readonly TreeEntry[]): Promise<TranscriptRow["siblings"]> {
    const read = await this.#reader.read(siblings.map(({ id }) => id));
    return siblings.map((at, index) => ({
      id: at.id,
      text: shortText(entryText((read[index] as ReadEntry).entry), 80),
      leaf: this.leafUnder(at),
    }));
  }
}

async function knownPath(
  store: StoreSession,
  skeleton: TreeSkeleton,
  leaf: string | null,
): Promise<KnownPath> {
  const { tree } = store;
  const end = leaf === null ? undefined : tree.get(leaf);
  const rows: number[] = [];
  const edits: string[] = [];
  for (const place of skeleton.placesUp(end?.ordinal ?? -1)) {
    const kind = skeleton.kindAt(place);
    if (isShownKind(kind)) rows.push(place);
    if (kind === "x") edits.push((tree.at(place) as TreeEntry).id);
  }
  rows.reverse();
  return {
    leaf,
    rows,
    indexes: null,
    cut: pathCut(tree, leaf),
    edits: await editsInForce(store, edits.reverse()),
    relinks: tree.relinks,
  };
}

/** What context edits of a path do to their targets; the last one counts, one that says the original nothing. */
async function editsInForce(
  store: StoreSession,
  ids: readonly string[],
): Promise<ReadonlyMap<string, "hidden" | "replaced">> {
  const inForce = new Map<string, "hidden" | "replaced">();
  for (const entry of await store.getAll(ids)) {
    if (!isEntry(entry, "context_edit")) continue;
    const { targetId, replacement } = entry;
    const target = replacement === null ? undefined : await store.get(targetId);
    const isOriginal =
      target !== undefined &&
      replacement !== null &&
      isSameContent(editableContent(target), replacement.content);
    if (isOriginal) inForce.delete(targetId);
    else inForce.set(targetId, replacement === null ? "hidden" : "replaced");
  }
  return inForce;
}

function sentOf({ cut, edits }: KnownPath, at: TreeEntry): Sent {
  const kind = kindOf(at);
  if (SILENT_KINDS.has(kind)) return "no";
  if (at.id === cut.compaction?.id) return "yes";
  if (kind === "c") return "no";
  const parts = { compaction: cut.compaction?.depth ?? -1, from: cut.from };
  if (isLeftOut(parts, at.fold.depth, kind)) return "compacted";
  return edits.get(at.id) ?? "yes";
}

/** Alternatives under one parent; markers, labels and names in between do not count. In file order. */
export function siblingsOf(tree: SessionTree, at: TreeEntry): readonly TreeEntry[] {
  let parent = at.parent;
  while (parent !== null && !isChoice(parent)) parent = parent.parent;
  const found: TreeEntry[] = [];
  const waiting = [...tree.children(parent?.id ?? null)];
  for (let next = 0; next < waiting.length && next < LOOKED_THROUGH; next++) {
    const child = waiting[next] as TreeEntry;
    if (isChoice(child)) found.push(child);
    else for (const below of tree.children(child.id)) waiting.push(below);
  }
  found.sort((a, b) => a.ordinal - b.ordinal);
  if (found.length <= SHOWN_SIBLINGS) return found;
  const own = found.findIndex(({ id }) => id === at.id);
  const from = Math.min(Math.max(0, own - SHOWN_SIBLINGS / 2), found.length - SHOWN_SIBLINGS);
  return found.slice(from, from + SHOWN_SIBLINGS);
}

function mustFind(tree: SessionTree, id: string): TreeEntry {
  const at = tree.get(id);
  if (at !== undefined) return at;
  const message = `No entry has the id ${id.slice(0, 80)}.`;
  throw new BranchlineError("ENTRY_UNKNOWN", { revision: id }, { message });
}
