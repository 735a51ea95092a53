import type { SQLInputValue } from "node:sqlite";
import { byActivity } from "../../store/summary.ts";
import type {
  IndexedSummary,
  IndexListOptions,
  IndexSort,
  SessionInside,
  UsageQuery,
  UsageRow,
} from "../session-index.ts";
import { SUMMARY_COLUMNS, toSummary } from "./file-rows.ts";
import type { IndexDatabase } from "./index-database.ts";
import { DamagedRow } from "./seal.ts";

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

const TABLES = `snapshot JOIN file ON file.id = snapshot.file AND file.reason IS NULL AND file.size >= 0`;
/** Tables that are damaged hold nothing; SQLite must not be asked to read them. */
const VALID = "CASE WHEN json_valid(tables) THEN tables ELSE '{}' END";

/** See `SessionIndex.insides`. */
export function insideRows(database: IndexDatabase): ReadonlyMap<string, SessionInside> {
  const labels = database.rows(
    `SELECT file.path, label.value ->> 'label' FROM ${TABLES}, json_each(${VALID}, '$.labels') AS label
     ORDER BY label.value ->> 'timestamp' DESC`,
  );
  // Other programs start branches without a mark, so that two tips of one say nothing there.
  const diverged = database.rows(
    `SELECT file.path FROM ${TABLES} WHERE file.agent = 'branchline' AND EXISTS
       (SELECT 1 FROM json_each(${VALID}, '$.tips') AS tip GROUP BY tip.value ->> 'branch' HAVING count(*) > 1)`,
  );
  const found = new Map<string, { labels: string[]; diverged: boolean }>();
  const at = (path: string): { labels: string[]; diverged: boolean } => {
    const known = found.get(path) ?? { labels: [], diverged: false };
    found.set(path, known);
    return known;
  };
  for (const [path, label] of labels) at(String(path)).labels.push(String(label));
  for (const [path] of diverged) at(String(path)).diverged = true;
  return found;
}

/** Roll-ups by session, day and model, then by tool. */
export function usageRows(database: IndexDatabase, query: UsageQuery): readonly UsageRow[] {
  const { sql, values } = usageWhere(query);
  const select = "file.path, file.session, file.cwd, file.header, day, copied";
  const models = database.rows(
    `SELECT ${select}, provider, model, requests, unpriced, usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cost
     FROM usage JOIN file ON file.id = usage.file WHERE ${sql} ORDER BY day, file.path, provider, model`,
    ...values,
  );
  const tools = database.rows(
    `SELECT ${select}, tool, results FROM tool_use JOIN file ON file.id = tool_use.file
     WHERE ${sql} ORDER BY day, file.path, tool`,
    ...values,
  );
  return [...models.map(modelRow), ...tools.map(toolRow)];
}

function modelRow(row: readonly unknown[]): UsageRow {
  const [provider, model, requests, unpriced, input, output, cacheRead, cacheWrite, cost] =
    row.slice(6) as unknown as ModelCells;
  const usage = { input, output, cacheRead, cacheWrite, cost };
  return { ...placeOf(row), provider, model, tool: null, requests, unpriced, usage };
}

function toolRow(row: readonly unknown[]): UsageRow {
  const [tool, requests] = row.slice(6) as unknown as readonly [string, number];
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };
  return { ...placeOf(row), provider: "", model: "", tool, requests, unpriced: 0, usage };
}

type ModelCells = readonly [string, string, number, number, number, number, number, number, number];

function placeOf(
  row: readonly unknown[],
): Pick<UsageRow, "path" | "session" | "cwd" | "day" | "copied" | "parentSession"> {
  const [path, session, cwd, header, day, copied] = row as unknown as PlaceCells;
  const { parentSession } = JSON.parse(header) as { readonly parentSession?: string };
  return { path, session, cwd, day, copied: copied === 1, parentSession: parentSession ?? null };
}

type PlaceCells = readonly [string, string, string, string, string, number];

function listWhere(options: IndexListOptions, path: string): Where {
  const { roots, cwd, agent, since, text } = options;
  const parts: Where[] = [{ sql: "file.reason IS NULL AND file.size >= 0", values: [] }];
  if (roots !== undefined) parts.push(below(roots, path));
  if (cwd !== undefined) parts.push({ sql: "file.cwd = ?", values: [cwd] });
  if (agent !== undefined) parts.push({ sql: "file.agent = ?", values: [agent] });
  if (since !== undefined) parts.push({ sql: "file.modified >= ?", values: [since] });
  if (text !== undefined && text !== "") {
    const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
    const columns = ["file.name", "file.title", "file.cwd"];
    const sql = columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(" OR ");
    parts.push({ sql: `(${sql})`, values: columns.map(() => pattern) });
  }
  return all(parts);
}

function usageWhere({ roots, from, to }: UsageQuery): Where {
  const parts: Where[] = [{ sql: "file.reason IS NULL AND file.size >= 0", values: [] }];
  if (roots !== undefined) parts.push(below(roots));
  if (from !== undefined) parts.push({ sql: "day >= ?", values: [from] });
  if (to !== undefined) parts.push({ sql: "day <= ?", values: [to] });
  return all(parts);
}

/** Paths below folders, as ranges, so that the path's own index serves. */
export function below(roots: readonly string[], path = "file.path"): Where {
  if (roots.length === 0) return { sql: "0", values: [] };
  const sql = roots.map(() => `(${path} > ? AND ${path} < ?)`).join(" OR ");
  const values = roots.flatMap((root) => {
    const separator = root.includes("\\") ? "\\" : "/";
    const folder = root.endsWith(separator) ? root : root + separator;
    const behind = String.fromCharCode(folder.charCodeAt(folder.length - 1) + 1);
    return [folder, folder.slice(0, -1) + behind];
  });
  return { sql: `(${sql})`, values };
}

function all(parts: readonly Where[]): Where {
  return {
    sql: parts.map(({ sql }) => sql).join(" AND "),
    values: parts.flatMap(({ values }) => values),
  };
}
