import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { isObject } from "../entry/entry-check.ts";
import { isOwnerAlive } from "../io/owner-alive.ts";

/** An owner file is smaller than this, in bytes. */
const MAX_BYTES = 4096;
/** A session that nobody wrote to for so long has no run, in ms: its folder is not looked at. */
const RECENT_MS = 24 * 3_600_000;
/** How long what was seen of a folder stands, in ms. */
const STANDS_MS = 1000;
/** The name beside a run lock: the session's file, then the branch. */
const OWNER_NAME = /^(.+\.jsonl)\.run-[a-z0-9-]+\.owner$/;

/** What is known of a session without opening it. */
export interface WrittenSession {
  readonly path: string | null;
  /** ISO time of the last activity. */
  readonly modified: string;
}

interface SeenFolder {
  readonly at: number;
  readonly running: Promise<ReadonlySet<string>>;
}

/**
 * Sessions in which another process of this machine runs, told by the names beside the run locks
 * (design.md §2 "Lock"). A hint: a name may be left over from a process that died and whose number is in
 * use again; what may run is decided by the locks alone. Costs one listing for each folder that holds a
 * session of the last day, once a second at most.
 */
export class RunsElsewhere {
  #folders = new Map<string, SeenFolder>();

  /** Paths of those among these. */
  async among(sessions: readonly WrittenSession[]): Promise<ReadonlySet<string>> {
    const since = new Date(Date.now() - RECENT_MS).toISOString();
    const folders = new Set<string>();
    for (const { path: file, modified } of sessions) {
      if (file !== null && modified >= since) folders.add(path.dirname(file));
    }
    const running = new Set<string>();
    for (const folder of folders) {
      for (const file of await this.#in(folder)) running.add(file);
    }
    return running;
  }

  #in(folder: string): Promise<ReadonlySet<string>> {
    const now = performance.now();
    const known = this.#folders.get(folder);
    if (known !== undefined && now - known.at < STANDS_MS) return known.running;
    const running = look(folder);
    this.#folders.set(folder, { at: now, running });
    return running;
  }
}

async function look(folder: string): Promise<ReadonlySet<string>> {
  const names = await readdir(folder).catch((): string[] => []);
  const running = new Set<string>();
  for (const name of names) {
    const session = OWNER_NAME.exec(name)?.[1];
    if (session === undefined || !(await isAnother(path.join(folder, name)))) continue;
    running.add(path.join(folder, session));
  }
  return running;
}

/** True where the file names a process that lives and is not this one. */
async function isAnother(file: string): Promise<boolean> {
  try {
    const found = await stat(file);
    if (!found.isFile() || found.size > MAX_BYTES) return false;
    const owner: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isObject(owner)) return false;
    const { pid, startedAt, host, command } = owner;
    if (typeof pid !== "number" || typeof host !== "string" || pid === process.pid) return false;
    return isOwnerAlive({ pid, host, startedAt: Number(startedAt), command: String(command) });
  } catch {
    // It was taken away meanwhile, or says nothing that can be read.
    return false;
  }
}
