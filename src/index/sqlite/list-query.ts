import type { SQLInputValue } from "node:sqlite";
import { byActivity } from "../../store/summary.ts";
import type {
  IndexedSummary,
  IndexListOptions,
  IndexSort,
  UsageQuery,
  UsageRow,
} from "../session-index.ts";
import { SUMMARY_COLUMNS, toRolled, toSummary } from "./file-rows.ts";
import type { IndexDatabase, Row } from "./index-database.ts";
import { checkSeal, DamagedRow } from "./seal.ts";

/** A condition of a SELECT and its values. */
interface Where {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const BY_ACTIVITY = "file.modified DESC, file.created DESC, file.session DESC";
const SORTS: { readonly [S in IndexSort]: string } = {
  modified: BY_ACTIVITY,
  created: `file.created DESC, ${BY_ACTIVITY}`,
  title: `file.title IS NULL, file.title COLLATE NOCASE, ${BY_ACTIVITY}`,
  bytes: `file.size DESC, ${BY_ACTIVITY}`,
  messages: `file.messages DESC, ${BY_ACTIVITY}`,
  cost: `file.cost DESC, ${BY_ACTIVITY}`,
};

/** Rows of sessions, filtered, sorted and paged by SQLite. */
export function listRows(
  database: IndexDatabase,
  options: IndexListOptions,
): readonly IndexedSummary[] {
  const { sort = "modified", limit, offset = 0 } = options;
  if (sort === "modified" && limit === undefined && offset === 0)
    return wholeList(database, options);
  // For a page the index by activity is the shorter way, which SQLite would not take by itself.
  const column = sort === "modified" && limit !== undefined ? "+file.path" : "file.path";
  const where = listWhere(options, column);
  const order = SORTS[sort];
  const sql = `SELECT ${SUMMARY_COLUMNS} FROM file WHERE ${where.sql} ORDER BY ${order} LIMIT ? OFFSET ?`;
  const found = database.rows(sql, ...where.values, limit ?? -1, offset).map(toSummary);
  if (sort === "modified") checkOrder(found);
  return found;
}

/** Sorted here: SQLite would carry every summary through its sorter, in twice the time (T8). */
function wholeList(database: IndexDatabase, options: IndexListOptions): readonly IndexedSummary[] {
  const { sql, values } = listWhere(options, "file.path");
  const rows = database.rows(`SELECT ${SUMMARY_COLUMNS} FROM file WHERE ${sql}`, ...values);
  return rows.map(toSummary).sort(byActivity);
}

/** The columns that SQLite sorted by are not read: the order shows whether they say the same. */
function checkOrder(rows: readonly IndexedSummary[]): void {
  let before = rows[0]?.modified ?? "";
  for (const { modified } of rows) {
    if (modified > before) throw new DamagedRow("rows are out of order");
    before = modified;
  }
}

/** How many rows {@link listRows} gives without limit and offset. */
export function countRows(database: IndexDatabase, options: IndexListOptions): number {
  const { sql, values } = listWhere(options, "file.path");
  const row = database.row(`SELECT count(*) FROM file WHERE ${sql}`, ...values);
  return Number(row?.[0]);
}

const USAGE_COLUMNS =
  "day, provider, model, copied, requests, unpriced, input, output, cache_read, cache_write, cost, seal";

/**
 * Roll-ups by session, day and model, then by tool. All rows of a session are read, whatever is asked for:
 * only together they are known to be what was written.
 */
export function usageRows(database: IndexDatabase, query: UsageQuery): readonly UsageRow[] {
  const files = rolledFiles(database, query);
  const models = database.rows(`SELECT file, ${USAGE_COLUMNS} FROM usage`);
  const tools = database.rows("SELECT file, day, tool, copied, results, seal FROM tool_use");
  const all = [...rowsOf(files, models, modelRow), ...rowsOf(files, tools, toolRow)];
  for (const { sum } of files.values()) if (sum !== 0) throw new DamagedRow("a roll-up is lost");
  const { from = "", to = "\uffff" } = query;
  return all.filter(({ day }) => day >= from && day <= to);
}

type Place = Pick<UsageRow, "path" | "session" | "cwd" | "parentSession">;

interface RolledFile {
  readonly place: Place;
  /** What is left of the check sum when the rows that were met are taken out of it. */
  sum: number;
}

function rolledFiles(database: IndexDatabase, { roots }: UsageQuery): Map<number, RolledFile> {
  const { sql, values } = listWhere(roots === undefined ? {} : { roots }, "file.path");
  const select = `SELECT ${SUMMARY_COLUMNS}, file.id FROM file`;
  const files = new Map<number, RolledFile>();
  for (const row of database.rows(`${select} WHERE ${sql}`, ...values)) {
    const { rolled, ...place } = toRolled(row);
    files.set(Number(row[2]), { place, sum: rolled });
  }
  return files;
}

/** Rows by day, then as their keys go; each is compared with its seal. */
function rowsOf(
  files: ReadonlyMap<number, RolledFile>,
  rows: readonly Row[],
  toRow: (place: Place, cells: Row) => UsageRow,
): readonly UsageRow[] {
  const found: UsageRow[] = [];
  for (const row of rows) {
    const file = files.get(Number(row[0]));
    if (file === undefined) continue;
    const cells = row.slice(0, -1);
    checkSeal(row.at(-1), cells);
    file.sum = (file.sum ^ Number(row.at(-1))) >>> 0;
    found.push(toRow(file.place, cells));
  }
  // Within a day and a session the rows come in the order of their key.
  return found.sort((a, b) => ascending(a.day, b.day) || ascending(a.path, b.path));
}

function ascending(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function modelRow(place: Place, cells: Row): UsageRow {
  const [, day, provider, model, copied, requests, unpriced, ...totals] =
    cells as unknown as ModelCells;
  const [input, output, cacheRead, cacheWrite, cost] = totals;
  const usage = { input, output, cacheRead, cacheWrite, cost };
  const counts = { requests, unpriced, usage };
  return { ...place, day, copied: copied === 1, provider, model, tool: null, ...counts };
}

function toolRow(place: Place, cells: Row): UsageRow {
  const [, day, tool, copied, requests] = cells as unknown as ToolCells;
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  const counts = { requests, unpriced: 0, usage };
  return { ...place, day, copied: copied === 1, provider: "", model: "", tool, ...counts };
}

type Numbers5 = readonly [number, number, number, number, number];
type ModelCells = readonly [number, string, string, string, number, number, number, ...Numbers5];
type ToolCells = readonly [number, string, string, number, number];

function listWhere(options: IndexListOptions, path: string): Where {
  const { roots, cwd, agent, since, text, label, diverged } = options;
  const parts: Where[] = [{ sql: "file.reason IS NULL AND file.size >= 0", values: [] }];
  if (roots !== undefined) parts.push(below(roots, path));
  if (cwd !== undefined) parts.push({ sql: "file.cwd = ?", values: [cwd] });
  if (agent !== undefined) parts.push({ sql: "file.agent = ?", values: [agent] });
  if (since !== undefined) parts.push({ sql: "file.modified >= ?", values: [since] });
  if (label !== undefined) {
    const sql = "EXISTS (SELECT 1 FROM json_each(file.labels) WHERE value = ?)";
    parts.push({ sql, values: [label] });
  }
  if (diverged === true) parts.push({ sql: "file.diverged = 1", values: [] });
  if (text !== undefined && text !== "") {
    const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
    const columns = ["file.name", "file.title", "file.cwd"];
    const sql = columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(" OR ");
    parts.push({ sql: `(${sql})`, values: columns.map(() => pattern) });
  }
  return all(parts);
}

/** What the paths below a folder lie between. */
export function rangeBelow(root: string): readonly [after: string, before: string] {
  // Elsewhere than on Windows a name may hold a backslash.
  const separator = root.includes("/") ? "/" : "\\";
  const folder = root.endsWith(separator) ? root : root + separator;
  const behind = String.fromCharCode(folder.charCodeAt(folder.length - 1) + 1);
  return [folder, folder.slice(0, -1) + behind];
}

/** Paths below folders, as ranges, so that the path's own index serves. */
export function below(roots: readonly string[], path = "file.path"): Where {
  if (roots.length === 0) return { sql: "0", values: [] };
  const sql = roots.map(() => `(${path} > ? AND ${path} < ?)`).join(" OR ");
  return { sql: `(${sql})`, values: roots.flatMap(rangeBelow) };
}

function all(parts: readonly Where[]): Where {
  return {
    sql: parts.map(({ sql }) => sql).join(" AND "),
    values: parts.flatMap(({ values }) => values),
  };
}
