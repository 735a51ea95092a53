import { dirname } from "node:path";
import type { FileSystem } from "../../io/file-system.ts";

/**
 * Makes a folder and its missing parents, and makes their names durable: a file in a folder whose own
 * name is lost with the power is lost too (P1). The folder's own name is synced also where it was
 * there, since whoever made it may have failed before that.
 */
export async function makeFolder(fileSystem: FileSystem, path: string): Promise<void> {
  const topmost = (await fileSystem.makeDirectory(path)) ?? path;
  const above = dirname(topmost);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    await fileSystem.syncDirectory(folder);
    if (folder === above) return;
  }
}
