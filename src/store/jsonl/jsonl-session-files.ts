import type { SessionFiles, WholeSession } from "../../index/whole-session.ts";
import type { FileSystem } from "../../io/file-system.ts";
import { SessionFile } from "./session-file.ts";
import { walkSessions } from "./session-paths.ts";

/** The session files of this store, as an index reads them. */
export function jsonlSessionFiles(fileSystem: FileSystem): SessionFiles {
  return {
    walk: (root) => walkSessions(fileSystem, root),
    readWhole: (path, signal) => readWhole(fileSystem, path, signal),
  };
}

async function readWhole(
  fileSystem: FileSystem,
  path: string,
  signal: AbortSignal | undefined,
): Promise<WholeSession> {
  const session = await SessionFile.open(fileSystem, path, { mode: "read", signal });
  await session.file.close();
  return {
    header: session.header,
    tree: session.tree,
    entries: session.since(0),
    bytes: session.end,
    placeOf: (id) => session.placeOf(id),
  };
}
