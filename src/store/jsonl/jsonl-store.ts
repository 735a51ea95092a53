import { dirname, join } from "node:path";
import { checkSessionId } from "../../entry/ids.ts";
import { encodeHeader } from "../../entry/line-encode.ts";
import { BranchlineError } from "../../errors.ts";
import type { SessionIndex } from "../../index/session-index.ts";
import { AppendFile } from "../../io/append-file.ts";
import { isArchivePath, unarchivedPath } from "../../io/archive-file-system.ts";
import { throwIfAborted } from "../../io/clock.ts";
import { hasErrno } from "../../io/io-failure.ts";
import { syncedBy } from "../../io/synced-folder.ts";
import type { Capabilities } from "../capabilities.ts";
import { newHeader } from "../new-header.ts";
import { sessionExists, sessionLinked, sessionUnknown, storeClosed } from "../refusals.ts";
import type {
  CreateOptions,
  ListOptions,
  OpenOptions,
  PurgeOptions,
  SessionStore,
  SessionSummary,
  StoreSession,
  TrashedSession,
} from "../store.ts";
import { byActivity } from "../summary.ts";
import { BaseSessions } from "./base-sessions.ts";
import { BlobFolder } from "./blob-folder.ts";
import { eachOf } from "./each-of.ts";
import { assertPlace, type Environment, environment } from "./environment.ts";
import { firstEntries } from "./first-entries.ts";
import { makeFolder } from "./folders.ts";
import { JsonlSession, summarizeFile } from "./jsonl-session.ts";
import type { KnownSession } from "./known-session.ts";
import { archivedReadOnly } from "./open-elsewhere.ts";
import { publishNew } from "./publish-new.ts";
import { isPublished } from "./publish-outcome.ts";
import { relocateFile } from "./relocate-file.ts";
import { gapProblems } from "./repair-plan.ts";
import { removeLocks } from "./run-locks.ts";
import { SessionFile } from "./session-file.ts";
import { presentPath, withSessionLock } from "./session-lock-hold.ts";
import { SessionLookup } from "./session-lookup.ts";
import { type Attach, type OpenedFile, SessionOpening } from "./session-opening.ts";
import { fileNameOf, folderOf, walkSessions } from "./session-paths.ts";
import { SessionUpkeep } from "./session-upkeep.ts";
import { TrashFolder } from "./trash-folder.ts";
import { ValueFiles } from "./value-files.ts";
import type { MadeFile } from "./written-entry.ts";

/** Where a JSONL store keeps its sessions, and what it runs on. */
export interface JsonlStoreOptions extends Partial<Environment> {
  /** Data root: sessions are found anywhere below it and made in `sessions/<folder of the cwd>/`. */
  readonly root: string;
  /** Folder for new sessions below which one folder per cwd is made; default `<root>/sessions`. */
  readonly sessions?: string;
  /** Folder of the trash; default `<root>/trash`. */
  readonly trash?: string;
  /** Folder of moved payloads; default `<root>/blobs`. */
  readonly blobs?: string;
  /** Further folders of sessions that those of this store may be linked to; default none. */
  readonly bases?: readonly string[];
  /**
   * What spares reading whole files (design.md §2 "Index"); without it every open reads the file. The
   * caller closes it, after the store.
   */
  readonly index?: SessionIndex;
}

/** Where a session lies, as far as more than one machine may be able to write there. */
export interface SessionPlace {
  /** The network file system, or null. Writing there throws PLACE_REFUSED unless it is allowed. */
  readonly network: string | null;
  /** The program that syncs the folder between machines, or null. */
  readonly synced: string | null;
}

const CAPABILITIES: Capabilities = Object.freeze({
  contract: 1,
  durable: true,
  multiProcess: true,
  follow: true,
  paths: true,
  trash: true,
  indexed: false,
});

/**
 * Sessions as plain JSONL files that Pi can open (docs/format.md).
 *
 * @example
 * const store = createJsonlStore({ root: "/home/me/.local/share/branchline" });
 * await using session = await store.create({ cwd: process.cwd() });
 */
export function createJsonlStore(options: JsonlStoreOptions): JsonlStore {
  return new JsonlStore(options);
}

/** The JSONL store: the contract, and what only files can do. */
export class JsonlStore implements SessionStore {
  readonly capabilities: Capabilities = CAPABILITIES;
  readonly values: ValueFiles;
  /** Archives and blobs. */
  readonly upkeep: SessionUpkeep;
  readonly #root: string;
  readonly #sessions: string;
  readonly #env: Environment;
  readonly #index: SessionIndex | undefined;
  readonly #opening: SessionOpening;
  readonly #lookup: SessionLookup;
  readonly #trash: TrashFolder;
  readonly #bases: BaseSessions;
  readonly #open = new Set<StoreSession>();
  #closed = false;

  constructor(options: JsonlStoreOptions) {
    this.#root = options.root;
    this.#sessions = options.sessions ?? join(options.root, "sessions");
    const env = environment(options);
    const blobs = new BlobFolder(options.blobs ?? join(options.root, "blobs"), env);
    this.#env = { ...env, resolvePayload: (entry) => blobs.resolve(entry) };
    const assertOpen = (): void => this.#assertOpen();
    this.upkeep = new SessionUpkeep({ env: this.#env, blobs, root: this.#root, assertOpen });
    this.#index = options.index;
    this.#opening = new SessionOpening(this.#env, options.index, (header, path) =>
      this.#bases.below(header, [], path),
    );
    this.#lookup = new SessionLookup(this.#env.fileSystem, this.#root);
    const { bases = [], trash = join(options.root, "trash") } = options;
    this.#trash = new TrashFolder(trash, this.#env, [this.#root, this.#sessions, ...bases]);
    this.#bases = new BaseSessions({
      ...{ env: this.#env, roots: [this.#root, ...bases], trash: this.#trash },
      open: (path, above) => this.#openBase(path, above),
    });
    this.values = new ValueFiles(options.root, this.#env);
  }

  /** As in the contract; also throws PLACE_REFUSED. */
  async create(options: CreateOptions): Promise<StoreSession> {
    this.#assertOpen();
    assertPlace(this.#env, this.#sessions);
    if (options.id === undefined) return await this.#create(options);
    checkSessionId(options.id);
    await makeFolder(this.#env.fileSystem, this.#sessions);
    // Two processes that make the same id must not both succeed.
    const lock = this.#env.makeLock(join(this.#sessions, ".create"));
    try {
      await lock.acquire({ timeoutMs: this.#env.lockTimeoutMs });
      if ((await this.#lookup.taken(options.id)).length > 0) throw sessionExists(options.id);
      return await this.#create(options);
    } finally {
      await lock.close();
    }
  }

  async open(id: string, options: OpenOptions = {}): Promise<StoreSession> {
    return await this.openFile(await this.findFile(id), options);
  }

  /**
   * Opens any session file by path; a link is followed to the real file. Throws SESSION_UNKNOWN where
   * nothing is, SESSION_INVALID, FILE_UNSAFE, LOG_DAMAGED (strict), IO_FAILED.
   */
  async openFile(path: string, options: OpenOptions = {}): Promise<StoreSession> {
    this.#assertOpen();
    throwIfAborted(options.signal);
    const { strict, verify, tailFirst } = options;
    if (tailFirst === true && strict !== true && verify !== true) {
      return await this.#openTailFirst(path, options);
    }
    const opened = await this.#opening.open(path, options);
    const { file } = opened;
    const damage = strict === true ? file.problems.length + gapProblems(file).length : 0;
    if (damage > 0) {
      await file.close();
      throw damaged(path, damage);
    }
    return this.#attach(opened);
  }

  async #openTailFirst(path: string, options: OpenOptions): Promise<StoreSession> {
    const onClose = (): void => {
      this.#open.delete(session);
    };
    const attach: Attach = (opened) => this.#attach(opened);
    const session = await this.#opening.openTailFirst(path, options, { attach, onClose });
    this.#open.add(session);
    return session;
  }

  /** A session that others are linked to, which were opened for `above`. */
  async #openBase(path: string, above: readonly string[]): Promise<StoreSession> {
    return this.#attach(
      await this.#opening.open(path, {}, (header) => this.#bases.below(header, above)),
    );
  }

  #attach({ file, readOnly }: OpenedFile): StoreSession {
    const session: StoreSession = new JsonlSession({
      file,
      env: this.#env,
      readOnly,
      onClose: () => this.#open.delete(session),
      distrust: async () => await this.#index?.distrust(file.file.path),
    });
    this.#open.add(session);
    return session;
  }

  /** Real path of a session. Throws SESSION_ID_INVALID, SESSION_UNKNOWN, SESSION_AMBIGUOUS. */
  async findFile(id: string): Promise<string> {
    this.#assertOpen();
    checkSessionId(id);
    const paths = await this.#lookup.paths(id);
    const [path] = paths;
    if (path === undefined) throw sessionUnknown(id);
    if (paths.length === 1) return path;
    throw new BranchlineError(
      "SESSION_AMBIGUOUS",
      { reference: id, matches: paths },
      {
        message: `${paths.length} files hold a session with the id ${id}.`,
        hint: "Name the file by its path.",
      },
    );
  }

  list(options: ListOptions = {}): AsyncIterable<SessionSummary> {
    return eachOf(async () => {
      this.#assertOpen();
      return (await this.#listIndexed(options)) ?? (await this.#listRead(options));
    });
  }

  /** Rows of the index, after it has caught up; null where it cannot be relied on. */
  async #listIndexed(options: ListOptions): Promise<readonly SessionSummary[] | null> {
    const { signal, cwd, onSkip } = options;
    if (this.#index === undefined) return null;
    if ((await this.#env.fileSystem.stat(this.#root)) === undefined) return [];
    const roots = [await this.#env.fileSystem.realpath(this.#root)];
    const found = await this.#index.refreshedList(roots, signal === undefined ? {} : { signal });
    if (!found.complete) return null;
    for (const skipped of found.skipped) onSkip?.(skipped);
    return cwd === undefined ? found.rows : found.rows.filter((row) => row.cwd === cwd);
  }

  async #listRead(options: ListOptions): Promise<readonly SessionSummary[]> {
    const { signal, cwd, onSkip } = options;
    const rows: SessionSummary[] = [];
    for await (const { files, skipped } of walkSessions(this.#env.fileSystem, this.#root)) {
      for (const { path, reason } of skipped) onSkip?.({ path, reason });
      for (const path of files) {
        throwIfAborted(signal);
        const row = await this.#summaryOf(path, signal);
        if (typeof row === "string") onSkip?.({ path, reason: row });
        else if (cwd === undefined || row.cwd === cwd) rows.push(row);
      }
    }
    return rows.sort(byActivity);
  }

  async trash(id: string): Promise<void> {
    await this.trashFile(await this.findFile(id));
  }

  /** Moves any session file to this store's trash. Throws SESSION_UNKNOWN, STORE_BUSY, IO_FAILED. */
  async trashFile(path: string): Promise<void> {
    this.#assertOpen();
    await withSessionLock(this.#env, path, async (real) => {
      const { header } = await this.#peek(real);
      await this.#trash.add(header.id, real);
    });
  }

  async listTrash(): Promise<readonly TrashedSession[]> {
    this.#assertOpen();
    return (await this.#trash.list()).map(({ id, path, trashed }) => ({ id, path, trashed }));
  }

  /**
   * As in the contract; `to` = the folder it goes to, default where it came from. That has to lie below the
   * folders of this store (TARGET_INVALID): what the trash says may come from somebody else.
   */
  async restore(id: string, options: { readonly to?: string } = {}): Promise<void> {
    this.#assertOpen();
    checkSessionId(id);
    const trashed = await this.#trash.find(id);
    if (trashed === undefined) throw sessionUnknown(id);
    assertPlace(this.#env, this.#sessions);
    if ((await this.#lookup.paths(id)).length > 0) throw sessionExists(id);
    await this.#trash.restore(trashed, options.to).catch((error: unknown) => {
      throw hasErrno(error, "EEXIST") ? sessionExists(id) : error;
    });
  }

  async purge(id: string, options: PurgeOptions = {}): Promise<void> {
    this.#assertOpen();
    checkSessionId(id);
    const paths = await this.#lookup.paths(id);
    await this.#assertFree(id, options);
    const trashed = await this.#trash.purge(id);
    if (trashed + paths.length === 0) throw sessionUnknown(id);
    for (const path of paths) await this.#remove(path);
    await this.values.removeSession(id);
  }

  /**
   * Really removes a session file; with the last one of its id also what else is kept of the session:
   * older copies in the trash, and its values. Cannot be undone. Throws SESSION_UNKNOWN, SESSION_LINKED,
   * STORE_BUSY, IO_FAILED.
   */
  async purgeFile(path: string, options: PurgeOptions = {}): Promise<void> {
    this.#assertOpen();
    const { fileSystem } = this.#env;
    const real = await fileSystem.realpath(await presentPath(this.#env, path));
    const present = await this.#lookup.idOf(real);
    const isLast = (await this.#lookup.paths(present)).every((other) => other === real);
    if (isLast) await this.#assertFree(present, options);
    const id = await this.#remove(path);
    if ((await this.#lookup.paths(id)).length > 0) return;
    await this.#trash.purge(id);
    await this.values.removeSession(id);
  }

  /**
   * Really removes what lies in the trash under an id. A session that is in use under the same id stays,
   * and so do its values. Throws SESSION_UNKNOWN, SESSION_LINKED, IO_FAILED.
   */
  async purgeTrashed(id: string, options: PurgeOptions = {}): Promise<void> {
    this.#assertOpen();
    checkSessionId(id);
    if ((await this.#lookup.paths(id)).length === 0) await this.#assertFree(id, options);
    if ((await this.#trash.purge(id)) === 0) throw sessionUnknown(id);
    if ((await this.#lookup.paths(id)).length === 0) await this.values.removeSession(id);
  }

  /** Paths of the files, in the trash too, that are linked to a session: they read from it. */
  async linkedTo(id: string): Promise<readonly string[]> {
    this.#assertOpen();
    return await this.#bases.linkedTo(id);
  }

  /** What others read is not removed unless that was said. */
  async #assertFree(id: string, { links = "refuse" }: PurgeOptions): Promise<void> {
    const linkedBy = links === "break" ? [] : await this.linkedTo(id);
    if (linkedBy.length > 0) throw sessionLinked(id, linkedBy);
  }

  /** Gives the id of the session whose file is gone now. */
  async #remove(path: string): Promise<string> {
    const { fileSystem } = this.#env;
    return await withSessionLock(this.#env, path, async (real) => {
      const id = await this.#lookup.idOf(real);
      await fileSystem.removeFile(real);
      await removeLocks(fileSystem, unarchivedPath(real));
      await fileSystem.syncDirectory(dirname(real));
      return id;
    });
  }

  /**
   * Tells a session file that its project lies elsewhere now; gives the file's new path. The header
   * line is replaced, all other bytes stay (F014, F104). Throws as {@link JsonlStore.openFile} does.
   */
  async relocate(path: string, cwd: string): Promise<string> {
    this.#assertOpen();
    return await withSessionLock(this.#env, path, (real) => {
      if (isArchivePath(real)) throw archivedReadOnly(real);
      return relocateFile(this.#env, real, cwd);
    });
  }

  /** Whether a file lies where two machines could write it. Never throws. */
  async placeOf(path: string): Promise<SessionPlace> {
    const { fileSystem, networkOf } = this.#env;
    const has = (marker: string): Promise<boolean> =>
      fileSystem.lstat(marker).then(
        (found) => found !== undefined,
        () => false,
      );
    return { network: networkOf(path), synced: await syncedBy(path, has) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closing = [...this.#open].map((session) => session.close());
    await Promise.all([...closing, this.values.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #create(options: CreateOptions): Promise<StoreSession> {
    const { fileSystem, random, clock } = this.#env;
    const base = options.link && (await this.#bases.refer(options.link));
    const header = newHeader(options, { now: clock.now(), random, ...(base && { base }) });
    const folder = join(this.#sessions, folderOf(header.cwd));
    const path = join(folder, fileNameOf(header.id, header.timestamp));
    const below = base && options.link && this.#bases.made(header, base, options.link);
    const first = firstEntries(options.entries ?? [], { below, random });
    const line = encodeHeader(header);
    await makeFolder(fileSystem, folder);
    let isInPlace = false;
    try {
      const { copy } = options;
      const known = await publishNew(this.#env, { path, header, line, copy, first }, this.#index);
      isInPlace = true;
      const start = { header, bytes: line.length, written: first.written };
      if (below) return await this.#openMade(path, { ...start, below });
      return (known && (await this.#resume(path, known))) ?? (await this.openFile(path));
    } catch (error) {
      // A create that is refused has made nothing (P5), so that it can be tried again.
      if (isInPlace || isPublished(error)) await fileSystem.removeFile(path);
      throw error;
    }
  }

  /** Opens a linked session that was just written, without a look at what it is linked to. */
  async #openMade(path: string, start: MadeFile): Promise<StoreSession> {
    const file = await AppendFile.open(this.#env.fileSystem, path, { mode: "append" });
    return this.#attach({ file: await SessionFile.made(file, start), readOnly: null });
  }

  /** Opens what was just written without reading it again. */
  async #resume(path: string, known: KnownSession): Promise<StoreSession | null> {
    const options = { mode: "append", known } as const;
    const file = await SessionFile.resume(this.#env.fileSystem, path, options);
    return file === null ? null : this.#attach({ file, readOnly: null });
  }

  async #summaryOf(
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<SessionSummary | string> {
    try {
      const { size = 0 } = (await this.#env.fileSystem.stat(path)) ?? {};
      if (size >= this.#env.reading.longFile) return await this.#summaryOfLong(path, signal);
      const file = await SessionFile.open(this.#env.fileSystem, path, { mode: "read", signal });
      await file.file.close();
      return summarizeFile(file, this.#env.clock.now());
    } catch (error) {
      throwIfAborted(signal);
      // One file that cannot be read never hides the others (F004, P72).
      return (error as Error).message;
    }
  }

  /** Entry by entry, so that a file of a gigabyte needs no more memory than its structure (F102, R13). */
  async #summaryOfLong(path: string, signal: AbortSignal | undefined): Promise<SessionSummary> {
    await using session = this.#attach(await this.#opening.open(path, signal ? { signal } : {}));
    return await session.summary();
  }

  async #peek(path: string): Promise<SessionFile> {
    const file = await SessionFile.open(this.#env.fileSystem, path, { mode: "read" });
    await file.file.close();
    return file;
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed();
  }
}

function damaged(path: string, problems: number): BranchlineError<"LOG_DAMAGED"> {
  return new BranchlineError(
    "LOG_DAMAGED",
    { problems },
    {
      message: `${path} is damaged in ${problems} places.`,
      hint: "`branchline fsck` lists them; without strict mode the session opens all the same.",
      place: { file: path },
    },
  );
}
