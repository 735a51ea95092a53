import { isArchivePath } from "../../io/archive-file-system.ts";
import type { FileStat, FileSystem } from "../../io/file-system.ts";

/** How a session file is looked at. */
export interface StatTools {
  readonly fileSystem: FileSystem;
  readonly statNow: ((path: string) => FileStat | undefined) | undefined;
}

/** What stands at a path; the fast way shows the packed size of an archive, so those go the other way. */
export async function statOf(
  { fileSystem, statNow }: StatTools,
  path: string,
): Promise<FileStat | undefined> {
  if (statNow === undefined || isArchivePath(path)) return await fileSystem.stat(path);
  return statNow(path);
}
