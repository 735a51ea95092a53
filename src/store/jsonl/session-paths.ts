import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import { isArchivePath, unarchivedPath } from "../../io/archive-file-system.ts";
import type { FileSystem } from "../../io/file-system.ts";

/** How deep session files may lie below a root: Pi has one folder level, data roots have two. */
const MAX_FOLDER_DEPTH = 4;
/** Folders of a data root that hold no sessions. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(["blobs", "trash", "values"]);

/** Longest name of a folder, in bytes, on the file systems that people have. */
const MAX_NAME_BYTES = 255;
/** Characters of a path that stay of a name that is too long: at most three bytes each. */
const KEPT_CHARACTERS = 70;

/**
 * Pi's name for the folder of a working folder; of one that is longer than names can be its beginning and a
 * hash. Lossy, so the header's `cwd` is the truth.
 */
export function folderOf(cwd: string): string {
  const name = `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const hash = createHash("sha256").update(cwd).digest("hex").slice(0, 16);
  return `${name.slice(0, KEPT_CHARACTERS).toWellFormed()}-${hash}--`;
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
  /** What kept it from being looked at: a session may be there all the same. */
  readonly failure?: unknown;
}

/**
 * All `*.jsonl` and `*.jsonl.zst` (archived) names below a root; of a session that is there as both, an
 * archiving that was interrupted, only the first. Only regular files count; a link counts once, under its real path,
 * where that stays inside the root (P10, reliability.md §3 rows 46–49, P73). What cannot be looked at
 * is told and never hides the rest (F004). Nothing is opened.
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
    const names = await fileSystem.readDirectory(folder.path).catch(asError);
    if (names instanceof Error) {
      yield { path: folder.path, skipped: names.message, failure: names };
      continue;
    }
    const present = new Set(names.map(({ name }) => name));
    // Once a folder: to join each of 10,000 names takes longer than to look at the file (T8).
    const prefix = join(folder.path, sep);
    for (const { name, kind } of names) {
      const path = prefix + name;
      const isHidden = name.startsWith(".") || (folder.depth === 0 && OTHER_FOLDERS.has(name));
      if (isHidden) continue;
      if (kind === "directory" && folder.depth < MAX_FOLDER_DEPTH) {
        folders.push({ path, depth: folder.depth + 1 });
      }
      if (kind === "directory" || !isSessionName(name, present)) continue;
      const found =
        kind === "file"
          ? { path, skipped: null }
          : await inspect(fileSystem, { path, kind, realRoot });
      if (seen.has(found.path)) continue;
      seen.add(found.path);
      yield found;
    }
  }
}

function isSessionName(name: string, present: ReadonlySet<string>): boolean {
  return isArchivePath(name) ? !present.has(unarchivedPath(name)) : name.endsWith(".jsonl");
}

/** The port throws nothing else. */
function asError(error: unknown): Error {
  return error as Error;
}

/** What is no regular file: a link, or nothing of ours. */
async function inspect(
  fileSystem: FileSystem,
  candidate: { readonly path: string; readonly kind: string; readonly realRoot: string },
): Promise<FoundFile> {
  const { path, kind, realRoot } = candidate;
  if (kind === "other") return { path, skipped: "not a regular file" };
  try {
    const target = await fileSystem.stat(path);
    if (target === undefined) return { path, skipped: "a link that leads nowhere" };
    if (target.kind !== "file") return { path, skipped: "a link to something that is no file" };
    const real = await fileSystem.realpath(path);
    if (real.startsWith(realRoot + sep)) return { path: real, skipped: null };
    return { path, skipped: "a link that leaves the folder" };
  } catch (error) {
    return { path, skipped: asError(error).message, failure: error };
  }
}
