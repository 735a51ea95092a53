import { basename, dirname, join } from "node:path";
import { checkHeader } from "../../entry/header-check.ts";
import { encodeHeader } from "../../entry/line-encode.ts";
import { BranchlineError } from "../../errors.ts";
import { publish } from "../../io/publish.ts";
import type { Environment } from "./environment.ts";
import { makeFolder } from "./folders.ts";
import { scanBytes } from "./scan-bytes.ts";
import { SessionFile } from "./session-file.ts";
import { folderOf } from "./session-paths.ts";

/**
 * Gives a session file another `cwd`, under its lock. The file moves to the folder of the new `cwd`
 * where it lay in the folder of the old one; all bytes behind the header line stay as they are. The
 * old file goes only when the new one is there and has been read.
 */
export async function relocateFile(env: Environment, path: string, cwd: string): Promise<string> {
  const { fileSystem, random, durability } = env;
  const unchanged = await fileSystem.stat(path);
  const { line, old } = await headerLine(env, path);
  const target = targetOf(path, old.cwd, cwd);
  await makeFolder(fileSystem, dirname(target));
  await publish(fileSystem, {
    path: target,
    content: withHeader(env, path, { length: line, header: encodeHeader({ ...old, cwd }) }),
    overwrite: target === path ? "replace" : "never",
    random,
    durability,
    verify: async (temporary) => {
      const copy = await SessionFile.open(fileSystem, temporary, { mode: "read" });
      await copy.file.close();
    },
    ...(target === path && unchanged !== undefined ? { ifUnchanged: unchanged } : {}),
  });
  if (target === path) return path;
  await fileSystem.removeFile(path);
  await fileSystem.syncDirectory(dirname(path));
  return target;
}

function targetOf(path: string, oldCwd: string, cwd: string): string {
  const folder = dirname(path);
  if (basename(folder) !== folderOf(oldCwd)) return path;
  return join(dirname(folder), folderOf(cwd), basename(path));
}

async function headerLine(
  env: Environment,
  path: string,
): Promise<{ readonly line: number; readonly old: ReturnType<typeof checkHeader>["header"] }> {
  for await (const chunk of scanBytes(env.fileSystem, path)) {
    const newline = chunk.indexOf(0x0a);
    const { crc: _crc, ...value } = parse(chunk.subarray(0, Math.max(newline, 0)));
    const readable = value.type === "session" && typeof value.id === "string";
    // An older version is upgraded by its first write, not by this.
    if (!readable || checkHeader(value).version !== value.version) break;
    return { line: newline + 1, old: { ...value, ...checkHeader(value).header } };
  }
  const reason = "its first line is no header of the present version";
  throw new BranchlineError(
    "SESSION_INVALID",
    { path, reason },
    { message: `${path} cannot be relocated: ${reason}.`, place: { file: path, line: 1, byte: 0 } },
  );
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function* withHeader(
  env: Environment,
  path: string,
  replacement: { readonly length: number; readonly header: Uint8Array },
): AsyncGenerator<Uint8Array> {
  yield replacement.header;
  let skip = replacement.length;
  for await (const chunk of scanBytes(env.fileSystem, path)) {
    yield chunk.subarray(Math.min(skip, chunk.length));
    skip = Math.max(0, skip - chunk.length);
  }
}
