import { safeSessionId } from "../../entry/ids.ts";
import { baseOf } from "../../entry/session-base.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { readHeader } from "./header-read.ts";
import { idFromName } from "./id-from-name.ts";
import { walkSessions } from "./session-paths.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where sessions are looked for by id: the files below one root. */
export class SessionLookup {
  readonly #fileSystem: FileSystem;
  readonly #root: string;

  constructor(fileSystem: FileSystem, root: string) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  /**
   * Real paths of the files with this id; by file name first, which Pi and we choose by the id. Throws
   * IO_FAILED where it may be in a place that cannot be looked at.
   */
  async paths(id: string): Promise<readonly string[]> {
    return await this.#search(id, "all");
  }

  /** A UUID can only be taken by a file that it was made for, and such files are named by it. */
  async taken(id: string): Promise<readonly string[]> {
    return await this.#search(id, UUID.test(id) ? "named" : "all");
  }

  /** The id that a file is known by; without a header it is listed under the id in its name. */
  async idOf(path: string): Promise<string> {
    const read = await readHeader(this.#fileSystem, path);
    return read?.header.id ?? safeSessionId(idFromName(path));
  }

  /** Real paths of the files that are linked to a session. What cannot be read is passed over. */
  async linkedTo(id: string): Promise<readonly string[]> {
    const linked: string[] = [];
    for await (const { files } of walkSessions(this.#fileSystem, this.#root)) {
      for (const path of files) {
        if (await isLinkedTo(this.#fileSystem, path, id)) linked.push(path);
      }
    }
    return linked;
  }

  async #search(id: string, among: "all" | "named"): Promise<readonly string[]> {
    const named: string[] = [];
    const others: string[] = [];
    const failures: unknown[] = [];
    for await (const { files, skipped } of walkSessions(this.#fileSystem, this.#root)) {
      for (const { failure } of skipped) if (failure !== undefined) failures.push(failure);
      for (const path of files) (path.includes(id) ? named : others).push(path);
    }
    for (const paths of among === "all" ? [named, others] : [named]) {
      const found = await this.#withId(paths, id, failures);
      if (found.length > 0) return found;
    }
    // It may be where nobody could look, so nobody may say that it is not there.
    if (failures.length > 0) throw failures[0];
    return [];
  }

  async #withId(
    paths: readonly string[],
    id: string,
    failures: unknown[],
  ): Promise<readonly string[]> {
    const found: string[] = [];
    for (const path of paths) {
      try {
        if ((await this.idOf(path)) === id) found.push(path);
      } catch (error) {
        failures.push(error);
      }
    }
    return found;
  }
}

/** True for a session file whose base has this id; false, too, for what cannot be read. */
export async function isLinkedTo(
  fileSystem: FileSystem,
  path: string,
  id: string,
): Promise<boolean> {
  const found = await readHeader(fileSystem, path).catch(() => null);
  return found !== null && baseOf(found.header)?.session === id;
}
