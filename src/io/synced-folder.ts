import { basename, dirname, join } from "node:path";

/** Programs by the names that their folders have everywhere. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^Dropbox( \(.+\))?$/, "Dropbox"],
  [/^OneDrive( - .+)?$/, "OneDrive"],
  [/^(Google ?Drive|GoogleDrive-.+)$/, "Google Drive"],
  [/^(Mobile Documents|iCloud ?Drive|com~apple~CloudDocs)$/, "iCloud"],
  [/^Nextcloud$/, "Nextcloud"],
  [/^ownCloud$/, "ownCloud"],
];

/** What these programs put into the folder that they sync. */
const MARKERS: readonly (readonly [string, string])[] = [
  [".stfolder", "Syncthing"],
  [".dropbox", "Dropbox"],
  [".dropbox.cache", "Dropbox"],
  [".tmp.drivedownload", "Google Drive"],
  [".nextcloudsync.log", "Nextcloud"],
  [".owncloudsync.log", "ownCloud"],
];

/**
 * The program that syncs the folder of a path between machines, null where none is recognised: by the
 * names of the folders above it, and by what such programs leave there (`has` says whether something is
 * at a path). Such a program copies whole files at its own time: two machines that write one session
 * get two versions of it.
 */
export async function syncedBy(
  path: string,
  has: (path: string) => Promise<boolean>,
): Promise<string | null> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const named = NAMES.find(([name]) => name.test(basename(folder)));
    if (named !== undefined) return named[1];
    for (const [marker, program] of MARKERS) if (await has(join(folder, marker))) return program;
  }
  return null;
}
