import { basename, dirname, join } from "node:path";
import { BranchlineError } from "../../errors.ts";
import { openArchive } from "../../io/archive-file.ts";
import { isArchivePath, unarchivedPath, withoutArchives } from "../../io/archive-file-system.ts";
import { packArchive } from "../../io/archive-writer.ts";
import type { FileHandle, FileStat, FileSystem } from "../../io/file-system.ts";
import { errnoOf, ioFailed } from "../../io/io-failure.ts";
import { publish } from "../../io/publish.ts";
import { readExactly } from "../../io/read-exactly.ts";
import type { Environment } from "./environment.ts";
import { moveFile } from "./move-file.ts";
import { scanBytes, scanHandle } from "./scan-bytes.ts";
import { assertUnchanged, statOf } from "./unchanged-file.ts";

/** A session file that was packed or unpacked. Sizes in bytes. */
export interface RepackedFile {
  readonly from: string;
  readonly path: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Packs a session file into `<name>.jsonl.zst` beside it. The archive is read back and compared byte for
 * byte, and only then does the original go, if nobody wrote to it meanwhile (FILE_REPLACED). A failure
 * at any step leaves the original or the archive, whole; done again, it goes on where it was (F013).
 * The caller holds the lock of the session. Throws TARGET_INVALID for what is no `*.jsonl`,
 * NOT_SUPPORTED, IO_FAILED (EEXIST: another archive has that name).
 */
export async function archiveFile(env: Environment, path: string): Promise<RepackedFile> {
  assertPlainName(path);
  const fileSystem = withoutArchives(env.fileSystem);
  const { random, durability } = env;
  const target = `${path}.zst`;
  const before = await statOf(fileSystem, path);
  if (!(await hasWholeArchive(fileSystem, path, target))) {
    await publish(fileSystem, {
      path: target,
      content: packArchive(scanBytes(fileSystem, path), { path }),
      overwrite: "never",
      random,
      durability,
      verify: async (temporary) => {
        await assertSame(fileSystem, path, temporary);
        await assertUnchanged(fileSystem, path, before);
      },
    });
  }
  await keepTime(fileSystem, target, before);
  await retire(env, { path, before, archive: target });
  const { size } = await statOf(fileSystem, target);
  return { from: path, path: target, bytesBefore: before.size, bytesAfter: size };
}

/**
 * The same backwards: the very bytes that were archived stand at `<name>.jsonl` again, and only then
 * does the archive go. The caller holds the lock of the session. Throws TARGET_INVALID for what is no
 * archive, SESSION_INVALID and IO_FAILED (EBADMSG) for a damaged one, IO_FAILED (EEXIST) where another
 * file has the name.
 */
export async function unarchiveFile(env: Environment, path: string): Promise<RepackedFile> {
  if (!isArchivePath(path)) throw targetInvalid(path, "it is not archived");
  const fileSystem = withoutArchives(env.fileSystem);
  const { random, durability } = env;
  const target = unarchivedPath(path);
  const before = await statOf(fileSystem, path);
  const present = await fileSystem.lstat(target);
  if (present === undefined) {
    await publish(fileSystem, {
      path: target,
      content: scanHandle(() => strictArchive(fileSystem, path)),
      overwrite: "never",
      random,
      durability,
      verify: async (temporary) => {
        await assertSame(fileSystem, temporary, path);
        await assertUnchanged(fileSystem, path, before);
      },
    });
    await keepTime(fileSystem, target, before);
  } else if ((await relationOf(fileSystem, target, path)) === "other") throw taken(target);
  await fileSystem.removeFile(path);
  if (durability === "full") await fileSystem.syncDirectory(dirname(path));
  const { size } = await statOf(fileSystem, target);
  return { from: path, path: target, bytesBefore: before.size, bytesAfter: size };
}

/** An archive that an earlier try left; one of a shorter state of this file is removed. */
async function hasWholeArchive(
  fileSystem: FileSystem,
  path: string,
  archive: string,
): Promise<boolean> {
  if ((await fileSystem.lstat(archive)) === undefined) return false;
  const relation = await relationOf(fileSystem, path, archive);
  if (relation === "other") throw taken(archive);
  if (relation === "same") return true;
  await fileSystem.removeFile(archive);
  return false;
}

/**
 * Takes the original away. It gets a hidden name first, so that what another program appends by path up
 * to that moment is seen, and what it appends later goes to no file that is about to be removed.
 */
async function retire(
  env: Environment,
  file: { readonly path: string; readonly before: FileStat; readonly archive: string },
): Promise<void> {
  const fileSystem = withoutArchives(env.fileSystem);
  const { path, before, archive } = file;
  const token = Buffer.from(env.random.bytes(8)).toString("hex");
  const aside = join(dirname(path), `.${basename(path)}.${token}.old`);
  await fileSystem.rename(path, aside);
  try {
    await assertUnchanged(fileSystem, aside, before);
    await fileSystem.removeFile(aside);
  } catch (error) {
    // Never over a file that another program has made under the name meanwhile.
    await moveFile(env, aside, path).catch((cause: unknown) => {
      throw leftAside(aside, cause);
    });
    if (BranchlineError.is(error, "FILE_REPLACED")) await fileSystem.removeFile(archive);
    throw error;
  }
  if (env.durability === "full") await fileSystem.syncDirectory(dirname(path));
}

/** Nothing is lost, but people have to know where the file stands that other programs look for. */
function leftAside(aside: string, cause: unknown): BranchlineError<"IO_FAILED"> {
  return new BranchlineError(
    "IO_FAILED",
    { operation: "archive", path: aside, errno: errnoOf(cause) },
    {
      message: `The session file could not be put back under its name; it stands at ${aside}.`,
      hint: "Rename it back by hand; the archive beside it holds what it held before.",
      cause,
    },
  );
}

/** "prefix": the archive holds the beginning of the file. */
async function relationOf(
  fileSystem: FileSystem,
  path: string,
  archive: string,
): Promise<"same" | "prefix" | "other"> {
  const opened = await strictArchive(fileSystem, archive);
  try {
    const { size } = await opened.stat();
    let position = 0;
    for await (const chunk of scanBytes(fileSystem, path)) {
      const expected = chunk.subarray(0, Math.max(0, size - position));
      const packed = await readExactly(opened, position, expected.byteLength);
      if (Buffer.compare(packed, expected) !== 0) return "other";
      position += chunk.byteLength;
    }
    if (position < size) return "other";
    return position === size ? "same" : "prefix";
  } finally {
    await opened.close();
  }
}

async function assertSame(fileSystem: FileSystem, path: string, archive: string): Promise<void> {
  if ((await relationOf(fileSystem, path, archive)) === "same") return;
  throw ioFailed({ operation: "read", path: archive }, "EBADMSG");
}

async function strictArchive(fileSystem: FileSystem, path: string): Promise<FileHandle> {
  return await openArchive(await fileSystem.open(path, "read"), { path, damaged: "refuse" });
}

/** The time of the content's file lasts, for people and for programs that sort by it. Only a courtesy. */
async function keepTime(
  fileSystem: FileSystem,
  path: string,
  { mtimeMs }: FileStat,
): Promise<void> {
  await fileSystem.setTimes(path, mtimeMs, mtimeMs).catch(() => undefined);
}

function assertPlainName(path: string): void {
  if (path.endsWith(".jsonl")) return;
  throw targetInvalid(
    path,
    isArchivePath(path) ? "it is archived already" : "its name does not end with .jsonl",
  );
}

function targetInvalid(path: string, reason: string): BranchlineError<"TARGET_INVALID"> {
  return new BranchlineError(
    "TARGET_INVALID",
    { target: path, reason },
    { message: `${path}: ${reason}.`, place: { file: path } },
  );
}

function taken(path: string): BranchlineError<"IO_FAILED"> {
  return ioFailed({ operation: "rename", path }, "EEXIST");
}
