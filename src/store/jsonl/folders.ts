import { dirname } from "node:path";
import type { FileSystem } from "../../io/file-system.ts";

/**
 * Makes a folder and its missing parents, and makes their names durable: a file in a folder whose own
 * name is lost with the power is lost too (P1).
 */
export async function makeFolder(fileSystem: FileSystem, path: string): Promise<void> {
  const topmost = await fileSystem.makeDirectory(path);
  if (topmost === undefined) return;
  const above = dirname(topmost);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    await fileSystem.syncDirectory(folder);
    if (folder === above) return;
  }
}
