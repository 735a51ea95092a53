import type { IndexDatabase, IndexExtension } from "./index-database.ts";
import { ROW_SPAN } from "./index-schema.ts";

/**
 * Tables of the full text. `text`: words of each entry under the rowid of its row in `entry`; nothing
 * but the index of words is kept (dependencies.md §2). The tokenizer is `ascii` and not `unicode61`,
 * because texts come split (`src/index/tokens.ts`): it takes every character above ASCII as part of a
 * word, in every version of Unicode, and is faster. `text_file`: how many entries of a file are in.
 * `spend`: what statistics need of an entry's payload, for entries that used or called something.
 */
const SCHEMA = `
CREATE VIRTUAL TABLE text USING fts5(
  words, parts, fields,
  content='', contentless_delete=1, tokenize="ascii tokenchars '_'"
);
INSERT INTO text(text, rank) VALUES ('hashsize', 8388608);
CREATE TABLE text_file (file INTEGER PRIMARY KEY, done INTEGER NOT NULL) STRICT;
CREATE TABLE spend (
  response TEXT,
  model TEXT,
  input REAL,
  output REAL,
  cache_read REAL,
  cache_write REAL,
  cost REAL,
  calls TEXT
) STRICT;
`;

/** Removes what is known of a file's text; called in the transaction that removes its entries. */
function forget(database: IndexDatabase, file: number): void {
  const first = file * ROW_SPAN;
  const last = first + ROW_SPAN - 1;
  database.run("DELETE FROM text WHERE rowid BETWEEN ? AND ?", first, last);
  database.run("DELETE FROM spend WHERE rowid BETWEEN ? AND ?", first, last);
  database.run("DELETE FROM text_file WHERE file = ?", file);
}

/** The full text as a part of the index database. */
export const TEXT_EXTENSION: IndexExtension = { schema: SCHEMA, forget };
