import { join } from "node:path";
import { createSqliteIndex, type SqliteIndex } from "../index/sqlite/sqlite-index.ts";
import { TextIndex } from "../index/sqlite/text-index.ts";
import { TEXT_EXTENSION } from "../index/sqlite/text-schema.ts";
import { withArchives } from "../io/archive-file-system.ts";
import { stampNow } from "../io/file-stamp.ts";
import type { FileSystem } from "../io/file-system.ts";
import { createNodeFileSystem } from "../io/node-file-system.ts";
import { jsonlSessionFiles } from "../store/jsonl/jsonl-session-files.ts";

/** Where a {@link LocalIndex} lives. */
export interface LocalIndexOptions {
  /** Data root; the database is `index.db` in it. Sessions may lie anywhere. */
  readonly root: string;
  /** Default: this machine's, archives readable like plain files. */
  readonly fileSystem?: FileSystem;
}

/**
 * The index of a data root on this machine: rows of sessions, trees, full text (design.md §2 "Index").
 * Derived: delete the database and it is built again. Whoever opened it closes it, after the stores
 * that use it.
 */
export interface LocalIndex extends AsyncDisposable {
  /** What a store takes as its `index`. */
  readonly sessions: SqliteIndex;
  readonly text: TextIndex;
}

/**
 * Opens the index of a data root; the database itself is opened by the first question.
 *
 * @example
 * await using index = openLocalIndex({ root });
 * await using store = createJsonlStore({ root, index: index.sessions });
 */
export function openLocalIndex(options: LocalIndexOptions): LocalIndex {
  const fileSystem = options.fileSystem ?? withArchives(createNodeFileSystem());
  const files = jsonlSessionFiles(fileSystem);
  const path = join(options.root, "index.db");
  const extensions = [TEXT_EXTENSION];
  const sessions = createSqliteIndex({ path, fileSystem, files, stampNow, extensions });
  const text = new TextIndex({ index: sessions, fileSystem, files });
  return { sessions, text, [Symbol.asyncDispose]: () => sessions.close() };
}
