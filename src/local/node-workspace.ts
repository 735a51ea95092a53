import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { BranchlineError } from "../errors.ts";
import type { FileHandle, FileSystem } from "../io/file-system.ts";
import { createNodeFileSystem } from "../io/node-file-system.ts";
import { publish } from "../io/publish.ts";
import { systemRandom } from "../io/random.ts";

/** One name in a folder. `path` is relative to the root, with `/` between the names. */
export interface NodeWorkspaceName {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly bytes: number;
}

/** The beginning of a file; `bytes` is the size of the whole one. */
export interface NodeWorkspaceText {
  readonly text: string;
  readonly bytes: number;
  readonly cut: boolean;
}

/** What a workspace takes from outside. */
export interface NodeWorkspaceOptions {
  /** The folder; it has to be there. */
  readonly root: string;
  /** Default: that of this machine. */
  readonly fileSystem?: FileSystem;
}

/**
 * A folder of this machine that tools may work in (the port `Workspace` of the harness). Real paths are
 * compared, so neither `..` nor a link leads out; what is opened is no link itself (P10).
 *
 * @example
 * const tools = createDemoTools(new NodeWorkspace({ root: process.cwd() }));
 */
export class NodeWorkspace {
  readonly #root: string;
  readonly #fileSystem: FileSystem;

  constructor(options: NodeWorkspaceOptions) {
    this.#root = resolve(options.root);
    this.#fileSystem = options.fileSystem ?? createNodeFileSystem();
  }

  /** The names in a folder, sorted; hidden ones, links and what is no file are left out. */
  async list(folder: string, limit: number): Promise<readonly NodeWorkspaceName[]> {
    const real = await this.#existing(folder);
    const names: NodeWorkspaceName[] = [];
    for (const { name, kind } of await this.#fileSystem.readDirectory(real)) {
      if (names.length >= limit) break;
      if (name.startsWith(".") || (kind !== "file" && kind !== "directory")) continue;
      const path = await this.#relative(join(real, name));
      if (kind === "directory") names.push({ path, kind: "folder", bytes: 0 });
      else {
        const stat = await this.#fileSystem.lstat(join(real, name));
        names.push({ path, kind, bytes: stat?.size ?? 0 });
      }
    }
    return names;
  }

  /** The first `maxBytes` bytes as text; bytes that are no UTF-8 show as U+FFFD. */
  async read(path: string, maxBytes: number): Promise<NodeWorkspaceText> {
    const real = await this.#existing(path);
    const handle = await this.#fileSystem.open(real, "read");
    try {
      const { size } = await handle.stat();
      const bytes = await readUpTo(handle, Math.min(size, maxBytes));
      const cut = bytes.length < size;
      // A character that the cut goes through is left out.
      const text = new TextDecoder().decode(bytes, { stream: cut });
      return { text, bytes: size, cut };
    } finally {
      await handle.close();
    }
  }

  /** Writes a whole file, atomically, in the place of what was there. */
  async write(path: string, text: string): Promise<void> {
    const { folder, target } = await this.#target(path);
    await this.#fileSystem.makeDirectory(folder);
    // Asked again: the folder may have been there as a link.
    const real = join(await this.#inside(folder, path), basename(target));
    const present = await this.#fileSystem.lstat(real);
    if (present !== undefined && present.kind !== "file") throw unsafe(path, "it is no file");
    const content = new TextEncoder().encode(text);
    await publish(this.#fileSystem, {
      path: real,
      content,
      overwrite: "replace",
      random: systemRandom,
    });
  }

  async #existing(path: string): Promise<string> {
    const target = this.#lexical(path);
    if ((await this.#fileSystem.stat(target)) === undefined) throw missing(path);
    return await this.#inside(target, path);
  }

  /** Where a new file goes: the part of its folder that is there must not lead out. */
  async #target(path: string): Promise<{ readonly folder: string; readonly target: string }> {
    const target = this.#lexical(path);
    if (target === this.#root) throw unsafe(path, "it is the folder itself");
    const folder = dirname(target);
    let there = folder;
    // A link that leads nowhere is there as well: nothing is made through it.
    while ((await this.#fileSystem.lstat(there)) === undefined) there = dirname(there);
    await this.#inside(there, path);
    return { folder, target };
  }

  #lexical(path: string): string {
    if (path.includes("\0")) throw unsafe(path, "it holds a NUL");
    if (isAbsolute(path)) throw unsafe(path, "it is not relative to the workspace");
    const target = resolve(this.#root, path);
    if (!isWithin(this.#root, target)) throw unsafe(path, "it leads out of the workspace");
    return target;
  }

  async #inside(target: string, path: string): Promise<string> {
    const root = await this.#fileSystem.realpath(this.#root);
    const real = await this.#fileSystem.realpath(target);
    if (!isWithin(root, real)) throw unsafe(path, "a link leads out of the workspace");
    return real;
  }

  async #relative(real: string): Promise<string> {
    const root = await this.#fileSystem.realpath(this.#root);
    return relative(root, real).split(sep).join("/");
  }
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

async function readUpTo(handle: FileHandle, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = await handle.read(bytes.subarray(filled), filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

function unsafe(path: string, reason: string): BranchlineError<"FILE_UNSAFE"> {
  return new BranchlineError(
    "FILE_UNSAFE",
    { path, reason },
    { message: `${path} is refused: ${reason}.`, hint: "Name a path inside the workspace." },
  );
}

function missing(path: string): BranchlineError<"FILE_MISSING"> {
  return new BranchlineError(
    "FILE_MISSING",
    { path },
    { message: `There is no ${path} in the workspace.`, hint: "List the folder first." },
  );
}
