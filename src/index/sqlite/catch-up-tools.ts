import type { FileSystem } from "../../io/file-system.ts";
import type { IndexCounters } from "../session-index.ts";
import type { SessionFiles } from "../whole-session.ts";
import type { IndexDatabase } from "./index-database.ts";
import type { Kinds } from "./kinds.ts";

/** What a catch-up works with. */
export interface CatchUpTools {
  readonly database: IndexDatabase;
  readonly kinds: Kinds;
  readonly counters: IndexCounters;
  readonly fileSystem: FileSystem;
  readonly files: SessionFiles;
  /** True where many files are caught up at the same time, so that they share transactions. */
  readonly isShared?: boolean;
}
