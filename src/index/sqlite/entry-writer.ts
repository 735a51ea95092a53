import type { SessionHeader } from "../../entry/entry.ts";
import { activityOf, labelTexts, nameTitle } from "../../store/summary.ts";
import { addUsage, EMPTY_FOLD, type Fold, foldEntry, type UsageTotals } from "../../tree/fold.ts";
import type { IndexCounters } from "../session-index.ts";
import type { ScannedEntry } from "./entry-scanner.ts";
import type { FileRow } from "./file-rows.ts";
import type { IndexDatabase } from "./index-database.ts";
import { ROW_SPAN } from "./index-schema.ts";
import { IndexedBase } from "./indexed-base.ts";
import type { Kinds } from "./kinds.ts";
import { RollUp, usageOf } from "./roll-up.ts";
import { sealOf } from "./seal.ts";
import { EMPTY_SNAPSHOT, parseSnapshot, type Snapshot } from "./snapshot.ts";
import { States, sameState } from "./states.ts";
import { countBranches, type Placed, Tables } from "./tables.ts";

/** Thrown inside a transaction, which is then taken back: the file needs the whole reader. */
export class OddFile extends Error {}

/** An entry that later ones may hang under. */
interface Known extends Placed {
  readonly fold: Fold;
  readonly state: number;
  readonly usageAt: number;
  /** Ordinal of the parent, -1 = a root. */
  readonly parent: number;
}

const INSERT =
  "INSERT OR IGNORE INTO entry (rowid, file, id, start, length, line, kind, target, timestamp, state, messages, usage, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT_USAGE =
  "INSERT OR IGNORE INTO entry (rowid, file, id, start, length, line, kind, target, timestamp, state, messages, usage, input, output, cache_read, cache_write, cost, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** What an {@link EntryWriter} works on. */
export interface WriterSource {
  readonly database: IndexDatabase;
  readonly kinds: Kinds;
  readonly counters: IndexCounters;
  readonly header: SessionHeader;
  /** The session's first prompt, as a title, where it stands among these entries. */
  readonly prompt: string | null;
  /** The row as it stands, with `summary` and all. */
  readonly row: FileRow;
  /** The snapshot that belongs to the row; null for a file of which nothing is known. */
  readonly tables: string | null;
}

/**
 * Takes the entries of one batch into the index, inside one transaction: folds them with `foldEntry`
 * itself, writes their rows, and keeps the summary. Throws {@link OddFile} for what no sound file has.
 */
export class EntryWriter {
  readonly #source: WriterSource;
  readonly #base: IndexedBase;
  readonly #states: States;
  readonly #tables: Tables;
  readonly #rollUp: RollUp;
  readonly #added = new Map<string, Known>();
  readonly #inOrder: Known[] = [];
  /** Branches of what hangs under an ordinal, -1 = the roots; of places where the path parted. */
  readonly #parted = new Map<number, Set<string>>();
  #size: number;
  #last: Known | null = null;
  #leaf: Known | null = null;
  readonly #prompt: string | null;
  #messages: number;
  #lastMessage: string | null;
  #usage: UsageTotals;
  #diverged: boolean;
  #keyed: number;

  constructor(source: WriterSource) {
    const { database, kinds, counters, header, prompt, row, tables } = source;
    const snapshot = tables === null ? EMPTY_SNAPSHOT : parseSnapshot(tables);
    const { summary } = row;
    this.#source = source;
    this.#size = summary.entries;
    const base = { database, kinds, counters, file: row.id, path: row.path, size: this.#size };
    this.#base = new IndexedBase({ ...base, snapshot: () => snapshot });
    this.#states = new States(database, row.id);
    this.#tables = new Tables(header.id, snapshot);
    this.#rollUp = new RollUp(header);
    this.#prompt = row.prompt ?? prompt;
    this.#messages = summary.messages;
    this.#lastMessage = row.lastMessage;
    this.#usage = summary.usage;
    this.#diverged = summary.diverged;
    this.#keyed = row.keyed;
    if (this.#size > 0) this.#last = this.#stored(this.#base.at(this.#size - 1)?.id ?? null);
    if (summary.leaf !== null) this.#leaf = this.#known(summary.leaf);
  }

  /** Takes the next entry in file order. */
  add(scanned: ScannedEntry): void {
    const { entry } = scanned;
    const parent = entry.parentId === null ? null : this.#known(entry.parentId);
    if (parent === null && entry.parentId !== null) throw new OddFile("a parent is missing");
    const above = parent?.fold ?? EMPTY_FOLD;
    const fold = foldEntry(above, entry, this.#source.header.id);
    const ordinal = this.#size++;
    const hasUsage = fold.usage !== above.usage;
    const at: Known = {
      id: entry.id,
      ordinal,
      branch: fold.branch,
      isMove: entry.type === "leaf",
      fold,
      state: parent !== null && sameState(fold, above) ? parent.state : this.#states.add(fold),
      usageAt: hasUsage ? ordinal : (parent?.usageAt ?? -1),
      parent: parent?.ordinal ?? -1,
    };
    this.#insert(scanned, at, hasUsage);
    if (at.parent !== ordinal - 1 || ordinal === 0) this.#startRun(at);
    if (at.parent !== ordinal - 1) this.#part(at);
    this.#added.set(at.id, at);
    this.#inOrder.push(at);
    this.#last = at;
    this.#leaf = this.#leafOf(scanned, at);
    if (!at.isMove) this.#continue(parent);
    this.#tables.add(at, entry, this.#leaf);
    this.#rollUp.add(scanned, fold.model);
    this.#tally(scanned);
  }

  /** The row and snapshot as of the last entry; writes the roll-ups. */
  finish(): { readonly row: FileRow; readonly snapshot: Snapshot } {
    const { database, row } = this.#source;
    const rolled = (row.rolled ^ this.#rollUp.flush(database, row.id)) >>> 0;
    const snapshot = this.#tables.snapshot();
    const { name } = snapshot;
    const { created } = row.summary;
    const lastMessage = this.#lastMessage;
    const summary = {
      ...row.summary,
      name,
      title: nameTitle(name) ?? this.#prompt,
      entries: this.#size,
      messages: this.#messages,
      branches: countBranches(snapshot, this.#leaf?.branch ?? "main"),
      leaf: this.#leaf?.id ?? null,
      labels: labelTexts(snapshot.labels),
      diverged: this.#diverged,
      modified: activityOf({ created, lastMessage }, database.now),
      usage: this.#usage,
    };
    const leafOrdinal = this.#leaf?.ordinal ?? null;
    const told = { prompt: this.#prompt, lastMessage, leafOrdinal, keyed: this.#keyed, rolled };
    return { row: { ...row, ...told, summary }, snapshot };
  }

  #tally(scanned: ScannedEntry): void {
    const { entry, role } = scanned;
    this.#usage = addUsage(this.#usage, usageOf(entry));
    if (role === null) return;
    this.#messages++;
    if (entry.timestamp !== "") this.#lastMessage = entry.timestamp;
  }

  #insert(scanned: ScannedEntry, at: Known, hasUsage: boolean): void {
    const { database, kinds, counters, row } = this.#source;
    const { entry, role, customType, toolName: tool, targetId, start, end, line } = scanned;
    const { ordinal, fold, state, usageAt } = at;
    const kind = kinds.idOf({ type: entry.type, role, customType, tool });
    const rowid = row.id * ROW_SPAN + ordinal;
    const distance = usageAt === -1 ? null : ordinal - usageAt;
    const from = line - ordinal - 2;
    const { input, output, cacheRead, cacheWrite, cost } = fold.usage;
    const totals = [input, output, cacheRead, cacheWrite, cost];
    const told = [entry.id, start, end - start, from, entry.type, role, customType, targetId];
    told.push(entry.timestamp, state, fold.messages, distance, at.parent, fold.depth);
    if (hasUsage) told.push(...totals);
    const seal = sealOf(told);
    const { changes } = hasUsage
      ? database
          .statement(INSERT_USAGE)
          .run(
            rowid,
            row.id,
            entry.id,
            start,
            end - start,
            from,
            kind,
            targetId,
            entry.timestamp,
            state,
            fold.messages,
            distance,
            ...totals,
            seal,
          )
      : database
          .statement(INSERT)
          .run(
            rowid,
            row.id,
            entry.id,
            start,
            end - start,
            from,
            kind,
            targetId,
            entry.timestamp,
            state,
            fold.messages,
            distance,
            seal,
          );
    if (changes !== 1) throw new OddFile("an id stands for the second time");
    if (scanned.key !== null) {
      database.run("INSERT INTO idempotency VALUES (?, ?, ?)", row.id, scanned.key, ordinal);
      this.#keyed = (this.#keyed ^ sealOf([scanned.key, ordinal])) >>> 0;
    }
    counters.rowsWritten++;
  }

  #startRun(at: Known): void {
    const { database, row } = this.#source;
    const rowid = row.id * ROW_SPAN + at.ordinal;
    const sql = "INSERT INTO run (rowid, parent, depth) VALUES (?, ?, ?)";
    database.run(sql, rowid, at.parent, at.fold.depth);
  }

  /** Notices an entry beside an older one of the same branch; see `isDiverged` of the store. */
  #part(at: Known): void {
    if (this.#diverged || at.isMove) return;
    const branches = this.#parted.get(at.parent) ?? this.#branchesUnder(at.parent);
    this.#parted.set(at.parent, branches);
    this.#diverged = branches.has(at.branch);
    branches.add(at.branch);
  }

  /** Asked at the first part at a place in this batch: of the batch itself only the next entry may hang there. */
  #branchesUnder(ordinal: number): Set<string> {
    const known = this.#base.size === 0 ? [] : this.#base.runs.childrenOf(ordinal);
    const next = this.#inOrder[ordinal + 1 - this.#base.size];
    const children = [
      ...known.map((child) => this.#at(child)),
      next?.parent === ordinal ? next : null,
    ];
    return new Set(
      children.flatMap((child) => (child === null || child.isMove ? [] : [child.branch])),
    );
  }

  /** An old leaf entry stands for its target. */
  #leafOf(scanned: ScannedEntry, at: Known): Known | null {
    if (!at.isMove) return at;
    const { targetId } = scanned;
    if (targetId === null) return null;
    const target = this.#known(targetId);
    // It may stand further down, where only the whole reader finds it.
    if (target === null) throw new OddFile("a leaf entry names what is not there");
    return target;
  }

  #continue(parent: Known | null): void {
    for (let up = parent; up !== null; up = this.#at(up.parent)) {
      this.#tables.continued(up.ordinal);
      if (!up.isMove) return;
    }
  }

  #known(id: string): Known | null {
    if (this.#last?.id === id) return this.#last;
    return this.#added.get(id) ?? this.#stored(id);
  }

  #at(ordinal: number): Known | null {
    const id = ordinal < this.#base.size ? this.#base.at(ordinal)?.id : undefined;
    if (id !== undefined) return this.#stored(id);
    return this.#inOrder[ordinal - this.#base.size] ?? null;
  }

  #stored(id: string | null): Known | null {
    const at = id === null ? undefined : this.#base.get(id);
    if (at === undefined) return null;
    const { ordinal, isMove, fold, state, usageAt } = at;
    const parent = this.#base.runs.parentOf(ordinal);
    return { id: at.id, ordinal, branch: fold.branch, isMove, fold, state, usageAt, parent };
  }
}
