import type { ExportHead } from "branchline/protocol/export.ts";
import type { MoveAnswer } from "branchline/protocol/operation.ts";
import type { SessionState } from "branchline/protocol/session.ts";
import type {
  ContextCurve,
  ContextView,
  EntryPreview,
  PathWindow,
  TranscriptRow,
  TreeColumns,
} from "branchline/protocol/tree.ts";
import { ApiFailure } from "../api/api-failure.ts";
import { pathPlaces, shapeOf, type TreeShape } from "../tree/tree-shape.ts";
import { DataBlocks, readHead } from "./data-blocks.ts";
import { embeddedContext } from "./embedded-context.ts";
import { curvePoints } from "./embedded-curve.ts";
import {
  ChildLists,
  type EmbeddedPath,
  embeddedPath,
  lastPlaces,
  sentOf,
} from "./embedded-path.ts";

/** Paths that are remembered. */
const REMEMBERED = 4;

/** Which part of a path; entries by id or `~place`. */
export interface WindowQuestion {
  readonly leaf: string | null;
  readonly around: string | null;
  readonly before: number;
  readonly after: number;
}

/** The session in this page, answering what the server answers. Moves of the leaf last as long as the page. */
export class EmbeddedSession {
  readonly head: ExportHead;
  readonly #blocks: DataBlocks;
  readonly #shape: TreeShape;
  readonly #children: ChildLists;
  readonly #last: Int32Array;
  readonly #paths = new Map<number, EmbeddedPath>();
  readonly #places = new Map<string, number>();
  #leaf: number;
  #knowsAll = false;

  constructor(head: ExportHead) {
    this.head = head;
    this.#blocks = new DataBlocks(head);
    this.#shape = shapeOf(head.columns);
    this.#children = new ChildLists(this.#shape);
    this.#last = lastPlaces(this.#shape);
    this.#leaf = head.columns.leaf;
    for (const [place, id] of head.columns.knots) this.#places.set(id, place);
  }

  /** Everything small. */
  async state(): Promise<SessionState> {
    const { head } = this;
    const leaf = await this.#idOf(this.#leaf);
    const branches = head.columns.branches.map(async (branch) => ({
      ...{ id: branch.id, name: branch.name, archived: branch.archived, foreign: false },
      head: await this.#idOf(branch.head),
      entries: Math.max(0, branch.head - branch.start + 1),
      active: this.#isOn(branch.head),
    }));
    return {
      row: rowOf(head),
      revision: this.#revision,
      ...{ leaf, position: leaf, branch: "main", branches: await Promise.all(branches) },
      labels: [],
      model: modelOf(head),
      models: [],
      insteadOf: null,
      thinkingLevel: head.thinkingLevel,
      activeTools: null,
      tokens: this.#tokens(),
      verified: true,
      readOnly: "export",
      run: null,
      queue: [],
      parentSession: null,
      problems: 0,
      permissions: [],
    };
  }

  /** The skeleton with the present leaf; from the end on it is empty. */
  columns(from: number): TreeColumns {
    const { columns } = this.head;
    const moved = { ...columns, revision: this.#revision, leaf: this.#leaf, position: this.#leaf };
    if (from < columns.size) return moved;
    return { ...moved, from: columns.size, parents: [], kinds: "", tokens: [] };
  }

  async rows(places: readonly number[]): Promise<readonly EntryPreview[]> {
    const rows = await Promise.all(places.map((place) => this.#blocks.preview(place)));
    return rows.filter((row) => row !== undefined);
  }

  async window(question: WindowQuestion): Promise<PathWindow> {
    const asked = question.leaf === null ? this.#leaf : await this.place(question.leaf);
    const around = question.around === null ? null : await this.place(question.around);
    const leaf =
      around === null || this.#isAbove(around, asked) ? asked : (this.#last[around] ?? around);
    const path = this.#path(leaf);
    const middle = around === null ? path.rows.length - 1 : this.#indexNear(path, around);
    const start = Math.max(0, middle - question.before);
    const places = path.rows.slice(start, middle + question.after + 1);
    return {
      revision: this.#revision,
      leaf: await this.#idOf(leaf),
      total: path.rows.length,
      start,
      rows: await Promise.all(places.map((place) => this.#row(path, place))),
    };
  }

  /** One entry whole. */
  async entry(name: string): Promise<{ readonly entry: unknown; readonly preview: EntryPreview }> {
    const place = await this.place(name);
    const preview = await this.#blocks.preview(place);
    if (preview === undefined) throw unknownEntry();
    return { entry: await this.#blocks.entry(place), preview };
  }

  /** The entries that a compaction stands for. */
  async originals(name: string): Promise<readonly TranscriptRow[]> {
    const place = await this.place(name);
    const path = this.#path(place);
    const [, first = -1, last = -1] =
      this.head.compactions.find(([compaction]) => compaction === place) ?? [];
    const places = first < 0 ? [] : path.rows.filter((at) => at >= first && at <= last);
    return await Promise.all(places.map((at) => this.#row(path, at)));
  }

  /** What the model would see at an entry, estimated; null = the leaf. */
  async context(name: string | null): Promise<ContextView> {
    const place = name === null ? this.#leaf : await this.place(name);
    const { head } = this;
    const data = { blocks: this.#blocks, shape: this.#shape, path: this.#path(place) };
    const view = await embeddedContext(data, place);
    const isLeaf = place === head.columns.leaf;
    return isLeaf ? { ...view, model: head.model, thinkingLevel: head.thinkingLevel } : view;
  }

  /** The size of the context along the present path. */
  async curve(): Promise<ContextCurve> {
    const points = curvePoints(this.head, this.#shape, pathPlaces(this.#shape, this.#leaf));
    const named = points.map(async ({ place, ...point }) => ({
      ...point,
      entry: (await this.#idOf(place)) ?? "",
    }));
    return { points: await Promise.all(named) };
  }

  /** Shows another path from here on. */
  async move(name: string): Promise<MoveAnswer> {
    const previousLeafId = await this.#idOf(this.#leaf);
    this.#leaf = await this.place(name);
    const leafId = await this.#idOf(this.#leaf);
    return {
      ...{ leafId, previousLeafId },
      ...{ position: leafId, branch: "main", op: null, editorText: null },
    };
  }

  /** Place of an entry. Throws ApiFailure where there is none. */
  async place(name: string): Promise<number> {
    if (/^~\d{1,9}$/.test(name)) {
      const place = Number(name.slice(1));
      if (place < this.#shape.size) return place;
      throw unknownEntry();
    }
    if (!this.#places.has(name) && !this.#knowsAll) {
      for await (const { id, place } of this.#blocks.allPreviews()) this.#places.set(id, place);
      this.#knowsAll = true;
    }
    const place = this.#places.get(name);
    if (place === undefined) throw unknownEntry();
    return place;
  }

  get #revision(): string {
    return `export-${this.#leaf}`;
  }

  async #idOf(place: number): Promise<string | null> {
    if (place < 0) return null;
    const id = this.#shape.ids.get(place) ?? (await this.#blocks.preview(place))?.id ?? null;
    if (id !== null) this.#places.set(id, place);
    return id;
  }

  async #row(path: EmbeddedPath, place: number): Promise<TranscriptRow> {
    const [preview, entry] = await Promise.all([
      this.#blocks.preview(place),
      this.#blocks.entry(place),
    ]);
    if (preview === undefined) throw unknownEntry();
    this.#places.set(preview.id, place);
    const siblings = this.#children.siblings(place);
    const shown = siblings.length < 2 ? [] : siblings.map((at) => this.#sibling(at));
    return {
      ...preview,
      ...{ entry, cut: false, siblings: await Promise.all(shown) },
      sibling: Math.max(0, siblings.indexOf(place)),
      sent: sentOf(path, this.#shape, place),
    };
  }

  async #sibling(place: number): Promise<TranscriptRow["siblings"][number]> {
    const preview = await this.#blocks.preview(place);
    const leaf = await this.#idOf(this.#last[place] ?? place);
    return { id: preview?.id ?? "", text: preview?.text.slice(0, 80) ?? "", leaf: leaf ?? "" };
  }

  #path(leaf: number): EmbeddedPath {
    const known = this.#paths.get(leaf) ?? embeddedPath(this.head, this.#shape, leaf);
    this.#paths.delete(leaf);
    this.#paths.set(leaf, known);
    for (const old of this.#paths.keys()) {
      if (this.#paths.size <= REMEMBERED) break;
      this.#paths.delete(old);
    }
    return known;
  }

  #isOn(place: number): boolean {
    return place >= 0 && this.#isAbove(place, this.#leaf);
  }

  #isAbove(place: number, leaf: number): boolean {
    let at = leaf;
    while (at > place) at = this.#shape.parent[at] ?? -1;
    return at === place;
  }

  #indexNear(path: EmbeddedPath, place: number): number {
    for (let at = place; at >= 0; at = this.#shape.parent[at] ?? -1) {
      const index = path.indexes.get(at);
      if (index !== undefined) return index;
    }
    return 0;
  }

  /** Estimated tokens of the context at the leaf. */
  #tokens(): number {
    const path = this.#path(this.#leaf);
    return path.rows
      .filter((place) => ["yes", "replaced"].includes(sentOf(path, this.#shape, place)))
      .reduce(
        (sum, place) => sum + (path.edits.get(place)?.tokens ?? this.#shape.tokens[place] ?? 0),
        0,
      );
  }
}

function unknownEntry(): ApiFailure {
  return new ApiFailure({ code: "ENTRY_UNKNOWN", status: 404, message: "No such entry." });
}

function modelOf({ model }: ExportHead): SessionState["model"] {
  if (model === null) return null;
  return { ...model, name: model.modelId, contextWindow: null, isOffline: false };
}

function rowOf(head: ExportHead): SessionState["row"] {
  const { id, name, cwd, created } = head.session;
  return {
    ...{ id, name, cwd, created },
    ...{ path: null, agent: "export", title: name, modified: head.exported, bytes: 0 },
    ...{ entries: head.columns.size, messages: 0, branches: head.columns.branches.length },
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: null },
    ...{ model: null, pinned: false, archived: false, sample: false, readOnly: "export" },
    glyph: [],
  };
}

let opened: Promise<EmbeddedSession> | undefined;

/** The session in this page, read once. */
export function embeddedSession(): Promise<EmbeddedSession> {
  opened ??= readHead().then((head) => new EmbeddedSession(head));
  return opened;
}
