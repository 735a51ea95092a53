import { basename, dirname, join } from "node:path";
import { BranchlineError } from "../errors.ts";
import { sameFile } from "./file-identity.ts";
import type { FileHandle, FileStat, FileSystem } from "./file-system.ts";
import { ioFailed, refusesLinks } from "./io-failure.ts";
import type { Random } from "./random.ts";

/** Written bytes of a long file that are worth a sync of their own. */
const SYNC_BYTES: number = 16 * 1024 * 1024;

/** "full" = on stable storage when it returns (P1); "process" = survives the process only. */
export type Durability = "full" | "process";

/** What {@link publish} puts where. */
export interface PublishOptions {
  readonly path: string;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
  /** "never": `IO_FAILED` with EEXIST when something stands at the path. */
  readonly overwrite: "never" | "replace";
  /** Default "full". */
  readonly durability?: Durability;
  /**
   * The file that was read before: when what stands at the path is not that file with that size and
   * time any more, nothing is published (`FILE_REPLACED`). Call it under the writer's lock.
   */
  readonly ifUnchanged?: FileStat;
  /** Looks at the finished temporary file before it takes the place; throw to stop. */
  readonly verify?: (temporaryPath: string) => Promise<void>;
  /** Work that needs no disk, done while the written bytes are brought to it. */
  readonly meanwhile?: () => void;
  readonly random: Random;
}

/**
 * Puts a whole file at a path atomically: a temporary file in the same directory (mode 0600), sync,
 * rename, sync of the directory (design §2, R12). A reader or a crash sees the old file or the new
 * one, never a part. On failure the temporary file is removed and the old file is untouched; only when
 * the last step, the sync of the directory, fails is the new file already in place. Gives the stat of
 * the new file. Throws `IO_FAILED`, `FILE_REPLACED` and what `content` and `verify` throw.
 */
export async function publish(fileSystem: FileSystem, options: PublishOptions): Promise<FileStat> {
  const directory = dirname(options.path);
  const token = Buffer.from(options.random.bytes(8)).toString("hex");
  const temporary = join(directory, `.${basename(options.path)}.${token}.tmp`);
  const handle = await fileSystem.open(temporary, "create");
  let published: FileStat;
  try {
    published = await writeAndClose(handle, temporary, options);
    await options.verify?.(temporary);
    await checkUnchanged(fileSystem, options);
    if (options.overwrite === "replace") await fileSystem.rename(temporary, options.path);
    else await placeWithoutReplacing(fileSystem, temporary, options.path);
  } catch (error) {
    // The first failure is the one to report; a leftover temporary file does no harm.
    await fileSystem.removeFile(temporary).catch(() => false);
    throw error;
  }
  if (options.durability !== "process") await fileSystem.syncDirectory(directory);
  return published;
}

async function writeAndClose(
  handle: FileHandle,
  temporary: string,
  options: PublishOptions,
): Promise<FileStat> {
  try {
    const { content } = options;
    const sync = (): Promise<void> =>
      options.durability === "process" ? Promise.resolve() : handle.sync();
    if (content instanceof Uint8Array) await writeAll(handle, content, temporary);
    else await writeChunks(handle, content, { path: temporary, sync });
    const syncing = sync();
    try {
      options.meanwhile?.();
    } finally {
      await syncing;
    }
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

/**
 * The next chunk is made while the one before it is written. One at most is under way: when a chunk is
 * asked for, all but the last one are done with. Of a long file the first chunks are brought to the disk
 * while the next ones are written, so that the last sync has little left to wait for.
 */
async function writeChunks(
  handle: FileHandle,
  content: AsyncIterable<Uint8Array>,
  { path, sync }: { readonly path: string; readonly sync: () => Promise<void> },
): Promise<void> {
  let writing = Promise.resolve();
  let syncing: Promise<void> | null = null;
  let unsynced = 0;
  try {
    for await (const chunk of content) {
      await writing;
      writing = writeAll(handle, chunk, path);
      // Awaited before the next one; until then its failure is nobody's.
      writing.catch(() => undefined);
      unsynced += chunk.byteLength;
      if (unsynced < SYNC_BYTES) continue;
      await syncing;
      unsynced = 0;
      syncing = sync();
      syncing.catch(() => undefined);
    }
  } finally {
    await writing;
    await syncing;
  }
}

/** Nobody else has the temporary file, so a short write may be continued here. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, path: string): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) {
    const count = await handle.write(bytes.subarray(written));
    if (count === 0) throw ioFailed({ operation: "write", path }, "EIO");
    written += count;
  }
}

async function checkUnchanged(fileSystem: FileSystem, options: PublishOptions): Promise<void> {
  const expected = options.ifUnchanged;
  if (expected === undefined) return;
  const present = await fileSystem.lstat(options.path);
  const unchanged =
    present !== undefined &&
    sameFile(present, expected) &&
    present.size === expected.size &&
    present.mtimeMs === expected.mtimeMs;
  if (unchanged) return;
  throw new BranchlineError(
    "FILE_REPLACED",
    { path: options.path },
    {
      message: `${options.path} changed while it was being rewritten; nothing was replaced.`,
      hint: "Run the command again: it reads the present file.",
    },
  );
}

/** `link` is the one call that never replaces; without it a check has to do, under the caller's lock. */
async function placeWithoutReplacing(
  fileSystem: FileSystem,
  temporary: string,
  path: string,
): Promise<void> {
  try {
    await fileSystem.link(temporary, path);
  } catch (error) {
    if (!refusesLinks(error)) throw error;
    if ((await fileSystem.lstat(path)) !== undefined) {
      throw ioFailed({ operation: "rename", path }, "EEXIST");
    }
    await fileSystem.rename(temporary, path);
    return;
  }
  // The file is in its place; a second name left behind does no harm and is no failure.
  await fileSystem.removeFile(temporary).catch(() => false);
}
