import { BranchlineError } from "../errors.ts";
import { openArchive } from "./archive-file.ts";
import type {
  DirectoryEntry,
  FileHandle,
  FileStat,
  FileSystem,
  OpenMode,
  ReadFileOptions,
} from "./file-system.ts";
import { ioFailed } from "./io-failure.ts";

/** What the name of an archived session ends with. */
export const ARCHIVE_SUFFIX = ".jsonl.zst";

/** True for the path of an archived session. */
export function isArchivePath(path: string): boolean {
  return path.endsWith(ARCHIVE_SUFFIX);
}

/** The path that a session file has while it is not archived: its own, or that of the archive without `.zst`. */
export function unarchivedPath(path: string): string {
  return isArchivePath(path) ? path.slice(0, -".zst".length) : path;
}

/**
 * A file system that shows archived sessions (`*.jsonl.zst`) as what they hold, read-only: `open` and
 * `stat` give the content; opening one to write fails with IO_FAILED (EROFS). Everything else, also
 * moving and removing archives, goes to the file system below. One of one is the same one.
 */
export function withArchives(fileSystem: FileSystem): FileSystem {
  return fileSystem instanceof ArchiveFileSystem ? fileSystem : new ArchiveFileSystem(fileSystem);
}

/** The file system below, which shows archives as the files that they are. */
export function withoutArchives(fileSystem: FileSystem): FileSystem {
  return fileSystem instanceof ArchiveFileSystem ? fileSystem.base : fileSystem;
}

class ArchiveFileSystem implements FileSystem {
  readonly base: FileSystem;

  constructor(base: FileSystem) {
    this.base = base;
  }

  async open(path: string, mode: OpenMode): Promise<FileHandle> {
    if (!isArchivePath(path)) return await this.base.open(path, mode);
    if (mode !== "read") throw ioFailed({ operation: "open", path }, "EROFS");
    return await openArchive(await this.base.open(path, "read"), { path, damaged: "nul" });
  }

  stat(path: string): Promise<FileStat | undefined> {
    return isArchivePath(path) ? this.#statOfArchive(path) : this.base.stat(path);
  }

  async #statOfArchive(path: string): Promise<FileStat | undefined> {
    const stat = await this.base.stat(path);
    if (stat?.kind !== "file") return stat;
    try {
      // The real path, since an open follows no link.
      const handle = await this.open(await this.base.realpath(path), "read");
      try {
        return await handle.stat();
      } finally {
        await handle.close();
      }
    } catch (error) {
      // No archive, whatever its name: who opens it is told why.
      if (BranchlineError.is(error, "SESSION_INVALID")) return stat;
      throw error;
    }
  }

  lstat(path: string): Promise<FileStat | undefined> {
    return this.base.lstat(path);
  }

  realpath(path: string): Promise<string> {
    return this.base.realpath(path);
  }

  readDirectory(path: string): Promise<readonly DirectoryEntry[]> {
    return this.base.readDirectory(path);
  }

  makeDirectory(path: string): Promise<string | undefined> {
    return this.base.makeDirectory(path);
  }

  rename(from: string, to: string): Promise<void> {
    return this.base.rename(from, to);
  }

  link(existing: string, path: string): Promise<void> {
    return this.base.link(existing, path);
  }

  removeFile(path: string): Promise<boolean> {
    return this.base.removeFile(path);
  }

  syncDirectory(path: string): Promise<void> {
    return this.base.syncDirectory(path);
  }

  setTimes(path: string, atimeMs: number, mtimeMs: number): Promise<void> {
    return this.base.setTimes(path, atimeMs, mtimeMs);
  }

  readFile(path: string, options: ReadFileOptions): Promise<Uint8Array> {
    return this.base.readFile(path, options);
  }
}
