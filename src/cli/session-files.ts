import type { SessionFiles, WholeSession } from "../index/whole-session.ts";
import type { FileSystem } from "../io/file-system.ts";
import { SessionFile } from "../store/jsonl/session-file.ts";
import { walkSessions } from "../store/jsonl/session-paths.ts";

async function readWhole(
  fileSystem: FileSystem,
  path: string,
  signal: AbortSignal | undefined,
): Promise<WholeSession> {
  const file = await SessionFile.open(fileSystem, path, { mode: "read", signal });
  await file.file.close();
  return {
    header: file.header,
    tree: file.tree,
    entries: file.since(0),
    bytes: file.end,
    placeOf: (id) => file.placeOf(id),
  };
}

/** The session files of the JSONL store, as the index reads them. */
export function jsonlSessionFiles(fileSystem: FileSystem): SessionFiles {
  return {
    walk: (root) => walkSessions(fileSystem, root),
    readWhole: (path, signal) => readWhole(fileSystem, path, signal),
  };
}
