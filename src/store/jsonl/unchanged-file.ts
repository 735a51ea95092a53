import { BranchlineError } from "../../errors.ts";
import { sameFile } from "../../io/file-identity.ts";
import type { FileStat, FileSystem } from "../../io/file-system.ts";
import { ioFailed } from "../../io/io-failure.ts";

/** What stands at a path; IO_FAILED with ENOENT where nothing does. */
export async function statOf(fileSystem: FileSystem, path: string): Promise<FileStat> {
  const stat = await fileSystem.stat(path);
  if (stat === undefined) throw ioFailed({ operation: "stat", path }, "ENOENT");
  return stat;
}

/** Throws FILE_REPLACED where the file is not any more the one of `before`, with its size and time. */
export async function assertUnchanged(
  fileSystem: FileSystem,
  path: string,
  before: FileStat,
): Promise<void> {
  const present = await statOf(fileSystem, path);
  const isSame =
    sameFile(present, before) && present.size === before.size && present.mtimeMs === before.mtimeMs;
  if (isSame) return;
  throw new BranchlineError(
    "FILE_REPLACED",
    { path },
    {
      message: `${path} was changed by another program while it was being copied.`,
      hint: "Try again: the present file is read anew.",
    },
  );
}
