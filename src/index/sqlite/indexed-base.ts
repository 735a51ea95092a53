import type { LinePlace } from "../../entry/problem.ts";
import { BranchlineError } from "../../errors.ts";
import { ioFailed } from "../../io/io-failure.ts";
import { EMPTY_FOLD, type Fold, type UsageTotals } from "../../tree/fold.ts";
import type { BaseBranch, BaseMark, BaseTip, SearchableBase } from "../../tree/tree-base.ts";
import type { LabelInfo, TreeEntry } from "../../tree/tree-entry.ts";
import type { IndexCounters, LineStretch } from "../session-index.ts";
import type { IndexDatabase } from "./index-database.ts";
import { ROW_SPAN } from "./index-schema.ts";
import type { Kinds } from "./kinds.ts";
import { RunTable } from "./run-table.ts";
import { checkSeal, DamagedRow, sealOf } from "./seal.ts";
import type { Snapshot } from "./snapshot.ts";
import { States } from "./states.ts";

/** Entries that are read and kept together. */
const PAGE = 32;
/** Pages kept: 16,384 entries. */
const MAX_PAGES = 512;
/** Entries kept that were asked for one by one. */
const MAX_SINGLE = 1024;

const COLUMNS =
  "id, start, length, line, kind, target, timestamp, state, messages, usage, input, output, cache_read, cache_write, cost, seal";

/** Ids that a base does not find, each looked for in the rows; the next one makes it compare them all. */
const MAX_MISSES = 8;
const ROWS = "FROM entry NOT INDEXED WHERE rowid >= ? AND rowid < ?";
const LOOK_UP =
  "(SELECT 1 FROM entry AS known INDEXED BY entry_id WHERE known.file = ? AND known.id = entry.id)";

type EntryRow = readonly [
  string,
  number,
  number,
  number,
  number,
  string | null,
  string,
  number | null,
  number | null,
  number | null,
  number,
  number,
  number,
  number,
  number,
  number,
];

/** Of which entries a base is. */
export interface BaseSource {
  readonly database: IndexDatabase;
  readonly kinds: Kinds;
  readonly counters: IndexCounters;
  readonly file: number;
  readonly path: string;
  readonly snapshot: () => Snapshot;
  /** Told before the error of a damaged database goes out, so that the next question builds it anew. */
  readonly onDamage?: () => void;
  readonly size: number;
}

/** An entry of an {@link IndexedBase}. Parent and fold are read when they are asked for. */
export class IndexedEntry implements TreeEntry {
  readonly id: string;
  readonly gap = null;
  readonly type: string;
  readonly role: string | null;
  readonly customType: string | null;
  readonly targetId: string | null;
  readonly timestamp: string;
  readonly isMove: boolean;
  readonly ordinal: number;
  /** Row of the fold's state. */
  readonly state: number;
  /** Ordinal of the entry that holds the usage of the path, -1 = none does. */
  readonly usageAt: number;
  readonly #base: IndexedBase;
  readonly #messages: number;
  #fold: Fold | null = null;

  constructor(base: IndexedBase, row: EntryRow, ordinal: number) {
    this.#base = base;
    const kind = base.source.kinds.get(row[4]);
    this.id = row[0];
    this.type = kind.type;
    this.role = kind.role;
    this.customType = kind.customType;
    this.targetId = row[5];
    this.timestamp = row[6];
    this.isMove = kind.type === "leaf";
    this.ordinal = ordinal;
    this.state = Number(row[7]);
    this.#messages = Number(row[8]);
    this.usageAt = row[9] === null ? -1 : ordinal - row[9];
  }

  get parent(): IndexedEntry | null {
    return this.#base.parentOf(this.ordinal);
  }

  get storedParentId(): string | null {
    return this.parent?.id ?? null;
  }

  get fold(): Fold {
    this.#fold ??= this.#base.foldOf(this, this.#messages);
    return this.#fold;
  }
}

interface Page {
  readonly rows: readonly EntryRow[];
  readonly entries: IndexedEntry[];
}

/**
 * The entries of a sound session as rows of the index. Reads pages of rows and forgets the oldest, so
 * that memory does not grow with the session. Throws FILE_REPLACED where another process has removed
 * the rows because the file is another one now, IO_FAILED where the database cannot be read.
 */
export class IndexedBase implements SearchableBase {
  readonly size: number;
  readonly source: BaseSource;
  readonly #states: States;
  readonly #first: number;
  readonly #pages = new Map<number, Page>();
  /** Entries whose page was not asked for: what compactions keep from, for one, stands far apart. */
  readonly #single = new Map<number, IndexedEntry>();
  /** Of the entries that were made and are kept. */
  readonly #ordinals = new Map<string, number>();
  #runs: RunTable | null = null;
  #misses = 0;
  #isKeyed = false;

  constructor(source: BaseSource) {
    this.source = source;
    this.size = source.size;
    this.#first = source.file * ROW_SPAN;
    this.#states = new States(source.database, source.file);
  }

  get branches(): readonly BaseBranch[] {
    return this.source.snapshot().branches;
  }

  get marks(): readonly BaseMark[] {
    return this.source.snapshot().marks;
  }

  get labels(): readonly LabelInfo[] {
    return this.source.snapshot().labels;
  }

  get name(): string | null {
    return this.source.snapshot().name;
  }

  /** The shape of the tree. */
  get runs(): RunTable {
    const { database, file } = this.source;
    this.#runs ??= this.#read(() => new RunTable(database, file, this.size));
    return this.#runs;
  }

  tips(): readonly BaseTip[] {
    return this.source.snapshot().tips;
  }

  get(id: string): IndexedEntry | undefined {
    const ordinal = this.ordinalOf(id);
    if (ordinal === undefined) return undefined;
    const isPaged = this.#pages.has(Math.floor(ordinal / PAGE));
    const found = isPaged ? this.at(ordinal) : this.#alone(ordinal);
    this.#read(() => {
      if (found?.id !== id) throw new DamagedRow("an id leads to another entry");
    });
    return found;
  }

  at(ordinal: number): IndexedEntry | undefined {
    if (ordinal < 0 || ordinal >= this.size) return undefined;
    const page = this.#page(Math.floor(ordinal / PAGE));
    const index = ordinal % PAGE;
    const known = page.entries[index];
    if (known !== undefined) return known;
    const made = this.#made(page.rows[index] as EntryRow, ordinal);
    page.entries[index] = made;
    this.#ordinals.set(made.id, ordinal);
    return made;
  }

  children(id: string | null): readonly TreeEntry[] {
    const ordinal = id === null ? -1 : this.ordinalOf(id);
    if (ordinal === undefined) return [];
    return this.runs.childrenOf(ordinal).map((child) => this.at(child) as TreeEntry);
  }

  commonAncestor(a: string, b: string): TreeEntry | null {
    const left = this.ordinalOf(a) ?? -1;
    const right = this.ordinalOf(b) ?? -1;
    return this.at(this.runs.meet(left, right)) ?? null;
  }

  withPrefix(prefix: string, limit: number): readonly string[] {
    const { database, file } = this.source;
    const rows = this.#read(() =>
      database.rows(
        "SELECT id FROM entry WHERE file = ? AND id >= ? AND substr(id, 1, ?) = ? AND rowid < ? ORDER BY rowid LIMIT ?",
        file,
        prefix,
        // SQLite counts code points.
        Array.from(prefix).length,
        prefix,
        this.#first + this.size,
        limit,
      ),
    );
    return rows.map(([id]) => id as string);
  }

  customOrdinals(customTypes: readonly string[], from: number, to: number): readonly number[] {
    const { database } = this.source;
    const first = this.#first + from;
    const end = this.#first + Math.min(to, this.size);
    // One pass over narrow rows: an index for it would cost every append of every session.
    const sql = `SELECT rowid FROM entry WHERE rowid >= ? AND rowid < ? AND kind IN (
      SELECT id FROM kind WHERE custom_type IN (SELECT value FROM json_each(?))) ORDER BY rowid`;
    const wanted = JSON.stringify(customTypes);
    const rows = this.#read(() => database.rows(sql, first, end, wanted));
    // Nothing found and nothing there are different answers.
    const count = "SELECT count(*) FROM entry WHERE rowid >= ? AND rowid < ?";
    const present = this.#read(() => database.row(count, first, end));
    if (Number(present?.[0]) !== end - first) throw this.#gone();
    return rows.map(([rowid]) => Number(rowid) - this.#first);
  }

  /** Place in file order, or undefined. */
  ordinalOf(id: string): number | undefined {
    const kept = this.#ordinals.get(id);
    if (kept !== undefined) return kept;
    const { database, file } = this.source;
    const row = this.#read(() =>
      database.row("SELECT rowid FROM entry WHERE file = ? AND id = ?", file, id),
    );
    const ordinal = row === undefined ? this.size : Number(row[0]) - this.#first;
    if (ordinal >= 0 && ordinal < this.size) return ordinal;
    this.#checkFree(id);
    return undefined;
  }

  /** The entry's line, or null. */
  placeOf(id: string): LinePlace | null {
    const ordinal = this.ordinalOf(id);
    if (ordinal === undefined) return null;
    const row = this.#page(Math.floor(ordinal / PAGE)).rows[ordinal % PAGE] as EntryRow;
    const [stored, byteStart, length, line] = row;
    this.#read(() => {
      if (stored !== id) throw new DamagedRow("an id leads to another entry");
      if (row[7] === null) checkSeal(row[15], [stored, byteStart, length, line]);
      else this.at(ordinal);
    });
    return { line: line + ordinal + 2, byteStart, byteEnd: byteStart + length };
  }

  /** Where the lines of the path to an entry stand, root first; null for an id that is not known. */
  stretchesTo(id: string): readonly LineStretch[] | null {
    const ordinal = this.ordinalOf(id);
    if (ordinal === undefined) return null;
    return this.runs.pathTo(ordinal).map(({ first, last }) => {
      const [byteStart] = this.#bytesOf(first);
      const [start, length] = this.#bytesOf(last);
      return { first, count: last - first + 1, byteStart, byteEnd: start + length };
    });
  }

  /** Ids of the entries with an idempotency key, in file order. */
  idsOfKey(key: string): readonly string[] {
    const { database, file } = this.source;
    this.#checkKeys();
    const sql =
      "SELECT ordinal FROM idempotency WHERE file = ? AND key = ? AND ordinal < ? ORDER BY ordinal";
    const rows = this.#read(() => database.rows(sql, file, key, this.size));
    return rows.map(([ordinal]) => (this.at(Number(ordinal)) as IndexedEntry).id);
  }

  /** The entry above, null for a root. */
  parentOf(ordinal: number): IndexedEntry | null {
    return this.at(this.runs.parentOf(ordinal)) ?? null;
  }

  /** The fold of an entry of this base. */
  foldOf({ ordinal, state, usageAt }: IndexedEntry, messages: number): Fold {
    const run = this.runs.of(ordinal);
    const stored = this.#read(() => this.#states.get(state));
    const depth = run.depth + ordinal - run.first;
    return { depth, ...stored, messages, usage: this.#usage(usageAt) };
  }

  /**
   * A look-up tree that lost an id would make its entry vanish, and no seal is met: what it does not find
   * is looked for in the rows (0.7 ms for 14,000 of them). Nobody asks so in a row of appends, but whoever
   * follows a foreign writer does: after some times the tree is compared with the rows as a whole.
   */
  #checkFree(id: string): void {
    if (this.#misses > MAX_MISSES) return;
    const { database, file } = this.source;
    const isLast = this.#misses++ === MAX_MISSES;
    const [from, to] = [this.#first, this.#first + this.size];
    const lost = this.#read(() =>
      isLast
        ? database.row(`SELECT 1 ${ROWS} AND NOT EXISTS ${LOOK_UP} LIMIT 1`, from, to, file)
        : database.row(`SELECT 1 ${ROWS} AND id = ?`, from, to, id),
    );
    this.#read(() => {
      if (lost !== undefined) throw new DamagedRow("the look-up tree has lost an id");
    });
  }

  /** A key that is lost would let a retry write twice: all of them are summed up once, before the first answer. */
  #checkKeys(): void {
    if (this.#isKeyed) return;
    const { database, file } = this.source;
    this.#read(() => {
      const row = database.row("SELECT keyed FROM file WHERE id = ?", file);
      const keys = database.rows("SELECT key, ordinal FROM idempotency WHERE file = ?", file);
      const sum = keys.reduce((before, pair) => before ^ sealOf(pair), 0);
      // No row: another process has removed it, which whoever reads an entry is told.
      if (row !== undefined && row[0] !== sum >>> 0) throw new DamagedRow("a key is lost");
    });
    this.#isKeyed = true;
  }

  /** Every value that the entry answers with is under its seal, the place in the tree too. */
  #check({ type, role, customType, ordinal }: IndexedEntry, row: EntryRow): void {
    const run = this.runs.of(ordinal);
    const parent = ordinal === run.first ? run.parent : ordinal - 1;
    const depth = run.depth + ordinal - run.first;
    // By place, not by a pattern, which is an iterator: the first entries are made before this is compiled.
    const told = [row[0], row[1], row[2], row[3], type, role, customType, row[5], row[6], row[7]];
    told.push(row[8], row[9], parent, depth);
    if (row[9] === 0) told.push(row[10], row[11], row[12], row[13], row[14]);
    checkSeal(row[15], told);
  }

  #usage(ordinal: number): UsageTotals {
    if (ordinal === -1) return EMPTY_FOLD.usage;
    this.at(ordinal);
    const row = this.#page(Math.floor(ordinal / PAGE)).rows[ordinal % PAGE] as EntryRow;
    const [input, output, cacheRead, cacheWrite, cost] = row.slice(10) as unknown as Totals;
    return { input, output, cacheRead, cacheWrite, cost };
  }

  /** Begin and length of a line. */
  #bytesOf(ordinal: number): readonly [number, number] {
    const [row] = this.#rows(ordinal, ordinal + 1) as readonly [EntryRow];
    this.#made(row, ordinal);
    return [row[1], row[2]];
  }

  #made(row: EntryRow, ordinal: number): IndexedEntry {
    return this.#read(() => {
      const made = new IndexedEntry(this, row, ordinal);
      this.#check(made, row);
      return made;
    });
  }

  /** Reads one row where a page would be read for one entry of it. */
  #alone(ordinal: number): IndexedEntry {
    const known = this.#single.get(ordinal);
    if (known !== undefined) return known;
    if (this.#single.size >= MAX_SINGLE) this.#single.clear();
    const [row] = this.#rows(ordinal, ordinal + 1);
    const made = this.#made(row as EntryRow, ordinal);
    this.#single.set(ordinal, made);
    return made;
  }

  #page(number: number): Page {
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    const first = number * PAGE;
    const page = { rows: this.#rows(first, Math.min(first + PAGE, this.size)), entries: [] };
    if (this.#pages.size >= MAX_PAGES) {
      for (const [oldest, { entries }] of this.#pages) {
        this.#pages.delete(oldest);
        // A page has holes where nobody asked.
        entries.forEach(({ id }) => {
          this.#ordinals.delete(id);
        });
        break;
      }
    }
    this.#pages.set(number, page);
    return page;
  }

  #rows(from: number, to: number): readonly EntryRow[] {
    const { database, counters } = this.source;
    const sql = `SELECT ${COLUMNS} FROM entry WHERE rowid >= ? AND rowid < ? ORDER BY rowid`;
    const rows = this.#read(() => database.rows(sql, this.#first + from, this.#first + to));
    counters.rowsRead += rows.length;
    if (rows.length === to - from) return rows as unknown as readonly EntryRow[];
    throw this.#gone();
  }

  /** The error of rows that are not there: another process has removed them, or the database is damaged. */
  #gone(): BranchlineError<"IO_FAILED"> {
    const { database, path } = this.source;
    this.#read(() => {
      const isThere = database.row("SELECT 1 FROM file WHERE id = ?", this.source.file);
      if (isThere !== undefined) throw new DamagedRow("rows are missing");
    });
    return new BranchlineError(
      "IO_FAILED",
      { operation: "index", path, errno: "ESTALE" },
      {
        message: `What the index knew of ${path} is gone: the file was replaced or rewritten.`,
        hint: "Open the session again.",
      },
    );
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (BranchlineError.is(cause)) throw cause;
      this.source.onDamage?.();
      throw ioFailed({ operation: "index", path: this.source.database.path }, "SQLITE", cause);
    }
  }
}

type Totals = readonly [number, number, number, number, number];
