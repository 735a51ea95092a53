import { statSync } from "node:fs";
import path from "node:path";
import { isSessionId } from "../entry/ids.ts";
import { BranchlineError } from "../errors.ts";
import { type LocalIndex, openLocalIndex } from "../local/local-index.ts";
import { Session } from "../session/session.ts";
import { createJsonlStore, type JsonlStore } from "../store/jsonl/jsonl-store.ts";
import type { ListOptions, OpenOptions, SessionSummary, StoreSession } from "../store/store.ts";
import { byActivity } from "../store/summary.ts";
import type { CliIo } from "./cli-io.ts";
import { type DataRoot, dataRoots, ownRoot } from "./data-roots.ts";
import { usage } from "./usage.ts";

/** A data root with the store that reads and writes it. */
export interface OpenRoot extends DataRoot {
  readonly store: JsonlStore;
}

/** A session that was found: its file and the store that opens it. */
export interface FoundSession {
  readonly path: string;
  readonly store: JsonlStore;
}

/** How sessions are looked for. */
export interface LocatorOptions {
  /** Only this folder (--root); relative to the current folder. */
  readonly root: string | undefined;
  /** "off" reads the files instead (--no-index); BRANCHLINE_INDEX=off does so too. Default "on". */
  readonly index?: "on" | "off";
  /** "allow" writes on network file systems (--allow-network); BRANCHLINE_ALLOW_NETWORK=1 does so too. */
  readonly network?: "allow" | "refuse";
  /** Told in one sentence when a damaged session was opened. */
  readonly onDamage: (text: string) => void;
}

/**
 * Finds and opens sessions by file path, id, unique id prefix, name or "last", in our data root and in
 * Pi's session folder. Never follows a path that comes from data. Close it: it closes what it opened.
 */
export class SessionLocator implements AsyncDisposable {
  readonly #io: CliIo;
  readonly #options: LocatorOptions;
  readonly #index: LocalIndex | null;
  #roots: readonly [OpenRoot, ...OpenRoot[]] | undefined;

  constructor(io: CliIo, options: LocatorOptions) {
    this.#io = io;
    this.#options = options;
    const isOff = options.index === "off" || io.env.BRANCHLINE_INDEX === "off";
    this.#index = isOff ? null : openLocalIndex({ root: ownRoot(io).directory });
  }

  /** The index of our data root, which knows the sessions of all roots; null where it is switched off. */
  get index(): LocalIndex | null {
    return this.#index;
  }

  /** The roots, ours or the given one first. */
  get roots(): readonly [OpenRoot, ...OpenRoot[]] {
    this.#roots ??= this.#openRoots();
    return this.#roots;
  }

  /** Whether network file systems are written. */
  get allowNetwork(): boolean {
    return this.#options.network === "allow" || this.#io.env.BRANCHLINE_ALLOW_NETWORK === "1";
  }

  /** Where new sessions go. */
  get home(): OpenRoot {
    return this.roots[0];
  }

  /** Rows of all roots, newest activity first. */
  async list(options: ListOptions = {}): Promise<readonly SessionSummary[]> {
    const lists: SessionSummary[][] = [];
    for (const { store } of this.roots) {
      const rows: SessionSummary[] = [];
      for await (const row of store.list(options)) rows.push(row);
      if (rows.length > 0) lists.push(rows);
    }
    const [only = [], ...others] = lists;
    if (others.length === 0) return only;
    // Roots may lie in each other.
    const rows = new Map(lists.flat().map((row) => [row.path ?? row.id, row]));
    return [...rows.values()].sort(byActivity);
  }

  /**
   * The session that a reference means; without one, the newest of the current folder. Throws
   * SESSION_UNKNOWN, SESSION_AMBIGUOUS, USAGE for an empty one.
   */
  async find(reference: string | undefined): Promise<FoundSession> {
    if (reference !== undefined) assertReference(reference);
    if (reference === undefined) return await this.#newest(this.#io.cwd);
    if (reference === "last") return await this.#newest(undefined);
    if (isPath(reference)) {
      return { path: path.resolve(this.#io.cwd, reference), store: this.home.store };
    }
    return (await this.#byExactId(reference)) ?? (await this.#byRow(reference));
  }

  /** Opens a session's file; damage that is known by then is told to `onDamage`. The locator closes it. */
  async openFile(
    reference: string | undefined,
    options: Pick<OpenOptions, "tailFirst"> = {},
  ): Promise<StoreSession> {
    const found = await this.find(reference);
    const file = await found.store.openFile(found.path, options);
    const count = file.problems.filter((problem) => problem.code !== "VERSION_NEWER").length;
    if (count > 0) {
      const what = count === 1 ? "1 problem" : `${count} problems`;
      this.#options.onDamage(
        `note: the session file is damaged (${what}); what is readable is shown. ` +
          `See \`branchline fsck ${found.path}\`.`,
      );
    }
    return file;
  }

  /** A session's id and real path, without keeping it open. */
  async identify(reference: string): Promise<FoundSession & { readonly id: string }> {
    const found = await this.find(reference);
    await using file = await found.store.openFile(found.path);
    return { id: file.id, path: file.file ?? found.path, store: found.store };
  }

  /** Opens a session at its stored leaf. The locator closes it. */
  async open(
    reference: string | undefined,
    options: Pick<OpenOptions, "tailFirst"> = {},
  ): Promise<Session> {
    return await Session.attach(await this.openFile(reference, options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { store } of this.#roots ?? []) await store.close();
    await this.#index?.[Symbol.asyncDispose]();
  }

  #openRoots(): readonly [OpenRoot, ...OpenRoot[]] {
    const roots = dataRoots(this.#io, this.#options.root);
    const [first, ...further] = roots;
    // Pi lists its folder, trash or not: what is thrown away there goes to our own trash.
    const own = ownRoot(this.#io).directory;
    const folders = { trash: path.join(own, "trash"), blobs: path.join(own, "blobs") };
    const open = (root: DataRoot): OpenRoot => ({
      ...root,
      store: createJsonlStore({
        root: root.directory,
        // A session of ours may be linked to one of Pi's.
        bases: roots.flatMap(({ directory }) => (directory === root.directory ? [] : [directory])),
        allowNetwork: this.allowNetwork,
        ...(this.#index === null ? {} : { index: this.#index.sessions }),
        ...(root.kind === "pi" ? folders : {}),
      }),
    });
    return [open(first), ...further.map(open)];
  }

  /** A file of another user is never taken unasked (reliability.md §3 row 50): it has to be named. */
  async #newest(cwd: string | undefined): Promise<FoundSession> {
    const rows = await this.list(cwd === undefined ? {} : { cwd });
    const row = rows.find(({ path: file }) => file === null || isOwnFile(file));
    if (row !== undefined) return await this.#foundOf(row);
    const [foreign] = rows;
    if (foreign !== undefined) {
      const hint = `Name it to open it: ${foreign.id}`;
      throw unknownSession(cwd ?? "last", "All sessions there belong to another user.", hint);
    }
    const what = cwd === undefined ? "There is no session yet" : `No session belongs to ${cwd}`;
    throw unknownSession(cwd ?? "last", `${what}.`);
  }

  async #byExactId(reference: string): Promise<FoundSession | null> {
    if (!isSessionId(reference)) return null;
    for (const { store } of this.roots) {
      try {
        return { path: await store.findFile(reference), store };
      } catch (error) {
        if (!BranchlineError.is(error, "SESSION_UNKNOWN")) throw error;
      }
    }
    return null;
  }

  async #byRow(reference: string): Promise<FoundSession> {
    const rows = await this.list();
    const named = rows.filter((row) => row.name === reference);
    const matches = named.length > 0 ? named : rows.filter((row) => row.id.startsWith(reference));
    const [match] = matches;
    if (match === undefined) {
      throw unknownSession(reference, `No session has the id, id prefix or name ${reference}.`);
    }
    if (matches.length === 1) return await this.#foundOf(match);
    throw new BranchlineError(
      "SESSION_AMBIGUOUS",
      { reference, matches: matches.map((row) => row.id) },
      {
        message: `${matches.length} sessions fit ${reference}.`,
        hint: "Give more of the id, or the path of the file.",
      },
    );
  }

  async #foundOf(row: SessionSummary): Promise<FoundSession> {
    const { store } = this.home;
    return { path: row.path ?? (await store.findFile(row.id)), store };
  }
}

/** Every id begins with the empty text: an unset shell variable must not choose a session to remove. */
export function assertReference(reference: string): void {
  if (reference.trim() === "") throw usage("The session's name is empty.");
}

/** Where the system knows no users, every file is our own. */
function isOwnFile(file: string): boolean {
  const user = process.getuid?.();
  return user === undefined || statSync(file, { throwIfNoEntry: false })?.uid === user;
}

function isPath(reference: string): boolean {
  return /[/\\]/.test(reference) || /\.jsonl(\.zst)?$/.test(reference);
}

const LIST_HINT = "`branchline ls` lists the sessions; `branchline new` starts one here.";

function unknownSession(
  reference: string,
  message: string,
  hint: string = LIST_HINT,
): BranchlineError<"SESSION_UNKNOWN"> {
  return new BranchlineError("SESSION_UNKNOWN", { reference }, { message, hint });
}
