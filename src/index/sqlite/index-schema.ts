/**
 * Version of the tables (`PRAGMA user_version`). A database with another one is thrown away and built
 * anew: everything in it is derived from the session files.
 */
export const SCHEMA_VERSION = 7;

/** Rowid of an entry, run: `file.id * ROW_SPAN + ordinal`, so that a file's rows lie side by side. */
export const ROW_SPAN: number = 2 ** 32;

/**
 * The tables. `file`: one row a file that was looked at; `reason` tells why it is no session, null
 * where it is one; `size` is -1 while a scan is under way; `listed` is the summary, the session that it was
 * forked from and `rolled` as JSON. `labels`: texts of the labels in force as a JSON list. `keyed`,
 * `rolled`: check sums over all rows of the file in `idempotency`, and in `usage` and `tool_use`, so that a
 * row that is lost is noticed.
 * `file_listed` holds all that a list compares with the files and shows, in a third of the bytes of the table (T8).
 * `file_modified` tells the newest sessions below a folder without a look at the rows of other folders.
 * `snapshot`: labels, branches, tips and names as of `file.entries`, one JSON text, so that one SELECT
 * gives a state that fits together.
 *
 * `entry`: one row an entry. `line` is the distance to ordinal + 2, nearly always 0. `kind` and
 * `state` name rows of dictionaries: what an entry is, and what of its fold changes rarely. Where
 * `usage` (an ordinal distance) is 0, the columns input … cost hold the sums of the path; else they
 * are null and stand so many ordinals before. `run`: the first entry of each straight stretch in which every entry hangs under the one
 * before; parents, depths and paths follow from these few rows.
 */
export const SCHEMA: string = `
CREATE TABLE file (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  identity TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime REAL NOT NULL,
  known INTEGER NOT NULL,
  line INTEGER NOT NULL,
  fingerprint BLOB NOT NULL,
  sound INTEGER NOT NULL,
  reason TEXT,
  header TEXT,
  session TEXT,
  agent TEXT,
  cwd TEXT,
  created TEXT,
  name TEXT,
  prompt TEXT,
  title TEXT,
  entries INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  branches INTEGER NOT NULL,
  leaf TEXT,
  leaf_ordinal INTEGER,
  labels TEXT NOT NULL,
  diverged INTEGER NOT NULL,
  modified TEXT,
  last_message TEXT,
  input REAL NOT NULL,
  output REAL NOT NULL,
  cache_read REAL NOT NULL,
  cache_write REAL NOT NULL,
  cost REAL NOT NULL,
  seal INTEGER NOT NULL,
  keyed INTEGER NOT NULL,
  rolled INTEGER NOT NULL,
  listed TEXT NOT NULL,
  listed_seal INTEGER NOT NULL
) STRICT;
CREATE INDEX file_modified ON file (modified DESC, created DESC, session DESC, path)
  WHERE reason IS NULL AND size >= 0;
CREATE INDEX file_listed ON file (path, identity, size, mtime, reason, listed, listed_seal);
CREATE TABLE snapshot (
  file INTEGER PRIMARY KEY,
  tables TEXT NOT NULL,
  seal INTEGER NOT NULL
) STRICT;
CREATE TABLE entry (
  file INTEGER NOT NULL,
  id TEXT NOT NULL,
  start INTEGER NOT NULL,
  length INTEGER NOT NULL,
  line INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  target TEXT,
  timestamp TEXT NOT NULL,
  state INTEGER,
  messages INTEGER,
  usage INTEGER,
  input REAL,
  output REAL,
  cache_read REAL,
  cache_write REAL,
  cost REAL,
  seal INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entry_id ON entry (file, id);
CREATE TABLE run (parent INTEGER NOT NULL, depth INTEGER NOT NULL) STRICT;
CREATE TABLE kind (
  id INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  role TEXT,
  custom_type TEXT,
  tool TEXT
) STRICT;
CREATE TABLE state (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  branch TEXT NOT NULL,
  provider TEXT,
  model TEXT,
  thinking TEXT NOT NULL,
  tools TEXT,
  system TEXT,
  compaction INTEGER,
  uncompact INTEGER,
  seal INTEGER NOT NULL
) STRICT;
CREATE INDEX state_file ON state (file);
CREATE TABLE compaction (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  entry TEXT NOT NULL,
  kept TEXT,
  previous INTEGER,
  seal INTEGER NOT NULL
) STRICT;
CREATE INDEX compaction_file ON compaction (file);
CREATE TABLE uncompact (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  compaction TEXT NOT NULL,
  off INTEGER NOT NULL,
  previous INTEGER,
  seal INTEGER NOT NULL
) STRICT;
CREATE INDEX uncompact_file ON uncompact (file);
CREATE TABLE idempotency (
  file INTEGER NOT NULL,
  key TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (file, key, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage (
  file INTEGER NOT NULL,
  day TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  copied INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  input REAL NOT NULL,
  output REAL NOT NULL,
  cache_read REAL NOT NULL,
  cache_write REAL NOT NULL,
  cost REAL NOT NULL,
  seal INTEGER NOT NULL,
  PRIMARY KEY (file, day, provider, model, copied)
) STRICT, WITHOUT ROWID;
CREATE TABLE tool_use (
  file INTEGER NOT NULL,
  day TEXT NOT NULL,
  tool TEXT NOT NULL,
  copied INTEGER NOT NULL,
  results INTEGER NOT NULL,
  seal INTEGER NOT NULL,
  PRIMARY KEY (file, day, tool, copied)
) STRICT, WITHOUT ROWID;
`;

/** Tables with one or more rows a file and a column `file`; `entry` and `run` go by rowid. */
export const FILE_TABLES = [
  "snapshot",
  "state",
  "compaction",
  "uncompact",
  "idempotency",
  "usage",
  "tool_use",
] as const;
