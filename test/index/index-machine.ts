import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSqliteIndex,
  type SqliteIndex,
  type SqliteIndexOptions,
} from "../../src/index/sqlite/sqlite-index.ts";
import type { SessionFiles } from "../../src/index/whole-session.ts";
import { stampNow } from "../../src/io/file-stamp.ts";
import type { FileSystem } from "../../src/io/file-system.ts";
import { createNodeFileSystem } from "../../src/io/node-file-system.ts";
import { jsonlSessionFiles } from "../../src/store/jsonl/jsonl-session-files.ts";

/** The file system that index tests run on: SQLite needs a real one. */
export const fileSystem: FileSystem = createNodeFileSystem();

/** The JSONL store's reader behind the port of the index. */
export const sessionFiles: SessionFiles = jsonlSessionFiles(fileSystem);

/** A folder with session files and an index beside it; removed by `remove`. */
export class IndexMachine {
  readonly folder: string = mkdtempSync(join(tmpdir(), "index-"));
  readonly root: string = join(this.folder, "sessions");
  readonly database: string = join(this.folder, "index.db");

  /** An index as another process has it, on the same database. */
  index(options: Partial<SqliteIndexOptions> = {}): SqliteIndex {
    const { database: path } = this;
    return createSqliteIndex({ path, fileSystem, files: sessionFiles, stampNow, ...options });
  }

  path(name: string): string {
    return join(this.root, `${name}.jsonl`);
  }

  /** Puts a file in place and gives its path. */
  write(name: string, content: string | Uint8Array): string {
    const path = this.path(name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
