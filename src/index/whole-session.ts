import type { Entry, SessionHeader } from "../entry/entry.ts";
import type { LinePlace } from "../entry/problem.ts";
import type { SessionTree } from "../tree/session-tree.ts";

/** A session file that was read and parsed as a whole, whatever is wrong with it. */
export interface WholeSession {
  readonly header: SessionHeader;
  readonly tree: SessionTree;
  /** In file order, as many as the tree has; iterated more than once. */
  readonly entries: Iterable<Entry>;
  /** Size of the file in bytes when it was read. */
  readonly bytes: number;
  placeOf(id: string): LinePlace | null;
}

/** What the index needs of a backend, so that it knows none: the JSONL store fits. */
export interface SessionFiles {
  /** All session files below a root, folder by folder, and what could not be looked at. */
  walk(root: string): AsyncIterable<{
    /** Real paths; in a whole walk each comes once. */
    readonly files: readonly string[];
    readonly skipped: readonly {
      readonly path: string;
      /** Why it cannot be a session. */
      readonly reason: string;
      /** Present where the reason is a failure, so that sessions may be there all the same. */
      readonly failure?: unknown;
    }[];
  }>;
  /** Reads a file that is unusual. Throws SESSION_INVALID for what is no session, IO_FAILED, ABORTED. */
  readWhole(path: string, signal?: AbortSignal): Promise<WholeSession>;
}
