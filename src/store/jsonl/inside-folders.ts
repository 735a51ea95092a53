import { dirname, join, relative, sep } from "node:path";
import type { FileSystem } from "../../io/file-system.ts";
import { hasErrno } from "../../io/io-failure.ts";

/**
 * True where a path, of which the last parts need not be there yet, lies below one of these folders once
 * all links are followed (P10). A link that leads nowhere may lead anywhere later, so it is outside.
 */
export async function isInsideFolders(
  fileSystem: FileSystem,
  folders: readonly string[],
  path: string,
): Promise<boolean> {
  const place = await placeOf(fileSystem, path);
  if (place === null) return false;
  for (const folder of folders) {
    const real = await placeOf(fileSystem, folder);
    if (real !== null && place.startsWith(join(real, sep))) return true;
  }
  return false;
}

/** Where the nearest folder that is there really lies, and the rest of the path; null behind a broken link. */
async function placeOf(fileSystem: FileSystem, path: string): Promise<string | null> {
  for (let at = path; ; at = dirname(at)) {
    const real = await fileSystem.realpath(at).catch(missing);
    if (real !== null) return join(real, relative(at, path));
    if ((await fileSystem.lstat(at)) !== undefined) return null;
  }
}

function missing(error: unknown): null {
  if (hasErrno(error, "ENOENT")) return null;
  throw error;
}
