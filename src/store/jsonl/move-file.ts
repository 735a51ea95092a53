import { dirname } from "node:path";
import { hasErrno } from "../../io/io-failure.ts";
import { publish } from "../../io/publish.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";
import { scanBytes } from "./scan-bytes.ts";

/**
 * Moves a session file, durably, never over another one (IO_FAILED with EEXIST). Across file systems
 * it is copied and only then removed.
 */
export async function moveFile(env: Environment, from: string, to: string): Promise<void> {
  const { fileSystem } = env;
  await makeFolder(fileSystem, dirname(to));
  try {
    await fileSystem.link(from, to);
  } catch (error) {
    if (hasErrno(error, "EEXIST")) throw error;
    await copyFile(env, from, to);
  }
  await fileSystem.syncDirectory(dirname(to));
  await fileSystem.removeFile(from);
  await fileSystem.syncDirectory(dirname(from));
}

async function copyFile(env: Environment, from: string, to: string): Promise<void> {
  const { fileSystem, random, durability } = env;
  const content = scanBytes(fileSystem, from);
  await publish(fileSystem, { path: to, content, overwrite: "never", random, durability });
}
