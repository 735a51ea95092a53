import type { CompactionLink, Fold, UncompactLink } from "../../tree/fold.ts";
import type { IndexDatabase } from "./index-database.ts";
import { checkSeal, sealOf } from "./seal.ts";

/** What of a fold changes rarely; entries share a row of it. */
export type State = Pick<
  Fold,
  "branch" | "model" | "thinkingLevel" | "activeTools" | "system" | "compactions" | "uncompacted"
>;

const MAX_CACHED = 4096;
const INSERT =
  "INSERT INTO state (file, branch, provider, model, thinking, tools, system, compaction, uncompact, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** Rows of the links that came from here or went there. */
const rowOf = new WeakMap<CompactionLink | UncompactLink, number>();

/** A link whose rest is read when it is asked for: most contexts need the newest compaction only. */
class StoredCompaction implements CompactionLink {
  readonly id: string;
  readonly firstKeptEntryId: string | null;
  readonly #previous: () => CompactionLink | null;

  constructor(id: string, kept: string | null, previous: () => CompactionLink | null) {
    this.id = id;
    this.firstKeptEntryId = kept;
    this.#previous = previous;
  }

  get previous(): CompactionLink | null {
    return this.#previous();
  }
}

class StoredUncompact implements UncompactLink {
  readonly compaction: string;
  readonly off: boolean;
  readonly #previous: () => UncompactLink | null;

  constructor(compaction: string, off: boolean, previous: () => UncompactLink | null) {
    this.compaction = compaction;
    this.off = off;
    this.#previous = previous;
  }

  get previous(): UncompactLink | null {
    return this.#previous();
  }
}

/** Reads and writes the states of one file. Rows are never changed. */
export class States {
  readonly #database: IndexDatabase;
  readonly #file: number;
  readonly #cache = new Map<number, State>();
  readonly #compactions = new Map<number, CompactionLink>();
  readonly #uncompacts = new Map<number, UncompactLink>();

  constructor(database: IndexDatabase, file: number) {
    this.#database = database;
    this.#file = file;
  }

  /** The state with this id. */
  get(id: number): State {
    const known = this.#cache.get(id);
    if (known !== undefined) return known;
    const row = this.#database.row(
      "SELECT branch, provider, model, thinking, tools, system, compaction, uncompact, seal FROM state WHERE id = ?",
      id,
    ) as unknown as StateRow;
    checkSeal(row[8], row.slice(0, 8));
    const [branch, provider, modelId, thinkingLevel, tools, system, compaction, uncompact] = row;
    const state: State = {
      branch,
      model: provider === null || modelId === null ? null : { provider, modelId },
      thinkingLevel,
      activeTools: tools === null ? null : (JSON.parse(tools) as readonly string[]),
      system,
      compactions: this.#compaction(compaction),
      uncompacted: this.#uncompact(uncompact),
    };
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(id, state);
    return state;
  }

  /** Writes the state of a fold; its links that are new with it. */
  add(fold: Fold): number {
    const { branch, model, thinkingLevel, activeTools, system } = fold;
    const values = [
      ...[branch, model?.provider ?? null, model?.modelId ?? null, thinkingLevel],
      ...[activeTools === null ? null : JSON.stringify(activeTools), system],
      ...[this.#addCompaction(fold.compactions), this.#addUncompact(fold.uncompacted)],
    ];
    const made = this.#database.statement(INSERT).run(this.#file, ...values, sealOf(values));
    return Number(made.lastInsertRowid);
  }

  #addCompaction(link: CompactionLink | null): number | null {
    if (link === null) return null;
    const known = rowOf.get(link);
    if (known !== undefined) return known;
    const previous = link.previous === null ? null : (rowOf.get(link.previous) as number);
    const made = this.#database
      .statement(
        "INSERT INTO compaction (file, entry, kept, previous, seal) VALUES (?, ?, ?, ?, ?)",
      )
      .run(
        this.#file,
        link.id,
        link.firstKeptEntryId,
        previous,
        sealOf([link.id, link.firstKeptEntryId, previous]),
      );
    rowOf.set(link, Number(made.lastInsertRowid));
    return Number(made.lastInsertRowid);
  }

  #addUncompact(link: UncompactLink | null): number | null {
    if (link === null) return null;
    const known = rowOf.get(link);
    if (known !== undefined) return known;
    const previous = link.previous === null ? null : (rowOf.get(link.previous) as number);
    const made = this.#database
      .statement(
        "INSERT INTO uncompact (file, compaction, off, previous, seal) VALUES (?, ?, ?, ?, ?)",
      )
      .run(
        this.#file,
        link.compaction,
        link.off ? 1 : 0,
        previous,
        sealOf([link.compaction, link.off ? 1 : 0, previous]),
      );
    rowOf.set(link, Number(made.lastInsertRowid));
    return Number(made.lastInsertRowid);
  }

  #compaction(id: number | null): CompactionLink | null {
    if (id === null) return null;
    const known = this.#compactions.get(id);
    if (known !== undefined) return known;
    const row = this.#database.row(
      "SELECT entry, kept, previous, seal FROM compaction WHERE id = ?",
      id,
    );
    checkSeal(row?.[3], row?.slice(0, 3) ?? []);
    const [entry, kept, previous] = row as unknown as [string, string | null, number | null];
    const link = new StoredCompaction(entry, kept, () => this.#compaction(previous));
    if (this.#compactions.size >= MAX_CACHED) this.#compactions.clear();
    this.#compactions.set(id, link);
    rowOf.set(link, id);
    return link;
  }

  #uncompact(id: number | null): UncompactLink | null {
    if (id === null) return null;
    const known = this.#uncompacts.get(id);
    if (known !== undefined) return known;
    const row = this.#database.row(
      "SELECT compaction, off, previous, seal FROM uncompact WHERE id = ?",
      id,
    );
    checkSeal(row?.[3], row?.slice(0, 3) ?? []);
    const [compaction, off, previous] = row as unknown as [string, number, number | null];
    const link = new StoredUncompact(compaction, off === 1, () => this.#uncompact(previous));
    if (this.#uncompacts.size >= MAX_CACHED) this.#uncompacts.clear();
    this.#uncompacts.set(id, link);
    rowOf.set(link, id);
    return link;
  }
}

type StateRow = readonly [
  string,
  string | null,
  string | null,
  string,
  string | null,
  string | null,
  number | null,
  number | null,
  number,
];

/** True where an entry needs no state of its own. */
export function sameState(a: Fold, b: Fold): boolean {
  const isSameModel =
    a.model === b.model ||
    (a.model !== null &&
      b.model !== null &&
      a.model.provider === b.model.provider &&
      a.model.modelId === b.model.modelId);
  return (
    isSameModel &&
    a.branch === b.branch &&
    a.thinkingLevel === b.thinkingLevel &&
    a.activeTools === b.activeTools &&
    a.system === b.system &&
    a.compactions === b.compactions &&
    a.uncompacted === b.uncompacted
  );
}
