import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import { isArchivePath, unarchivedPath } from "../../io/archive-file-system.ts";
import type { DirectoryEntry, FileSystem } from "../../io/file-system.ts";

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

/** What cannot be looked at as a session. */
export interface SkippedPath {
  readonly path: string;
  readonly reason: string;
  /** What kept it from being looked at: a session may be there all the same. */
  readonly failure?: unknown;
}

/** What a walk found in one folder. */
export interface FoundFolder {
  /** Real paths of what may be sessions; in a whole walk each comes once. */
  readonly files: readonly string[];
  readonly skipped: readonly SkippedPath[];
}

/**
 * All `*.jsonl` and `*.jsonl.zst` (archived) names below a root, folder by folder; of a session that is there
 * as both, an archiving that was interrupted, only the first. Only regular files count; a link counts once,
 * under its real path, where that stays inside the root (P10, reliability.md §3 rows 46–49, P73). What
 * cannot be looked at is told and never hides the rest (F004). Nothing is opened.
 */
export async function* walkSessions(
  fileSystem: FileSystem,
  root: string,
): AsyncGenerator<FoundFolder> {
  if ((await fileSystem.stat(root))?.kind !== "directory") return;
  const realRoot = await fileSystem.realpath(root);
  const folders = [{ path: realRoot, depth: 0 }];
  const found: (readonly string[])[] = [];
  const links: string[] = [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = await fileSystem.readDirectory(folder.path).catch(asError);
    if (names instanceof Error) {
      yield { files: [], skipped: [{ path: folder.path, reason: names.message, failure: names }] };
      continue;
    }
    const files: string[] = [];
    const skipped: SkippedPath[] = [];
    const present = namesBesideArchives(names);
    // Once a folder: to join each of 10,000 names takes longer than to look at the file (T8).
    const prefix = join(folder.path, sep);
    for (const { name, kind } of names) {
      if (name.startsWith(".") || (folder.depth === 0 && OTHER_FOLDERS.has(name))) continue;
      const path = prefix + name;
      if (kind === "directory") {
        if (folder.depth < MAX_FOLDER_DEPTH) folders.push({ path, depth: folder.depth + 1 });
      } else if (isSessionName(name, present)) {
        if (kind === "file") files.push(path);
        else if (kind === "link") links.push(path);
        else skipped.push({ path, reason: "not a regular file" });
      }
    }
    found.push(files);
    yield { files, skipped };
  }
  if (links.length > 0) yield await follow(fileSystem, links, { realRoot, found });
}

/** All names of a folder that has archives; of any other nobody asks. */
function namesBesideArchives(names: readonly DirectoryEntry[]): ReadonlySet<string> {
  const hasArchives = names.some(({ name }) => isArchivePath(name));
  return new Set(hasArchives ? names.map(({ name }) => name) : []);
}

function isSessionName(name: string, present: ReadonlySet<string>): boolean {
  return isArchivePath(name) ? !present.has(unarchivedPath(name)) : name.endsWith(".jsonl");
}

/** The port throws nothing else. */
function asError(error: unknown): Error {
  return error as Error;
}

/** What links lead to, but for what was found already. */
async function follow(
  fileSystem: FileSystem,
  links: readonly string[],
  walk: { readonly realRoot: string; readonly found: readonly (readonly string[])[] },
): Promise<FoundFolder> {
  const seen = new Set(walk.found.flat());
  const files: string[] = [];
  const skipped: SkippedPath[] = [];
  for (const path of links) {
    const target = await targetOf(fileSystem, path, walk.realRoot);
    if (typeof target !== "string") skipped.push(target);
    else if (!seen.has(target)) {
      seen.add(target);
      files.push(target);
    }
  }
  return { files, skipped };
}

/** The real path behind a link, or why it is nothing of ours. */
async function targetOf(
  fileSystem: FileSystem,
  path: string,
  realRoot: string,
): Promise<string | SkippedPath> {
  try {
    const target = await fileSystem.stat(path);
    if (target === undefined) return { path, reason: "a link that leads nowhere" };
    if (target.kind !== "file") return { path, reason: "a link to something that is no file" };
    const real = await fileSystem.realpath(path);
    if (real.startsWith(realRoot + sep)) return real;
    return { path, reason: "a link that leaves the folder" };
  } catch (error) {
    return { path, reason: asError(error).message, failure: error };
  }
}
