import { crc32 } from "node:zlib";
import type { SessionHeader } from "../../entry/entry.ts";
import type { FileStamp } from "../../io/file-stamp.ts";
import { agentOf } from "../../store/summary.ts";
import type { UsageTotals } from "../../tree/fold.ts";
import type { IndexedSummary, UsageRow } from "../session-index.ts";
import type { IndexDatabase, Row } from "./index-database.ts";
import { checkSeal, DamagedRow, sealOf } from "./seal.ts";

/** A row of `file`. */
export interface FileRow extends FileStamp {
  readonly id: number;
  readonly path: string;
  /** -1 while a scan is under way. */
  readonly size: number;
  readonly known: number;
  readonly line: number;
  readonly fingerprint: Uint8Array;
  readonly sound: boolean;
  /** Why it is no session, or null. */
  readonly reason: string | null;
  readonly header: string | null;
  readonly prompt: string | null;
  readonly leafOrdinal: number | null;
  /** Timestamp of the last message that has one, as it is written. */
  readonly lastMessage: string | null;
  /** Check sum of the idempotency keys: the seals of key and ordinal, by exclusive or. */
  readonly keyed: number;
  /** Check sum of the roll-ups: their seals, by exclusive or. */
  readonly rolled: number;
  readonly summary: IndexedSummary;
}

const COLUMNS = [
  "id",
  "path",
  "identity",
  "size",
  "mtime",
  "known",
  "line",
  "fingerprint",
  "sound",
  "reason",
  "header",
  "session",
  "agent",
  "cwd",
  "created",
  "name",
  "prompt",
  "title",
  "entries",
  "messages",
  "branches",
  "leaf",
  "leaf_ordinal",
  "modified",
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cost",
  "last_message",
  "labels",
  "diverged",
  "keyed",
  "rolled",
  "seal",
] as const;

/** For SELECT. */
export const FILE_COLUMNS: string = COLUMNS.map((name) => `file.${name}`).join(", ");

/**
 * For a SELECT of summaries: one text and its seal instead of two dozen cells, each of which costs as much
 * as the parse of a small text (T8). The columns beside it are for filters and sorts.
 */
export const SUMMARY_COLUMNS = "file.listed, file.listed_seal";

const WRITTEN = [...COLUMNS, "listed", "listed_seal"];

const UPSERT = `INSERT INTO file (${WRITTEN.join(", ")}) VALUES (${WRITTEN.map(() => "?").join(", ")})
  ON CONFLICT (id) DO UPDATE SET ${WRITTEN.slice(1)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")}`;

/** True where nothing changed since the row was written. */
export function isFresh(row: FileStamp, present: FileStamp): boolean {
  const { size, mtimeMs, identity } = present;
  return row.size === size && row.mtimeMs === mtimeMs && row.identity === identity;
}

/** The row of a path. */
export function findFile(database: IndexDatabase, path: string): FileRow | undefined {
  const row = database.row(`SELECT ${FILE_COLUMNS} FROM file WHERE path = ?`, path);
  return row === undefined ? undefined : toFileRow(row);
}

/** A row and the snapshot of the same moment. */
export function findWithSnapshot(
  database: IndexDatabase,
  path: string,
): { readonly row: FileRow; readonly tables: string | null } | undefined {
  const sql = `SELECT ${FILE_COLUMNS}, tables, snapshot.seal FROM file LEFT JOIN snapshot ON snapshot.file = file.id WHERE path = ?`;
  const row = database.row(sql, path);
  if (row === undefined) return undefined;
  const found = toFileRow(row);
  const tables = row[COLUMNS.length] as string | null;
  if (tables !== null) checkSeal(row[COLUMNS.length + 1], [found.header, tables]);
  else if (found.sound && found.size >= 0) throw new DamagedRow("a snapshot is missing");
  return { row: found, tables };
}

/** Writes a row; a new one has the id that {@link newFileId} gave. */
export function saveFile(database: IndexDatabase, row: FileRow): void {
  const { summary } = row;
  const isSession = row.reason === null;
  const { usage } = summary;
  const listed = listedText(row, { ...summary, id: isSession ? summary.id : "", bytes: row.size });
  database.run(
    UPSERT,
    row.id,
    row.path,
    row.identity,
    row.size,
    row.mtimeMs,
    row.known,
    row.line,
    row.fingerprint,
    row.sound ? 1 : 0,
    row.reason,
    row.header,
    isSession ? summary.id : null,
    summary.agent,
    summary.cwd,
    summary.created,
    summary.name,
    row.prompt,
    summary.title,
    summary.entries,
    summary.messages,
    summary.branches,
    summary.leaf,
    row.leafOrdinal,
    summary.modified,
    usage.input,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    usage.cost,
    row.lastMessage,
    JSON.stringify(summary.labels),
    summary.diverged ? 1 : 0,
    row.keyed,
    row.rolled,
    sealOf(sealed(row)),
    listed,
    crc32(listed),
  );
}

/** An id that no row had before, so that rows of a file that was replaced are never taken for new ones. */
export function newFileId(database: IndexDatabase): number {
  const row = database.row("SELECT seq FROM sqlite_sequence WHERE name = 'file'");
  return row === undefined ? 1 : Number(row[0]) + 1;
}

/** What of a row is trusted; all else is compared with the file. */
function sealed(row: FileRow): readonly unknown[] {
  const { id, path, size, known, line, sound, reason, leafOrdinal, summary } = row;
  const { header, prompt, lastMessage, keyed, rolled } = row;
  const { usage, bytes: _size, labels, ...told } = summary;
  const place = [id, path, size, known, line, sound, reason, leafOrdinal];
  place.push(header, prompt, lastMessage, keyed, rolled);
  return [...place, ...Object.values(told), ...Object.values(usage), JSON.stringify(labels)];
}

/** Writes the snapshot that belongs to a row. */
export function saveSnapshot(database: IndexDatabase, row: FileRow, tables: string): void {
  const seal = sealOf([row.header, tables]);
  database.run("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?)", row.id, tables, seal);
}

/**
 * A summary as text, and what a roll-up asks of the file besides. A list without names is read twice as fast as
 * an object with them.
 */
function listedText({ header, rolled }: FileRow, summary: IndexedSummary): string {
  const { usage, id, path, agent, cwd, name, title, entries, messages, branches } = summary;
  const { leaf, labels, diverged, created, modified, bytes } = summary;
  const { input, output, cacheRead, cacheWrite, cost } = usage;
  const told = [id, path, agent, cwd, name, title, entries, messages, branches, leaf, created];
  const more = [modified, bytes, input, output, cacheRead, cacheWrite, cost, labels, diverged];
  const { parentSession = null } = (header === null ? {} : JSON.parse(header)) as {
    readonly parentSession?: string;
  };
  return JSON.stringify([...told, ...more, parentSession, rolled]);
}

/** Reads the columns of {@link SUMMARY_COLUMNS}. Throws DamagedRow where they are not what was written. */
export function toSummary(row: Row): IndexedSummary {
  // By index, in one object: taking the list apart by pattern takes as long as parsing it (T8).
  const cells = listedCells(row);
  return {
    id: cells[0],
    path: cells[1],
    agent: cells[2],
    cwd: cells[3],
    name: cells[4],
    title: cells[5],
    entries: cells[6],
    messages: cells[7],
    branches: cells[8],
    leaf: cells[9],
    labels: cells[18],
    diverged: cells[19],
    created: cells[10],
    modified: cells[11],
    bytes: cells[12],
    usage: {
      input: cells[13],
      output: cells[14],
      cacheRead: cells[15],
      cacheWrite: cells[16],
      cost: cells[17],
    },
  };
}

/** Of what a roll-up is, and its check sum; reads the columns of {@link SUMMARY_COLUMNS}. */
export function toRolled(row: Row): Pick<UsageRow, "path" | "session" | "cwd" | "parentSession"> & {
  readonly rolled: number;
} {
  const cells = listedCells(row);
  const [session, path, , cwd] = cells;
  return { path, session, cwd, parentSession: cells[20], rolled: cells[21] };
}

function listedCells(row: Row): ListedCells {
  const listed = row[0];
  if (crc32(listed as string) !== row[1]) throw new DamagedRow("a summary was changed");
  return JSON.parse(listed as string) as ListedCells;
}

type ListedCells = readonly [
  string,
  string,
  string,
  string,
  string | null,
  string | null,
  number,
  number,
  number,
  string | null,
  string,
  string,
  number,
  number,
  number,
  number,
  number,
  number,
  readonly string[],
  boolean,
  string | null,
  number,
];

/** Reads the columns of {@link FILE_COLUMNS}. Throws DamagedRow where they are not what was written. */
export function toFileRow(row: Row): FileRow {
  const [id, path, identity, size, mtimeMs, known, line, fingerprint, sound, reason] =
    row as unknown as FileCells;
  const [header, session, agent, cwd, created, name, prompt, title, entries, messages] = row.slice(
    10,
  ) as unknown as SummaryCells;
  const [
    branches,
    leaf,
    leafOrdinal,
    modified,
    input,
    output,
    cacheRead,
    cacheWrite,
    cost,
    ...last
  ] = row.slice(20, -1) as unknown as EndCells;
  const [lastMessage, labels, diverged, keyed, rolled] = last;
  const usage: UsageTotals = { input, output, cacheRead, cacheWrite, cost };
  const summary = {
    id: session ?? "",
    path,
    agent,
    cwd,
    name,
    title,
    entries,
    messages,
    branches,
    leaf,
    labels: JSON.parse(labels) as readonly string[],
    diverged: diverged === 1,
    created,
    modified,
    bytes: size,
    usage,
  };
  const found: FileRow = {
    id,
    path,
    identity,
    size,
    mtimeMs,
    known,
    line,
    fingerprint,
    sound: sound === 1,
    reason,
    header,
    prompt,
    leafOrdinal,
    lastMessage,
    keyed,
    rolled,
    summary,
  };
  checkSeal(row[COLUMNS.length - 1], sealed(found));
  return found;
}

type FileCells = readonly [
  number,
  string,
  string,
  number,
  number,
  number,
  number,
  Uint8Array,
  number,
  string | null,
];
type SummaryCells = readonly [
  string | null,
  string | null,
  string,
  string,
  string,
  string | null,
  string | null,
  string | null,
  number,
  number,
];
type EndCells = readonly [
  number,
  string | null,
  number | null,
  string,
  number,
  number,
  number,
  number,
  number,
  string | null,
  string,
  number,
  number,
  number,
];

/** The summary of a file of which nothing is known yet. */
export function emptySummary(path: string, header: SessionHeader | null): IndexedSummary {
  return {
    id: header?.id ?? "",
    path,
    agent: agentOf(header ?? {}),
    cwd: header?.cwd ?? "",
    name: null,
    title: null,
    entries: 0,
    messages: 0,
    branches: 0,
    leaf: null,
    labels: [],
    diverged: false,
    created: header?.timestamp ?? "",
    modified: header?.timestamp ?? "",
    bytes: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
  };
}
