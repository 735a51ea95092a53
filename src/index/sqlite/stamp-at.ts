import { isArchivePath } from "../../io/archive-file-system.ts";
import { type FileStamp, stampOf } from "../../io/file-stamp.ts";
import type { FileSystem } from "../../io/file-system.ts";

/** How a session file is looked at. */
export interface StatTools {
  readonly fileSystem: FileSystem;
  readonly stampNow: ((path: string) => FileStamp | undefined) | undefined;
}

/**
 * What tells whether the file at a path has changed, without waiting; undefined where that cannot be told so
 * quickly. The quick way shows the packed size of an archive, so those go the other way.
 */
export function quickStamp({ stampNow }: StatTools, path: string): FileStamp | undefined {
  return stampNow === undefined || isArchivePath(path) ? undefined : stampNow(path);
}

/** The same, whatever it takes; undefined where nothing is. */
export async function stampAt(tools: StatTools, path: string): Promise<FileStamp | undefined> {
  const quick = quickStamp(tools, path);
  if (quick !== undefined) return quick;
  const stat = await tools.fileSystem.stat(path);
  return stat === undefined ? undefined : stampOf(stat);
}
