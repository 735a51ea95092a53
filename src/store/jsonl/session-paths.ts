import { join, sep } from "node:path";
import type { SessionHeader } from "../../entry/entry.ts";
import { SessionDecoder } from "../../entry/session-decoder.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { scanLines } from "../../io/line-scanner.ts";

/** Most bytes that are read to find a header, as in Pi (formats.md §2). */
const MAX_HEADER_BYTES: number = 1024 * 1024;
/** How deep session files may lie below a root: Pi has one folder level, data roots have two. */
const MAX_FOLDER_DEPTH = 4;
/** Folders of a data root that hold no sessions. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(["trash", "values"]);

/** Pi's name for the folder of a working folder. Lossy, so the header's `cwd` is the truth. */
export function folderOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

/** Pi's name for a session file. `time` is an ISO time. */
export function fileNameOf(id: string, time: string): string {
  return `${time.replace(/[:.]/g, "-")}_${id}.jsonl`;
}

/** What a walk found at a path. */
export interface FoundFile {
  readonly path: string;
  /** Why it cannot be a session, or null. */
  readonly skipped: string | null;
}

/**
 * All `*.jsonl` names below a root, in the order of their paths. Only regular files count; a link
 * counts once, under its real path, where that stays inside the root (P10, reliability.md §3 rows
 * 46–49, P73). Nothing is opened.
 */
export async function* walkSessions(
  fileSystem: FileSystem,
  root: string,
): AsyncGenerator<FoundFile> {
  if ((await fileSystem.stat(root))?.kind !== "directory") return;
  const realRoot = await fileSystem.realpath(root);
  const seen = new Set<string>();
  const folders = [{ path: realRoot, depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name, kind } of await fileSystem.readDirectory(folder.path)) {
      const path = join(folder.path, name);
      const isHidden = name.startsWith(".") || (folder.depth === 0 && OTHER_FOLDERS.has(name));
      if (isHidden) continue;
      if (kind === "directory" && folder.depth < MAX_FOLDER_DEPTH) {
        folders.push({ path, depth: folder.depth + 1 });
      }
      if (kind === "directory" || !name.endsWith(".jsonl")) continue;
      const found = await inspect(fileSystem, { path, kind, realRoot });
      if (seen.has(found.path)) continue;
      seen.add(found.path);
      yield found;
    }
  }
}

async function inspect(
  fileSystem: FileSystem,
  candidate: { readonly path: string; readonly kind: string; readonly realRoot: string },
): Promise<FoundFile> {
  const { path, kind, realRoot } = candidate;
  if (kind === "file") return { path, skipped: null };
  if (kind === "other") return { path, skipped: "not a regular file" };
  const target = await fileSystem.stat(path);
  if (target === undefined) return { path, skipped: "a link that leads nowhere" };
  if (target.kind !== "file") return { path, skipped: "a link to something that is no file" };
  const real = await fileSystem.realpath(path);
  if (real.startsWith(realRoot + sep)) return { path: real, skipped: null };
  return { path, skipped: "a link that leaves the folder" };
}

/** The header of a file, or null where none stands in its first MiB. Reads no further. */
export async function readHeader(
  fileSystem: FileSystem,
  path: string,
): Promise<SessionHeader | null> {
  const handle = await fileSystem.open(path, "read");
  try {
    const decoder = new SessionDecoder();
    const options = { from: 0, to: MAX_HEADER_BYTES, chunkBytes: 16 * 1024 };
    for await (const batch of scanLines(handle, options)) {
      for (const line of batch) {
        decoder.push(line);
        if (decoder.header !== null) return decoder.header;
      }
    }
    return null;
  } finally {
    await handle.close();
  }
}
