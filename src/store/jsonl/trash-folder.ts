import { basename, dirname, join } from "node:path";
import { isObject } from "../../entry/entry-check.ts";
import { isSessionId } from "../../entry/ids.ts";
import { publish } from "../../io/publish.ts";
import type { TrashedSession } from "../store.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";
import { moveFile } from "./move-file.ts";

const INFO_NAME = "info.json";
const SESSION_NAME = "session.jsonl";
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

  constructor(root: string, env: Environment) {
    this.#root = root;
    this.#env = env;
  }

  /** Moves a session file here. The note is durable before the file moves. */
  async add(id: string, path: string): Promise<void> {
    const { fileSystem, random, durability, clock } = this.#env;
    const folder = await this.#freeFolder(id);
    await makeFolder(fileSystem, folder);
    const note = { id, path, trashed: new Date(clock.now()).toISOString() };
    const content = Buffer.from(`${JSON.stringify(note)}\n`);
    const target = join(folder, INFO_NAME);
    await publish(fileSystem, { path: target, content, overwrite: "never", random, durability });
    await moveFile(this.#env, path, join(folder, SESSION_NAME));
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
    return found.sort((a, b) => (a.trashed < b.trashed ? 1 : -1));
  }

  /** The newest session with this id in the trash. */
  async find(id: string): Promise<TrashedFile | undefined> {
    return (await this.list()).find((trashed) => trashed.id === id);
  }

  /** Moves a session back to where it came from. Throws IO_FAILED with EEXIST where that is taken. */
  async restore(trashed: TrashedFile): Promise<void> {
    await moveFile(this.#env, trashed.trashedPath, trashed.path);
    await this.#forget(trashed);
  }

  /** Really removes a session. */
  async purge(trashed: TrashedFile): Promise<void> {
    await this.#env.fileSystem.removeFile(trashed.trashedPath);
    await this.#forget(trashed);
  }

  /** The empty folder stays: the port removes files only, and a name without a note is passed over. */
  async #forget(trashed: TrashedFile): Promise<void> {
    const folder = dirname(trashed.trashedPath);
    await this.#env.fileSystem.removeFile(join(folder, INFO_NAME));
    await this.#env.fileSystem.syncDirectory(folder);
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
    const note = join(folder, INFO_NAME);
    const trashedPath = join(folder, SESSION_NAME);
    if ((await fileSystem.lstat(note))?.kind !== "file") return null;
    if ((await fileSystem.lstat(trashedPath))?.kind !== "file") return null;
    const bytes = await fileSystem.readFile(note, { maxBytes: MAX_INFO_BYTES });
    const value: unknown = parse(Buffer.from(bytes).toString("utf8"));
    if (!isObject(value)) return null;
    const { id, path, trashed } = value;
    const fits = typeof id === "string" && typeof path === "string" && typeof trashed === "string";
    if (!fits || !isSessionId(id) || basename(path) === "") return null;
    return { id, path, trashed, trashedPath };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
