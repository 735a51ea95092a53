import { basename, dirname, join } from "node:path";
import { encodeHeader } from "../../entry/line-encode.ts";
import { BranchlineError } from "../../errors.ts";
import { publish } from "../../io/publish.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";
import { type FoundHeader, readHeader } from "./header-read.ts";
import { removeLocks } from "./run-locks.ts";
import { scanBytes } from "./scan-bytes.ts";
import { SessionFile } from "./session-file.ts";
import { folderOf } from "./session-paths.ts";
import { assertUnchanged, statOf } from "./unchanged-file.ts";

/**
 * Gives a session file another `cwd`, under its lock; gives its new path. The file moves to the folder
 * of the new `cwd` where it lay in the folder of the old one; all bytes behind the header line stay as
 * they are. The old file goes only when the new one is there and has been read, and nobody wrote to
 * the old one meanwhile (FILE_REPLACED): a program without our lock may do so up to the end, and then
 * both files stay. Never replaces another file (IO_FAILED with EEXIST).
 */
export async function relocateFile(env: Environment, path: string, cwd: string): Promise<string> {
  const { fileSystem, random, durability } = env;
  const before = await statOf(fileSystem, path);
  const old = await presentHeader(env, path);
  const target = targetOf(path, old.header.cwd, cwd);
  await makeFolder(fileSystem, dirname(target));
  await publish(fileSystem, {
    path: target,
    content: withHeader(env, path, {
      skip: old.place.byteEnd + 1,
      header: encodeHeader({ ...old.header, cwd }),
    }),
    overwrite: target === path ? "replace" : "never",
    random,
    durability,
    verify: async (temporary) => {
      const copy = await SessionFile.open(fileSystem, temporary, { mode: "read" });
      await copy.file.close();
      await assertUnchanged(fileSystem, path, before);
    },
  });
  if (target === path) return path;
  await assertUnchanged(fileSystem, path, before).catch((error: unknown) => {
    throw BranchlineError.is(error, "FILE_REPLACED") ? bothStay(path, target) : error;
  });
  await fileSystem.removeFile(path);
  await removeLocks(fileSystem, path);
  await fileSystem.syncDirectory(dirname(path));
  return target;
}

function bothStay(path: string, target: string): BranchlineError<"FILE_REPLACED"> {
  return new BranchlineError(
    "FILE_REPLACED",
    { path },
    {
      message: `${path} was changed by another program while it was relocated; it stays, beside ${target}.`,
      hint: `The old file has more in it: put ${target} away with \`branchline rm\`, then relocate again.`,
      place: { file: path },
    },
  );
}

function targetOf(path: string, oldCwd: string, cwd: string): string {
  const folder = dirname(path);
  if (basename(folder) !== folderOf(oldCwd)) return path;
  return join(dirname(folder), folderOf(cwd), basename(path));
}

/** An older version is upgraded by its first write, not by this. */
async function presentHeader(env: Environment, path: string): Promise<FoundHeader> {
  const found = await readHeader(env.fileSystem, path);
  const fits = found !== null && found.version === 3 && !found.newer && found.place.line === 1;
  if (fits) return found;
  const reason = "its first line is no header of the present version";
  throw new BranchlineError(
    "SESSION_INVALID",
    { path, reason },
    { message: `${path} cannot be relocated: ${reason}.`, place: { file: path, line: 1, byte: 0 } },
  );
}

async function* withHeader(
  env: Environment,
  path: string,
  replacement: { readonly skip: number; readonly header: Uint8Array },
): AsyncGenerator<Uint8Array> {
  yield replacement.header;
  let { skip } = replacement;
  for await (const chunk of scanBytes(env.fileSystem, path)) {
    yield chunk.subarray(Math.min(skip, chunk.length));
    skip = Math.max(0, skip - chunk.length);
  }
}
