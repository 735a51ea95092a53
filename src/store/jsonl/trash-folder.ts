import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { isObject } from "../../entry/entry-check.ts";
import { isSessionId } from "../../entry/ids.ts";
import { BranchlineError } from "../../errors.ts";
import { isArchivePath, unarchivedPath } from "../../io/archive-file-system.ts";
import { publish } from "../../io/publish.ts";
import type { TrashedSession } from "../store.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";
import { isInsideFolders } from "./inside-folders.ts";
import { moveFile } from "./move-file.ts";
import { removeLocks } from "./run-locks.ts";

const INFO_NAME = "info.json";
const MAX_INFO_BYTES = 64 * 1024;

/** A session in the trash and where it lies there. */
export interface TrashedFile extends TrashedSession {
  readonly path: string;
  readonly trashedPath: string;
}

/** Sessions that were taken out of sight: one folder each, with a note of where it came from. */
export class TrashFolder {
  readonly #root: string;
  readonly #env: Environment;
  readonly #places: readonly string[];

  /** `places` = folders of sessions: a note may send a file back to a place below one of them only. */
  constructor(root: string, env: Environment, places: readonly string[]) {
    this.#root = root;
    this.#env = env;
    this.#places = places;
  }

  /** Moves a session file here. The note is durable before the file moves. Throws FILE_UNSAFE, IO_FAILED. */
  async add(id: string, path: string): Promise<void> {
    const { fileSystem, random, durability, clock } = this.#env;
    if (!isSessionPath(path)) throw noSessionName(path);
    const folder = await this.#freeFolder(id);
    await makeFolder(fileSystem, folder);
    const note = { id, path, trashed: new Date(clock.now()).toISOString() };
    const content = Buffer.from(`${JSON.stringify(note)}\n`);
    const target = join(folder, INFO_NAME);
    await publish(fileSystem, { path: target, content, overwrite: "never", random, durability });
    await moveFile(this.#env, path, join(folder, nameOf(path)));
  }

  /** All sessions here, newest first. Notes that cannot be read are passed over. */
  async list(): Promise<readonly TrashedFile[]> {
    const { fileSystem } = this.#env;
    if ((await fileSystem.stat(this.#root))?.kind !== "directory") return [];
    const found: TrashedFile[] = [];
    for (const { name, kind } of await fileSystem.readDirectory(this.#root)) {
      const info = kind === "directory" ? await this.#read(join(this.#root, name)) : null;
      if (info !== null) found.push(info);
    }
    // Folders come in the order of their names; of two at the same time the later number is newer.
    return found
      .reverse()
      .sort((a, b) => Number(a.trashed < b.trashed) - Number(a.trashed > b.trashed));
  }

  /** The newest session with this id in the trash. */
  async find(id: string): Promise<TrashedFile | undefined> {
    return (await this.list()).find((trashed) => trashed.id === id);
  }

  /**
   * Moves a session back to where it came from, or into a folder that a person named. What
   * the note says is data: no path from there leaves the folders of sessions (P10). Throws TARGET_INVALID
   * for such a one, IO_FAILED with EEXIST where the place is taken; the session stays in the trash then.
   */
  async restore(trashed: TrashedFile, to?: string): Promise<void> {
    const target = to === undefined ? trashed.path : join(to, basename(trashed.path));
    if (to === undefined && !(await this.#isOurs(target))) throw outside(trashed);
    await moveFile(this.#env, trashed.trashedPath, target);
    await this.#forget(trashed);
  }

  #isOurs(path: string): Promise<boolean> {
    return isInsideFolders(this.#env.fileSystem, this.#places, path);
  }

  /** Really removes all that lies here under an id; gives how many files that were. */
  async purge(id: string): Promise<number> {
    const { fileSystem } = this.#env;
    const found = (await this.list()).filter((trashed) => trashed.id === id);
    for (const trashed of found) {
      await fileSystem.removeFile(trashed.trashedPath);
      await this.#forget(trashed);
      await this.#removeLocks(unarchivedPath(trashed.path));
    }
    return found.length;
  }

  /** The empty folder stays: the port removes files only, and a name without a note is passed over. */
  async #forget(trashed: TrashedFile): Promise<void> {
    const folder = dirname(trashed.trashedPath);
    await this.#env.fileSystem.removeFile(join(folder, INFO_NAME));
    await this.#env.fileSystem.syncDirectory(folder);
  }

  /** Where it came from only the locks are left, unless there is a session again. */
  async #removeLocks(path: string): Promise<void> {
    const { fileSystem } = this.#env;
    if (!(await this.#isOurs(path))) return;
    for (const session of [path, `${path}.zst`]) {
      if ((await fileSystem.lstat(session)) !== undefined) return;
    }
    await removeLocks(fileSystem, path);
  }

  async #freeFolder(id: string): Promise<string> {
    const { fileSystem } = this.#env;
    for (let number = 0; ; number++) {
      const folder = join(this.#root, number === 0 ? id : `${id}~${number}`);
      if ((await fileSystem.lstat(join(folder, INFO_NAME))) === undefined) return folder;
    }
  }

  async #read(folder: string): Promise<TrashedFile | null> {
    const { fileSystem } = this.#env;
    const note = await fileSystem
      .readFile(join(folder, INFO_NAME), { maxBytes: MAX_INFO_BYTES })
      .then((bytes) => JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown)
      .catch(() => null);
    if (!isObject(note)) return null;
    const { id, path, trashed } = note;
    const fits = typeof id === "string" && typeof path === "string" && typeof trashed === "string";
    if (!fits || !isSessionId(id) || !isSessionPath(path)) return null;
    const trashedPath = join(folder, nameOf(path));
    const isThere = (await fileSystem.lstat(trashedPath))?.kind === "file";
    return isThere ? { id, path, trashed, trashedPath } : null;
  }
}

/** The name that a session has in its folder of the trash. */
function nameOf(path: string): string {
  return isArchivePath(path) ? "session.jsonl.zst" : "session.jsonl";
}

/** The note decides where a restored file goes, so it may only name a place for sessions (P10). */
function isSessionPath(path: string): boolean {
  const isPlain = isAbsolute(path) && normalize(path) === path && !path.includes("\u0000");
  return isPlain && (path.endsWith(".jsonl") || isArchivePath(path));
}

function outside({ id, path }: TrashedFile): BranchlineError<"TARGET_INVALID"> {
  const reason = "the trash says that it came from outside of the folders of sessions";
  return new BranchlineError(
    "TARGET_INVALID",
    { target: path, reason },
    {
      message: `${id} is not restored to ${path}: ${reason}. It stays in the trash.`,
      hint: `Say where it may go: \`branchline restore ${id} --to DIR\`.`,
    },
  );
}

function noSessionName(path: string): BranchlineError<"FILE_UNSAFE"> {
  const reason = "its name does not end with .jsonl, so it could not be restored";
  return new BranchlineError(
    "FILE_UNSAFE",
    { path, reason },
    { message: `${path}: ${reason}.`, hint: "Give the file a name that ends with .jsonl first." },
  );
}
