import { isArchivePath } from "../../io/archive-file-system.ts";
import type { ArchiveEstimate } from "./archive-estimate.ts";
import type { RepackedFile } from "./archive-session.ts";
import type { BlobFolder } from "./blob-folder.ts";
import type { Environment } from "./environment.ts";
import type { BlobWork, GcMode, MovedPayloads, MoveRule } from "./move-payloads.ts";
import { archivedReadOnly, refuseWhileOpen } from "./open-elsewhere.ts";
import type { PrunedBlobs } from "./prune-blobs.ts";
import { presentPath, withSessionLock } from "./session-lock-hold.ts";

/** What {@link SessionUpkeep} works with. */
export interface SessionUpkeepOptions {
  readonly env: Environment;
  readonly blobs: BlobFolder;
  /** Data root: its files are always looked at before a blob is removed. */
  readonly root: string;
  /** Throws STORE_CLOSED when the store was closed. */
  readonly assertOpen: () => void;
}

/**
 * What makes cold sessions small: archives and blobs. Everything can be taken back byte for byte, and
 * nothing happens by itself (F016). Session files are named by path, as elsewhere in the JSONL store.
 * Each work is loaded when it is asked for.
 */
export class SessionUpkeep {
  readonly #options: SessionUpkeepOptions;

  constructor(options: SessionUpkeepOptions) {
    this.#options = options;
  }

  /**
   * Packs a session file into an archive beside it; it stays listed and can be opened to read. See
   * `archiveFile`; throws STORE_BUSY, too, where it is open in another process.
   */
  async archive(path: string): Promise<RepackedFile> {
    this.#options.assertOpen();
    const { env } = this.#options;
    const { archiveFile } = await import("./archive-session.ts");
    await refuseWhileOpen(env, await this.#realPath(path));
    return await withSessionLock(env, path, (real) => archiveFile(env, real));
  }

  /** What archiving a session file would save; writes nothing. */
  async estimateArchive(path: string): Promise<ArchiveEstimate> {
    this.#options.assertOpen();
    const { estimateArchive } = await import("./archive-estimate.ts");
    return await estimateArchive(this.#options.env, await this.#realPath(path));
  }

  /** Brings an archived session file back, byte for byte. See `unarchiveFile`. */
  async unarchive(path: string): Promise<RepackedFile> {
    this.#options.assertOpen();
    const { env } = this.#options;
    const { unarchiveFile } = await import("./archive-session.ts");
    return await withSessionLock(env, path, (real) => unarchiveFile(env, real));
  }

  /** Moves large payloads of a session file to blobs. See `movePayloads`. */
  async movePayloads(path: string, mode: GcMode, rule: MoveRule): Promise<MovedPayloads> {
    const { movePayloads } = await import("./move-payloads.ts");
    return await this.#onPayloads(path, mode, (work, real) => movePayloads(work, real, rule));
  }

  /** Puts them back, byte for byte. See `restorePayloads`. */
  async restorePayloads(path: string, mode: GcMode): Promise<MovedPayloads> {
    const { restorePayloads } = await import("./move-payloads.ts");
    return await this.#onPayloads(path, mode, restorePayloads);
  }

  /** Removes blobs that no session below the data root and these folders names. See `pruneBlobs`. */
  async pruneBlobs(roots: readonly string[], mode: GcMode): Promise<PrunedBlobs> {
    this.#options.assertOpen();
    const { env, blobs, root } = this.#options;
    const { pruneBlobs } = await import("./prune-blobs.ts");
    return await pruneBlobs({ env, blobs, mode }, [root, ...roots]);
  }

  /** A plan takes no lock: it writes nothing. */
  async #onPayloads<T>(
    path: string,
    mode: GcMode,
    run: (work: BlobWork, real: string) => Promise<T>,
  ): Promise<T> {
    this.#options.assertOpen();
    const { env, blobs } = this.#options;
    const work = { env, blobs, mode };
    const known = await this.#realPath(path);
    if (isArchivePath(known)) throw archivedReadOnly(known);
    if (mode === "plan") return await run(work, known);
    await refuseWhileOpen(env, known);
    return await withSessionLock(env, path, (real) => run(work, real));
  }

  async #realPath(path: string): Promise<string> {
    const { env } = this.#options;
    return await env.fileSystem.realpath(await presentPath(env, path));
  }
}
