import type { Entry, EntryDraft, SessionHeader } from "../entry/entry.ts";
import type { LinePlace, Problem } from "../entry/problem.ts";
import type { SessionBase } from "../entry/session-base.ts";
import type { UsageTotals } from "../tree/fold.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import type { Capabilities } from "./capabilities.ts";

/**
 * The store contract. What every store promises (design.md §3, checked by the shared suite):
 *
 * - P1 a resolved `commit` is on stable storage (`durability: "process"` is the named exception);
 * - P2 the entries of one commit are readable all or none, after any crash;
 * - P4 no entry is readable without its parent, but for gaps that other programs or damage made;
 * - P5 a rejected `commit` changed nothing, and a retry works; APPEND_UNKNOWN is the third outcome:
 *   the handle is given up, a retry with the same key through a new handle is safe;
 * - P6 one commit at a time per session; where nothing else was asked, it hangs under the head of the
 *   branch as it is at that moment, so commits of several writers form one chain;
 * - P8 what `commit` returns is what a reader reads, frozen;
 * - P10 ids are checked on every entry point: what is no session id is SESSION_ID_INVALID in every call.
 *
 * Everything above the store knows this contract only.
 */
export interface SessionStore extends AsyncDisposable {
  readonly capabilities: Capabilities;
  readonly values: ValueStore;
  /** Makes a session. Throws SESSION_EXISTS, SESSION_ID_INVALID, IO_FAILED. The caller closes it. */
  create(options: CreateOptions): Promise<StoreSession>;
  /** Opens a session by id. Throws SESSION_UNKNOWN, SESSION_INVALID, FILE_UNSAFE. The caller closes it. */
  open(id: string, options?: OpenOptions): Promise<StoreSession>;
  /** One summary for each session, newest activity first. Sessions in the trash are left out. */
  list(options?: ListOptions): AsyncIterable<SessionSummary>;
  /** Takes a session out of sight; nothing is lost. Throws SESSION_UNKNOWN. */
  trash(id: string): Promise<void>;
  /** What is in the trash, newest first. */
  listTrash(): Promise<readonly TrashedSession[]>;
  /** Brings a session back from the trash. Throws SESSION_UNKNOWN, SESSION_EXISTS. */
  restore(id: string): Promise<void>;
  /**
   * Really removes a session, wherever it is, with its values. Cannot be undone. Throws SESSION_UNKNOWN,
   * SESSION_LINKED where others read from it.
   */
  purge(id: string, options?: PurgeOptions): Promise<void>;
  /** Closes the store and every session opened through it. */
  close(): Promise<void>;
}

/** What a new session starts with. */
export interface CreateOptions {
  /** Default: a new UUIDv7. */
  readonly id?: string;
  /** Working folder of the conversation. */
  readonly cwd: string;
  /** The session this one comes from (a path or an id). */
  readonly parentSession?: string;
  /** Further header members, kept exactly. */
  readonly header?: Readonly<Record<string, unknown>>;
  /**
   * A path of another session to start with (fork, clone). A store may take the lines as they are; one
   * that cannot reads the entries (`copiedEntries`). One atomic step with the header and `entries`.
   */
  readonly copy?: PathCopy;
  /**
   * A path of another session to start with, read from there instead of copied; not together with `copy`.
   * Only stores of files have it: others throw NOT_SUPPORTED. Throws TARGET_INVALID for a file that
   * would not be found again: outside of the folders that the store looks into.
   */
  readonly link?: PathLink;
  /**
   * Entries to start with, complete with ids and parents, behind those of `copy` or `link`. With `link` the
   * first one hangs under the end of that path, whatever parent it names: gaps have ids of their own there.
   */
  readonly entries?: readonly Entry[];
}

/** A path of one session as the beginning of another one that goes on reading it there. */
export interface PathLink {
  readonly from: StoreSession;
  /** The entry that the path ends at. */
  readonly at: string;
}

/** What a linked session reads from the session it is linked to. */
export interface SessionLink extends SessionBase {
  /** Number of entries of that path: the first ones of the tree. All others stand in the session's own file. */
  readonly entries: number;
}

/** How a session is really removed. */
export interface PurgeOptions {
  /** What happens where other sessions are linked to it: "refuse" (default), or "break" their links. */
  readonly links?: "refuse" | "break";
}

/**
 * One entry of a copied path. "same": an entry of the old session that differs in nothing but, perhaps,
 * its parent; never a label, own state or an old leaf move, which speak for their whole session. "new":
 * an entry made for the copy, complete, hung under the step before.
 */
export type CopiedStep =
  | { readonly kind: "same"; readonly at: TreeEntry }
  | { readonly kind: "new"; readonly entry: Entry };

/** A path of one session as the beginning of another. The caller keeps `from` open meanwhile. */
export interface PathCopy {
  readonly from: StoreSession;
  /**
   * The entry that the path ends at, where every step is "same": labels, own state, old leaf entries and edits
   * of what is not on the path are left out, and nothing else of it changes but parents. So a store may find
   * the steps itself.
   */
  readonly plainTo?: string;
  /**
   * In the order of the path: the first one is a root, each further one hangs under the one before. With
   * `plainTo` worked out when they are asked for.
   */
  readonly steps: readonly CopiedStep[];
}

/** The lines of a session file of the present format; `placeOf` tells where each entry stands. */
export interface LineSource {
  /** Fills a buffer from a byte offset on; gives how many bytes it got, fewer at the end. Throws IO_FAILED. */
  readInto(buffer: Uint8Array, position: number): Promise<number>;
}

/** How a session is opened. */
export interface OpenOptions {
  /** True: damage is refused with LOG_DAMAGED instead of bridged. Default false. */
  readonly strict?: boolean;
  /**
   * True: every byte is read and checked now, where an index would spare it. Default false: damage
   * inside a line may then be found only when the line is read.
   */
  readonly verify?: boolean;
  /**
   * True: where no index knows a long session, it is opened from its end and the rest is looked at in the
   * background, see `StoreSession.verified`. For who wants the context at once; without effect with
   * `strict` or `verify`. Default false.
   */
  readonly tailFirst?: boolean;
  readonly signal?: AbortSignal;
}

/** Filters of a list. */
export interface ListOptions {
  /** Only sessions of this working folder. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Told of each file or session that was skipped, and why. */
  readonly onSkip?: (skipped: { readonly path: string; readonly reason: string }) => void;
}

/** A session in the trash. `trashed` is an ISO time. */
export interface TrashedSession {
  readonly id: string;
  readonly path: string | null;
  readonly trashed: string;
}

/** One row about a session, enough for a list. */
export interface SessionSummary {
  readonly id: string;
  /** File of the session, null for stores without files. */
  readonly path: string | null;
  /** The program that made it: "branchline" or "pi". */
  readonly agent: string;
  readonly cwd: string;
  /** Name given by a person, or null. */
  readonly name: string | null;
  /** The name, else the first user message, shortened to 80 characters; null where there is neither. */
  readonly title: string | null;
  /** Number of entries. */
  readonly entries: number;
  /** Number of message entries. */
  readonly messages: number;
  /** Number of branches and further tips. */
  readonly branches: number;
  readonly leaf: string | null;
  /** Texts of the labels in force, each once, newest first. */
  readonly labels: readonly string[];
  /**
   * True where an entry hangs beside an older one of the same branch: somebody went on without a mark of
   * ours. The file does not tell a second writer from a person who went back in Pi.
   */
  readonly diverged: boolean;
  /** The header's time, as it is written. */
  readonly created: string;
  /** When it was used last (`activityOf`): ISO 8601 in UTC, empty where nobody can know. */
  readonly modified: string;
  /** Bytes in the file, 0 for stores without files. */
  readonly bytes: number;
  /** Summed over all entries of the session, on every branch. */
  readonly usage: UsageTotals;
}

/** Which entries `scan` gives; all conditions must hold. */
export interface ScanOptions {
  /** First place in file order, from 0; default 0. */
  readonly from?: number;
  /** Place after the last one; default: the end. */
  readonly to?: number;
  readonly types?: readonly string[];
  /** Roles of message entries; entries of other types do not pass. */
  readonly roles?: readonly string[];
  /** Custom types of `custom` and `custom_message` entries; others do not pass. */
  readonly customTypes?: readonly string[];
  /** ISO time; only entries with a timestamp at or after it. */
  readonly since?: string;
}

/** How far `path` walks. */
export interface PathOptions {
  /** Largest number of entries; default: all. */
  readonly limit?: number;
}

/** What happens to a session, as `follow` tells it. */
export type StoreEvent =
  /** Entries were added, by this handle or by anybody else. */
  | { readonly type: "entries"; readonly entries: readonly Entry[]; readonly foreign: boolean }
  /** Somebody else (`foreign`) hung an entry beside others of the same branch; comes behind its entries. */
  | { readonly type: "diverged"; readonly branch: string; readonly entryId: string };

/** One atomic group of entries. */
export interface CommitRequest {
  /**
   * At least one. A draft without `parentId` hangs under the draft before it, the first one under the
   * head of `branch`. A `parentId` names an entry of the session, an earlier draft of this commit (by
   * its `id`), or null for a root.
   */
  readonly entries: readonly EntryDraft[];
  /** Id of the branch; default "main". */
  readonly branch?: string;
  /**
   * The leaf the caller believes in. Matches where between it and the head lie only entries without
   * effect on the context (design.md §2); a position may stand for the leaf. undefined = no expectation.
   */
  readonly expectedLeaf?: string | null;
  /** Idempotency key: a second commit with it returns the first one's entries. 1 to 256 characters. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** What a commit made. */
export interface CommitResult {
  /** Complete and frozen, in the order of the drafts. */
  readonly entries: readonly Entry[];
  /** True where the key was known and nothing was written. */
  readonly replayed: boolean;
}

/** How long {@link StoreSession.lockRun} tries. */
export interface RunLockOptions {
  /** In ms; default 0 = one try. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The right to run on one branch of a session. */
export interface RunLock extends AsyncDisposable {
  /** Id of the branch. */
  readonly branch: string;
  /** Frees it; more calls do nothing. The end of the process and closing the handle free it too. */
  release(): Promise<void>;
}

/** One open session. Several handles may be open on one session, in any number of processes. */
export interface StoreSession extends AsyncDisposable {
  readonly id: string;
  readonly header: SessionHeader;
  /** Real path of the session's file, null for stores without files. */
  readonly file: string | null;
  /** Why the session cannot be written, or null. */
  readonly readOnly: string | null;
  /** The bytes behind `placeOf`, for copies that keep them; absent where there are none of ours. */
  readonly lines?: LineSource | undefined;
  /** Present where the session is linked to another one and begins with what it reads there. */
  readonly link?: SessionLink | undefined;
  /** The tree as of the last commit, refresh or followed event of this handle. */
  readonly tree: SessionTree;
  /** What was wrong with what was read so far. */
  readonly problems: readonly Problem[];
  /**
   * False while only the end of the session was read (see `OpenOptions.tailFirst`). Then what the tree or
   * a call that cannot wait is asked beyond that throws SESSION_UNVERIFIED, and everything else waits;
   * damage, duplicate ids and lost parents that stand elsewhere are not known yet. Once true, it stays
   * so, `tree` is another one, and what it and `problems` say stands.
   */
  readonly verified: boolean;
  /** Resolves when `verified` is true. Throws ABORTED, STORE_CLOSED, and what opening throws. */
  whenVerified(signal?: AbortSignal): Promise<void>;
  /** Line and byte range of an entry in the file, or null where there is none: not in it, but in that of `link`. */
  placeOf(id: string): LinePlace | null;
  /** Reads what others have written since. Throws FILE_MISSING, FILE_REPLACED, FILE_TRUNCATED. */
  refresh(): Promise<void>;
  /**
   * Appends one atomic group. Commits that wait at the same time share one write and one sync.
   * Throws STORE_CONFLICT, STORE_BUSY, STORE_CLOSED, SESSION_READ_ONLY, BRANCH_UNKNOWN,
   * ENTRY_UNKNOWN (a parent), ENTRY_INVALID, ENTRY_TOO_LARGE, KEY_REUSED, ABORTED, IO_FAILED,
   * APPEND_UNKNOWN, FILE_MISSING, FILE_REPLACED, FILE_TRUNCATED.
   */
  commit(request: CommitRequest): Promise<CommitResult>;
  /**
   * Takes the right to run on a branch, which one owner has at a time, across handles and processes (P6,
   * design.md §2 "Lock"). Independent of the lock for writing: commits of others, reading, and runs on
   * other branches go on. The owner's death frees it; time never does. The caller releases it. Throws
   * RUN_ACTIVE (with the owner where one is known), BRANCH_UNKNOWN, SESSION_READ_ONLY, STORE_CLOSED, ABORTED, IO_FAILED.
   */
  lockRun(branch: string, options?: RunLockOptions): Promise<RunLock>;
  /** The entry, frozen, or undefined. */
  get(id: string): Promise<Entry | undefined>;
  /** The entry, frozen. Throws ENTRY_UNKNOWN. */
  mustGet(id: string): Promise<Entry>;
  /** The entries of these ids in this order. Throws ENTRY_UNKNOWN. */
  getAll(ids: readonly string[]): Promise<readonly Entry[]>;
  /** From `id` to the root, newest first, gaps bridged. Throws ENTRY_UNKNOWN. */
  path(id: string | null, options?: PathOptions): AsyncIterable<Entry>;
  /** Entries in file order. */
  scan(options?: ScanOptions): AsyncIterable<Entry>;
  /** The last `count` entries in file order. */
  last(count: number): Promise<readonly Entry[]>;
  /**
   * Live events from this call on, until the signal aborts or the session closes (then it just ends).
   * What the tree did not hold at the call comes as the first event, so nothing falls between the two.
   */
  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<StoreEvent>;
  /** The session's row. */
  summary(): Promise<SessionSummary>;
  /** Frees what the handle holds. Waits for commits under way. Calls made after it throw STORE_CLOSED. */
  close(): Promise<void>;
}

/** Where a value belongs: to one session, or to a resource (a project, a user…) named by the caller. */
export type ValueScope = { readonly session: string } | { readonly resource: string };

/** Small JSON values beside the sessions. A set value is durable when the call resolves. */
export interface ValueStore {
  /** The value, or undefined. */
  get(scope: ValueScope, key: string): Promise<unknown>;
  /** Sets a JSON value. Throws ENTRY_INVALID for what JSON cannot hold. */
  set(scope: ValueScope, key: string, value: unknown): Promise<void>;
  /** Removes a value; removing nothing is fine. */
  delete(scope: ValueScope, key: string): Promise<void>;
  /** All keys of a scope, sorted by code point. */
  keys(scope: ValueScope): Promise<readonly string[]>;
}
