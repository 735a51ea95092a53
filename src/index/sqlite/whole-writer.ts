import type { Entry } from "../../entry/entry.ts";
import { BranchlineError } from "../../errors.ts";
import { identityOf, stampOf } from "../../io/file-stamp.ts";
import type { FileStat } from "../../io/file-system.ts";
import { summarize } from "../../store/summary.ts";
import { traitsOf } from "../../tree/structure-scanner.ts";
import type { WholeSession } from "../whole-session.ts";
import type { CatchUpTools } from "./catch-up-tools.ts";
import { emptySummary, type FileRow, findFile, isFresh, newFileId, saveFile } from "./file-rows.ts";
import { ROW_SPAN } from "./index-schema.ts";
import { RollUp } from "./roll-up.ts";
import { sealOf } from "./seal.ts";

/** Entries of one transaction at most. */
const BATCH_ENTRIES = 20_000;

/** A file that is unusual, or no session at all. */
export interface OddSource {
  readonly path: string;
  /** As it was before it was read, so that a later change is noticed. */
  readonly stat: FileStat;
  readonly read: () => Promise<WholeSession>;
  readonly signal: AbortSignal | undefined;
}

/**
 * The rows of a file that the scanner cannot take: what a list and the full text need, from the reader
 * that can read everything. Such a session has no tree base; whoever opens it reads it whole. A file
 * that is no session gets a row too, so that it is not looked at again before it changes.
 */
export async function writeWhole(tools: CatchUpTools, source: OddSource): Promise<void> {
  const { counters } = tools;
  counters.filesReadWhole++;
  counters.bytesRead += source.stat.size;
  let whole: WholeSession | null = null;
  let reason: string | null = null;
  try {
    whole = await source.read();
  } catch (error) {
    if (!BranchlineError.is(error, "SESSION_INVALID")) throw error;
    reason = error.fields.reason;
  }
  await new WholeWriter(tools, source, whole).run(reason);
}

class WholeWriter {
  readonly #tools: CatchUpTools;
  readonly #source: OddSource;
  readonly #whole: WholeSession | null;

  constructor(tools: CatchUpTools, source: OddSource, whole: WholeSession | null) {
    this.#tools = tools;
    this.#source = source;
    this.#whole = whole;
  }

  async run(reason: string | null): Promise<void> {
    const { database, kinds } = this.#tools;
    const { signal } = this.#source;
    try {
      const row = await database.transaction(() => this.#start(reason), signal);
      if (row === null || this.#whole === null) return;
      const rollUp = new RollUp(this.#whole.header);
      let batch: Entry[] = [];
      let ordinal = 0;
      const write = async (): Promise<void> => {
        const entries = batch;
        const from = ordinal - entries.length;
        batch = [];
        await database.transaction(() => this.#rows(row, entries, { from, rollUp }), signal);
      };
      for (const entry of this.#whole.entries) {
        batch.push(entry);
        ordinal++;
        if (batch.length === BATCH_ENTRIES) await write();
      }
      await write();
      await database.transaction(() => this.#finish(row, rollUp), signal);
    } catch (error) {
      kinds.forget();
      throw error;
    }
  }

  /** The row as it is until all is written; null where another process has done it meanwhile. */
  #start(reason: string | null): FileRow | null {
    const { database } = this.#tools;
    const { path, stat } = this.#source;
    const present = findFile(database, path);
    if (present !== undefined && isFresh(present, stampOf(stat))) return null;
    if (present !== undefined) database.forget(present.id);
    const whole = this.#whole;
    const row: FileRow = {
      id: newFileId(database),
      path,
      identity: identityOf(stat),
      size: whole === null ? stat.size : -1,
      mtimeMs: stat.mtimeMs,
      known: stat.size,
      line: 1,
      fingerprint: new Uint8Array(0),
      sound: false,
      reason,
      header: whole === null ? null : JSON.stringify(whole.header),
      prompt: null,
      leafOrdinal: null,
      lastMessage: null,
      keyed: 0,
      rolled: 0,
      summary: emptySummary(path, whole?.header ?? null),
    };
    saveFile(database, row);
    return row;
  }

  /** Another process may have replaced the row meanwhile; then it does the rest. */
  #isOurs(row: FileRow): boolean {
    return findFile(this.#tools.database, row.path)?.id === row.id;
  }

  #rows(
    row: FileRow,
    entries: readonly Entry[],
    { from, rollUp }: { readonly from: number; readonly rollUp: RollUp },
  ): void {
    if (!this.#isOurs(row)) return;
    const { database, kinds, counters } = this.#tools;
    const insert = database.statement(
      "INSERT OR IGNORE INTO entry (rowid, file, id, start, length, line, kind, target, timestamp, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    const whole = this.#whole as WholeSession;
    for (const [index, entry] of entries.entries()) {
      const ordinal = from + index;
      const { role, customType, targetId, toolName } = traitsOf(entry);
      const kind = kinds.idOf({ type: entry.type, role, customType, tool: toolName });
      const place = whole.placeOf(entry.id) ?? { line: 0, byteStart: 0, byteEnd: 0 };
      const { line, byteStart, byteEnd } = place;
      const rowid = row.id * ROW_SPAN + ordinal;
      const length = byteEnd - byteStart;
      const distance = line - ordinal - 2;
      insert.run(
        rowid,
        row.id,
        entry.id,
        byteStart,
        length,
        distance,
        kind,
        targetId,
        entry.timestamp,
        sealOf([entry.id, byteStart, length, distance]),
      );
      counters.rowsWritten++;
      const at = whole.tree.at(ordinal);
      const parent = at?.parent?.ordinal ?? -1;
      if (ordinal === 0 || parent !== ordinal - 1) {
        const sql = "INSERT INTO run (rowid, parent, depth) VALUES (?, ?, ?)";
        database.run(sql, rowid, parent, at?.fold.depth ?? 1);
      }
      const scanned = { entry, role, customType, targetId, toolName, start: 0, end: 0, line };
      rollUp.add({ ...scanned, key: null }, at?.fold.model ?? null);
    }
  }

  #finish(row: FileRow, rollUp: RollUp): void {
    if (!this.#isOurs(row)) return;
    const { database } = this.#tools;
    const { path, stat } = this.#source;
    const { header, tree, entries, bytes } = this.#whole as WholeSession;
    const rolled = rollUp.flush(database, row.id);
    const summary = {
      ...summarize({ header, tree, entries, file: path, bytes, now: database.now }),
      path,
    };
    const leaf = summary.leaf === null ? undefined : tree.get(summary.leaf);
    const leafOrdinal = leaf?.ordinal ?? null;
    saveFile(database, { ...row, size: stat.size, leafOrdinal, rolled, summary });
  }
}
