import { isAbsolute, sep } from "node:path";
import type { SessionHeader } from "../../entry/entry.ts";
import type { LinePlace } from "../../entry/problem.ts";
import { baseOf, type SessionBase } from "../../entry/session-base.ts";
import { BranchlineError } from "../../errors.ts";
import type { TreeEntry } from "../../tree/tree-entry.ts";
import { notSupported } from "../refusals.ts";
import type { PathLink, StoreSession } from "../store.ts";
import type { Environment } from "./environment.ts";
import { isInsideFolders } from "./inside-folders.ts";
import {
  type EntriesBelow,
  LinkedBase,
  type LinkedBaseOptions,
  type TakenBase,
} from "./linked-base.ts";
import { presentPath } from "./session-lock-hold.ts";
import { isLinkedTo, SessionLookup } from "./session-lookup.ts";
import type { TrashFolder } from "./trash-folder.ts";

/** How many sessions may read from each other in a row. */
const MAX_LINKS = 32;

/** What keeps a base from being read, but not the session that is linked to it from being opened. */
const UNREADABLE = [
  "FILE_MISSING",
  "FILE_REPLACED",
  "FILE_TRUNCATED",
  "FILE_UNSAFE",
  "IO_FAILED",
  "SESSION_INVALID",
  "SESSION_UNKNOWN",
] as const;

/** Why nothing is read for a file that lies elsewhere. */
const FOREIGN =
  "is not read for a file outside of the folders of sessions; put the file into one of them, if you trust it";

/** What bases are looked for with. */
export interface BaseSessionsOptions {
  readonly env: Environment;
  /** Folders below which sessions may be linked to. */
  readonly roots: readonly string[];
  readonly trash: TrashFolder;
  /** Opens a session file that `above` read from: ids, the one that was opened first. */
  readonly open: (path: string, above: readonly string[]) => Promise<StoreSession>;
}

interface Wanted {
  readonly base: SessionBase;
  /** Ids of the sessions that were opened for it. */
  readonly chain: readonly string[];
  /** A handle that does not serve any more. */
  readonly stale: StoreSession | undefined;
}

interface Shared {
  readonly session: StoreSession;
  uses: number;
}

/**
 * The sessions that linked ones read from. All links of a store to one session share one open file. A
 * path from a header is followed only below the known folders (P10), and what stands there counts only
 * if it is the session that is meant; else that is looked for by its id, in the trash last.
 */
export class BaseSessions {
  readonly #options: BaseSessionsOptions;
  readonly #shared = new Map<string, Shared>();

  constructor(options: BaseSessionsOptions) {
    this.#options = options;
  }

  /**
   * What a session that is opened reads from its base; null where it has none. `above` are the ids of the
   * sessions that were opened for it, its own last. The caller closes it. `file` = where it lies, if that
   * may be anywhere: a file from outside of the folders, which anybody may have made, reads no session in
   * them, so that showing or sharing it gives away nothing (reliability.md S11, S13).
   */
  async below(
    header: SessionHeader,
    above: readonly string[],
    file?: string,
  ): Promise<EntriesBelow | null> {
    const base = baseOf(header);
    if (base === null) return null;
    const chain = [...above, header.id];
    const isOurs = file === undefined || (await this.#isOurs(file));
    const taken = isOurs ? await this.#find(base, chain) : FOREIGN;
    const isFound = typeof taken !== "string";
    const missing = isFound ? reachOf(taken.session, base) : taken;
    const below = this.#linked(header, base, {
      taken: isFound ? taken : null,
      missing,
      // What is missing further down is missing here, too.
      further: isFound ? taken.session.problems.filter(({ code }) => code === "BASE_MISSING") : [],
      path: () => (isFound ? pathTo(taken.session, base, missing) : []),
    });
    try {
      // Now, while what an index knows of the base is there.
      void below.tree;
      return below;
    } catch (error) {
      await below.close();
      throw error;
    }
  }

  /** What a session that was just made with this header reads, without opening the base yet. */
  made(header: SessionHeader, base: SessionBase, link: PathLink): EntriesBelow {
    const { tree } = link.from;
    return this.#linked(header, base, {
      taken: null,
      missing: null,
      further: [],
      path: () => tree.path(link.at),
    });
  }

  /**
   * Says what a new header has to name, once that is on stable storage (P1). Throws NOT_SUPPORTED for a
   * session without a file, TARGET_INVALID for one outside of the folders, IO_FAILED.
   */
  async refer({ from, at }: PathLink): Promise<SessionBase> {
    const { fileSystem, durability } = this.#options.env;
    const { file, id } = from;
    if (file === null) throw notSupported("links to sessions without a file");
    if (!(await this.#isInside(file))) throw outside(file);
    const handle = await fileSystem.open(file, "read");
    try {
      if (durability === "full") await handle.datasync();
      const { size } = await handle.stat();
      return { session: id, path: file, entry: at, bytes: size };
    } finally {
      await handle.close();
    }
  }

  /** Paths of the files, in the trash too, that are linked to a session. */
  async linkedTo(id: string): Promise<readonly string[]> {
    const { env, roots, trash } = this.#options;
    const linked: string[] = [];
    for (const root of roots) {
      for (const path of await new SessionLookup(env.fileSystem, root).linkedTo(id)) {
        linked.push(path);
      }
    }
    for (const { trashedPath } of await trash.list()) {
      if (await isLinkedTo(env.fileSystem, trashedPath, id)) linked.push(trashedPath);
    }
    return linked;
  }

  #isOurs(file: string): Promise<boolean> {
    const { env, roots } = this.#options;
    return isInsideFolders(env.fileSystem, roots, file);
  }

  #linked(
    header: SessionHeader,
    base: SessionBase,
    found: Omit<LinkedBaseOptions, "header" | "base" | "find">,
  ): LinkedBase {
    return new LinkedBase({
      ...{ header, base, ...found },
      find: async (stale) => {
        const taken = await this.#find(base, [header.id], stale);
        if (typeof taken !== "string") return taken;
        throw new BranchlineError(
          "FILE_MISSING",
          { path: base.path },
          {
            message: `The session ${base.session}, which this one is linked to, ${taken}.`,
            hint: "Put its file back; it is found by its id.",
          },
        );
      },
    });
  }

  /** The base, with the entry if any file of it has that; else why there is none. */
  async #find(
    base: SessionBase,
    chain: readonly string[],
    stale?: StoreSession,
  ): Promise<TakenBase | string> {
    if (chain.includes(base.session)) return "reads from this one in turn";
    if (chain.length > MAX_LINKS) return "stands behind too many others";
    let part: TakenBase | null = null;
    for await (const path of this.#places(base)) {
      const taken = await this.#try(path, { base, chain, stale });
      if (taken === null) continue;
      const isWhole = taken.session.tree.has(base.entry);
      if (isWhole || part === null) {
        await part?.release();
        part = taken;
      } else await taken.release();
      if (isWhole) break;
    }
    return part ?? "was not found";
  }

  /** Where the file may be: where it was, where a session has its id, in the trash. */
  async *#places({ path, session }: SessionBase): AsyncGenerator<string, void, void> {
    const { env, roots, trash } = this.#options;
    const present = await this.#present(path);
    if (present !== null) yield present;
    for (const root of roots) {
      const paths = await new SessionLookup(env.fileSystem, root).paths(session).catch(unreadable);
      for (const found of paths ?? []) if (found !== present) yield found;
    }
    const trashed = await trash.find(session).catch(unreadable);
    if (trashed != null) yield trashed.trashedPath;
  }

  /** The real path of the file that was named, or of its archive; null where none is inside. */
  async #present(path: string): Promise<string | null> {
    const { env } = this.#options;
    if (!isAbsolute(path) || path.includes("\u0000")) return null;
    const present = await presentPath(env, path).catch(unreadable);
    const real = present && (await env.fileSystem.realpath(present).catch(unreadable));
    return real !== null && (await this.#isInside(real)) ? real : null;
  }

  async #isInside(real: string): Promise<boolean> {
    const { env, roots } = this.#options;
    for (const root of roots) {
      const folder = await env.fileSystem.realpath(root).catch(unreadable);
      if (folder !== null && real.startsWith(folder + sep)) return true;
    }
    return false;
  }

  /** The session at a path, if it is the one that is meant. */
  async #try(path: string, wanted: Wanted): Promise<TakenBase | null> {
    const taken = await this.#take(path, wanted).catch(unreadable);
    if (taken === null || taken.session.id === wanted.base.session) return taken;
    await taken.release();
    return null;
  }

  async #take(path: string, { base, chain, stale }: Wanted): Promise<TakenBase> {
    const known = this.#shared.get(path);
    if (known !== undefined && known.session !== stale) {
      const taken = this.#use(path, known);
      if (await reaches(known.session, base.entry)) return taken;
      await taken.release();
    }
    const session = await this.#options.open(path, chain);
    const shared = { session, uses: 0 };
    // Waiting for an open that another one began could wait for itself, where links run in a circle.
    this.#shared.set(path, shared);
    return this.#use(path, shared);
  }

  #use(path: string, shared: Shared): TakenBase {
    shared.uses++;
    return {
      session: shared.session,
      release: async () => {
        if (--shared.uses > 0) return;
        if (this.#shared.get(path) === shared) this.#shared.delete(path);
        await shared.session.close();
      },
    };
  }
}

/** Reads on where the entry was not there yet when the file was opened. */
async function reaches(session: StoreSession, entry: string): Promise<boolean> {
  try {
    if (session.tree.has(entry)) return true;
    await session.refresh();
    return session.tree.has(entry);
  } catch {
    // Whatever is wrong with this handle: the file is opened anew.
    return false;
  }
}

/** Why the path does not end where it did, or null. */
function reachOf({ tree }: StoreSession, { entry }: SessionBase): string | null {
  return tree.has(entry) ? null : `does not hold the entry ${entry} any more`;
}

/** The path; where its end is lost, that to the last entry which may have stood before it. */
function pathTo(
  session: StoreSession,
  { entry, bytes }: SessionBase,
  missing: string | null,
): readonly TreeEntry[] {
  const { tree } = session;
  if (missing === null) return tree.path(entry);
  let last = tree.at(tree.size - 1);
  while (last !== undefined && standsBehind(session.placeOf(last.id), bytes)) {
    last = tree.at(last.ordinal - 1);
  }
  return tree.path(last?.id ?? null);
}

/** What has no place in the file is the base's own beginning. */
function standsBehind(place: LinePlace | null, bytes: number): boolean {
  return place !== null && place.byteStart >= bytes;
}

/** Null for what keeps a file from being read; anything else is thrown. */
function unreadable(error: unknown): null {
  if (UNREADABLE.some((code) => BranchlineError.is(error, code))) return null;
  throw error;
}

function outside(path: string): BranchlineError<"TARGET_INVALID"> {
  const reason = "it lies outside of the folders in which sessions are looked for";
  return new BranchlineError(
    "TARGET_INVALID",
    { target: path, reason },
    {
      message: `No session can be linked to ${path}: ${reason}.`,
      hint: "Copy it instead: leave --link out.",
    },
  );
}
