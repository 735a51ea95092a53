import type { SessionHeader } from "../entry/entry.ts";
import type { LinePlace } from "../entry/problem.ts";
import type { FileIdentity } from "../io/file-system.ts";
import type { UsageTotals } from "../tree/fold.ts";
import type { SearchableBase, TreeBase } from "../tree/tree-base.ts";

/**
 * The index port: what is known of session files without reading them (design.md §2). Derived from the
 * files alone: deleting, emptying or damaging it changes no answer, only the time of the next one. It
 * never stands in the way: in trouble it answers null or nothing, and callers read the files. Nobody
 * writes it when appending; every question catches up from the last known byte first.
 */
export interface SessionIndex extends AsyncDisposable {
  /**
   * Brings one file up to date and gives what is known of it; null where it is no session or the index
   * is in trouble. `path` is the real path. When nothing changed: one stat and one SELECT. A file that
   * has grown is read from the last known byte, one that was replaced, cut or rewritten as a whole. Only
   * whole lines count; an incomplete commit at the end is left for the next time. Throws ABORTED.
   */
  session(path: string, options?: IndexCallOptions): Promise<IndexedSession | null>;
  /**
   * The same for every session file below the roots; rows of files that are gone leave. A root that
   * cannot be listed loses none of its rows. Throws ABORTED; everything else is told in the report.
   */
  refresh(roots: readonly string[], options?: RefreshOptions): Promise<RefreshReport>;
  /**
   * The same, and with it the rows of the sessions that were found, newest activity first: each as its file was
   * when it was looked at. Throws ABORTED.
   */
  refreshedList(roots: readonly string[], options?: RefreshOptions): Promise<RefreshedList>;
  /** Rows of the sessions that the index knows, as of the last call that caught up; reads no file. */
  list(options?: IndexListOptions): readonly IndexedSummary[];
  /** Number of sessions that `list` would give without limit and offset. */
  count(options?: IndexListOptions): number;
  /** Tokens, cost and tool results by session, day and model. */
  usage(query?: UsageQuery): readonly UsageRow[];
  /**
   * Says that what the index tells of a file does not fit the file (a line at a known place holds
   * another entry, or no JSON): it will be read as a whole the next time.
   */
  distrust(path: string): Promise<void>;
  /** Counted work since the index was opened. */
  readonly counters: Readonly<IndexCounters>;
  /** Frees the database. Bases that were handed out must not be asked any more. */
  close(): Promise<void>;
}

/** Options of a call that may have to read files. */
export interface IndexCallOptions {
  readonly signal?: AbortSignal;
  /** Bytes of the file read so far, and in all; not called when nothing has to be read. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void;
}

/** Options of {@link SessionIndex.refresh}. */
export interface RefreshOptions {
  readonly signal?: AbortSignal;
  /** Files looked at so far, and in all. */
  readonly onProgress?: (filesDone: number, filesTotal: number) => void;
}

/** What a refresh did. */
export interface RefreshReport {
  /** Session files below the roots. */
  readonly sessions: number;
  readonly scannedBytes: number;
  /** Files that are no sessions or could not be read, and folders that could not be listed. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** False where the index is in trouble: its rows cannot be relied on. */
  readonly complete: boolean;
}

/** What a refresh did, and what it found. */
export interface RefreshedList extends RefreshReport {
  readonly rows: readonly IndexedSummary[];
}

/** Work, counted: what the smoke tests compare instead of times. */
export interface IndexCounters {
  /** Bytes of session files read, those for fingerprints included. */
  bytesRead: number;
  /** Lines of which only the ends were read. */
  headsRead: number;
  /** Lines that were decoded as a whole. */
  linesParsed: number;
  /** Files that went through the whole reader because something is unusual about them. */
  filesReadWhole: number;
  /** Rows of `entry` written. */
  rowsWritten: number;
  /** Rows of `entry` read. */
  rowsRead: number;
  /** Times the database was thrown away and built anew. */
  rebuilds: number;
}

/** What the index knows of one session, as of one moment: later changes of the index do not show. */
export interface IndexedSession {
  readonly path: string;
  readonly identity: FileIdentity;
  /** Bytes from the start that are indexed. Whatever stands behind them is to be read. */
  readonly known: number;
  /** Number of the line that begins at `known`. */
  readonly nextLine: number;
  /** The last known bytes, 64 at most: they must still stand before `known`. */
  readonly fingerprint: Uint8Array;
  readonly header: SessionHeader;
  readonly summary: IndexedSummary;
  /** False: damaged, unusual or of another version: open it by reading it whole. */
  readonly sound: boolean;
  /** null when not sound. */
  readonly base: TreeBase | null;
  /** The entry's line, or null. */
  placeOf(id: string): LinePlace | null;
  /**
   * The lines of the path to an entry of a sound session; null for an id that is not known. Costs the number
   * of forks on the path, not of entries. Absent: the path has to be walked.
   */
  linesTo?(id: string): PathStretches | null;
  /** Ids of the entries that were committed with an idempotency key, in file order. */
  idsOfKey(key: string): readonly string[] | undefined;
  /**
   * False once the rows behind this answer are gone: the file was replaced, rewritten or distrusted, or
   * the database is in trouble. Then nothing here may be asked any more. One look-up.
   */
  isAlive(): boolean;
}

/** Where the lines of a path stand. What stands there says itself whether it is that path: follow the ids. */
export interface PathStretches {
  readonly base: SearchableBase;
  /** Root first. */
  readonly stretches: readonly LineStretch[];
  /**
   * Who leans on `base` is told, inside the process that removes the rows behind it, before it does so. Not
   * kept alive by this. Another process may remove them unannounced.
   */
  onLeave(leaning: Leaning): void;
}

/** What can take over all that it needs of a base which is about to go. */
export interface Leaning {
  keep(): void;
}

/** Lines that stand one behind the other in a file, each entry hanging under the one before. */
export interface LineStretch {
  /** Ordinal of the first entry; number of entries. */
  readonly first: number;
  readonly count: number;
  /** Begin of the first line, and end of the last one, its newline excluded. */
  readonly byteStart: number;
  readonly byteEnd: number;
}

/** A row of a list: `SessionSummary` of the store contract, of a session that is a file. */
export interface IndexedSummary {
  readonly id: string;
  readonly path: string;
  readonly agent: string;
  readonly cwd: string;
  readonly name: string | null;
  readonly title: string | null;
  readonly entries: number;
  readonly messages: number;
  readonly branches: number;
  readonly leaf: string | null;
  readonly labels: readonly string[];
  readonly diverged: boolean;
  readonly created: string;
  readonly modified: string;
  readonly bytes: number;
  readonly usage: UsageTotals;
}

/** Which sessions a list gives and in which order. */
export interface IndexListOptions {
  /** Only sessions below these folders (real paths); default: all that the index knows. */
  readonly roots?: readonly string[];
  readonly cwd?: string;
  readonly agent?: string;
  /** ISO time; only sessions whose last activity was at or after it. */
  readonly since?: string;
  /** Only sessions with this text in name, title or working folder; ASCII letters in any case. */
  readonly text?: string;
  /** Only sessions where a label with exactly this text is in force. */
  readonly label?: string;
  /** Only sessions that diverged (`SessionSummary.diverged`). */
  readonly diverged?: true;
  /** Default "modified". Times and sizes: largest first; titles: A to Z. */
  readonly sort?: IndexSort;
  readonly limit?: number;
  readonly offset?: number;
}

/** What a list is sorted by; what is equal goes by activity. */
export type IndexSort = "modified" | "created" | "title" | "bytes" | "messages" | "cost";

/** Filters of a roll-up. */
export interface UsageQuery {
  readonly roots?: readonly string[];
  /** First and last day, "YYYY-MM-DD" in UTC. */
  readonly from?: string;
  readonly to?: string;
}

/** Requests of one session on one day to one model, or results of one tool. */
export interface UsageRow {
  readonly path: string;
  readonly session: string;
  readonly cwd: string;
  /** "YYYY-MM-DD" as the entries' timestamps say (UTC); "" where they say none. */
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  /** Name of the tool; then the row counts its results in `requests` and has no tokens. */
  readonly tool: string | null;
  /**
   * True for entries older than their session and so copied from another one (a fork): they count
   * twice where that one is known too.
   */
  readonly copied: boolean;
  readonly parentSession: string | null;
  readonly requests: number;
  /** Requests whose cost is not stated. */
  readonly unpriced: number;
  readonly usage: UsageTotals;
}
