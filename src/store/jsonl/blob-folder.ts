import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { type BlobRef, blobRef } from "../../entry/blob-stub.ts";
import type { Entry } from "../../entry/entry.ts";
import { freezeDeep } from "../../entry/freeze.ts";
import { readEntryLine } from "../../entry/session-decoder.ts";
import { hasErrno } from "../../io/io-failure.ts";
import { publish } from "../../io/publish.ts";
import { packFrame, unpackWhole } from "../../io/zstd-frame.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";

const SUFFIX = ".zst";
/** Most bytes of a stored blob: zstd adds little to what cannot be packed. */
const MAX_STORED_BYTES: number = 257 * 1024 * 1024;

/** A blob as it lies on disk. */
export interface StoredBlob {
  readonly sha256: string;
  readonly path: string;
  /** Bytes on disk. */
  readonly size: number;
  readonly mtimeMs: number;
}

/** Lines that were moved out of session files: `<first two hex digits>/<sha256>.zst`. */
export class BlobFolder {
  readonly #root: string;
  readonly #env: Environment;
  /** Folders that are there for certain: making one durable costs several syncs. */
  readonly #made = new Set<string>();

  constructor(root: string, env: Environment) {
    this.#root = root;
    this.#env = env;
  }

  /** What the line would be stored as; writes nothing. `stored` = bytes on disk. */
  async measure(line: Uint8Array): Promise<BlobRef & { readonly stored: number }> {
    const { compressed } = await packFrame(line);
    return { ...refOf(line), stored: compressed };
  }

  /** Stores a line, durably; one that is there already is read and compared. Throws IO_FAILED. */
  async put(line: Uint8Array): Promise<BlobRef & { readonly stored: number }> {
    const { fileSystem, random, durability } = this.#env;
    const ref = refOf(line);
    const path = this.#pathOf(ref.sha256);
    const present = await fileSystem.lstat(path);
    if (present !== undefined && (await this.read(ref)) !== null)
      return { ...ref, stored: present.size };
    const { bytes: content } = await packFrame(line);
    const folder = dirname(path);
    if (!this.#made.has(folder)) await makeFolder(fileSystem, folder);
    this.#made.add(folder);
    await publish(fileSystem, { path, content, overwrite: "replace", random, durability });
    return { ...ref, stored: content.byteLength };
  }

  /** The line, or null where the blob is missing or is not what its name says. Throws IO_FAILED. */
  async read(ref: BlobRef): Promise<Uint8Array | null> {
    try {
      const path = this.#pathOf(ref.sha256);
      const packed = await this.#env.fileSystem.readFile(path, { maxBytes: MAX_STORED_BYTES });
      const line = await unpackWhole(packed, ref.bytes);
      return line !== null && refOf(line).sha256 === ref.sha256 ? line : null;
    } catch (error) {
      if (hasErrno(error, "ENOENT")) return null;
      throw error;
    }
  }

  /**
   * The entry that a stub stands for, frozen; the entry itself where it is no stub; null where its blob
   * is missing or damaged. The stub's parent counts: a copy may have been re-chained.
   */
  async resolve(entry: Entry): Promise<Entry | null> {
    const ref = blobRef(entry);
    if (ref === null) return entry;
    const line = await this.read(ref);
    const original = line === null ? null : readEntryLine(line);
    if (original?.id !== entry.id || original.type !== entry.type) return null;
    return freezeDeep({ ...original, parentId: entry.parentId } as Entry);
  }

  /** All blobs, in the order of their names. */
  async list(): Promise<readonly StoredBlob[]> {
    const { fileSystem } = this.#env;
    if ((await fileSystem.stat(this.#root))?.kind !== "directory") return [];
    const found: StoredBlob[] = [];
    for (const folder of await fileSystem.readDirectory(this.#root)) {
      if (folder.kind !== "directory") continue;
      for (const { name } of await fileSystem.readDirectory(join(this.#root, folder.name))) {
        const sha256 = name.slice(0, -SUFFIX.length);
        const path = join(this.#root, folder.name, name);
        const stat = path === this.#pathOf(sha256) ? await fileSystem.lstat(path) : undefined;
        if (stat?.kind !== "file") continue;
        found.push({ sha256, path, size: stat.size, mtimeMs: stat.mtimeMs });
      }
    }
    return found;
  }

  /** Removes a blob for good. */
  async remove(blob: StoredBlob): Promise<void> {
    await this.#env.fileSystem.removeFile(blob.path);
  }

  #pathOf(sha256: string): string {
    return join(this.#root, sha256.slice(0, 2), `${sha256}${SUFFIX}`);
  }
}

/** Name and length of a line. */
function refOf(line: Uint8Array): BlobRef {
  return { sha256: createHash("sha256").update(line).digest("hex"), bytes: line.byteLength };
}
