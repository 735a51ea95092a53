import { dirname } from "node:path";
import { withoutArchives } from "../../io/archive-file-system.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { hasErrno, refusesLinks } from "../../io/io-failure.ts";
import { publish } from "../../io/publish.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";
import { scanBytes } from "./scan-bytes.ts";
import { assertUnchanged, statOf } from "./unchanged-file.ts";

/**
 * Moves a session file, durably, never over another one (IO_FAILED with EEXIST). The old name goes
 * only when the new one is there; where that fails, the new one is taken away again (P5). The caller
 * holds the file's lock.
 */
export async function moveFile(env: Environment, from: string, to: string): Promise<void> {
  const { fileSystem } = env;
  await makeFolder(fileSystem, dirname(to));
  // What fails here made no name, so whatever stands at the new one is somebody else's.
  await secondName(env, from, to);
  try {
    await fileSystem.syncDirectory(dirname(to));
    await fileSystem.removeFile(from);
  } catch (error) {
    await takeBack(fileSystem, from, to);
    throw error;
  }
  await fileSystem.syncDirectory(dirname(from));
}

/** Removes a second name that we gave a file. What goes wrong here leaves both names, and nothing is lost. */
async function takeBack(fileSystem: FileSystem, from: string, to: string): Promise<void> {
  try {
    const [old, second] = [await fileSystem.lstat(from), await fileSystem.lstat(to)];
    const isSame = old?.ino === second?.ino && old?.dev === second?.dev;
    if (old !== undefined && isSame) await fileSystem.removeFile(to);
  } catch {
    // The failure that led here is the one to tell.
  }
}

/**
 * Gives a file a second name, durably, never over another file (IO_FAILED with EEXIST). Where that is
 * not possible (another file system, or one without links) it is copied. Throws FILE_REPLACED where
 * another program writes to it meanwhile.
 */
export async function linkOrCopy(env: Environment, from: string, to: string): Promise<void> {
  await secondName(env, from, to);
  await env.fileSystem.syncDirectory(dirname(to));
}

async function secondName(env: Environment, from: string, to: string): Promise<void> {
  const { random, durability } = env;
  // An archive is copied as the file that it is.
  const fileSystem = withoutArchives(env.fileSystem);
  try {
    await fileSystem.link(from, to);
  } catch (error) {
    if (!refusesLinks(error) && !hasErrno(error, "EXDEV")) throw error;
    const before = await statOf(fileSystem, from);
    await publish(fileSystem, {
      path: to,
      content: scanBytes(fileSystem, from),
      overwrite: "never",
      random,
      durability,
      verify: () => assertUnchanged(fileSystem, from, before),
    });
  }
}
