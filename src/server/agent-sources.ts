import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Library } from "./library.ts";

/** A folder in which an agent of this machine keeps its sessions. */
export interface AgentSource {
  readonly agent: string;
  readonly root: string;
  /** Session files found; at most {@link MOST_FILES} are counted. */
  readonly sessions: number;
  /** True where there is a reader for them; false = they are only counted. */
  readonly readable: boolean;
  /** Whether a person said that they may be opened. */
  readonly consented: boolean;
}

/** Files that are counted at most in one folder. */
export const MOST_FILES = 20_000;

/** Where the known agents keep their sessions; `home` = the person's home folder. */
function knownPlaces(
  home: string,
  cwd: string,
  piRoot: string,
): readonly (readonly [string, string])[] {
  return [
    ["pi", piRoot],
    ["claude", path.join(home, ".claude/projects")],
    ["codex", path.join(home, ".codex/sessions")],
    ["qwen", path.join(home, ".qwen/projects")],
    ["thclaws", path.join(cwd, ".thclaws/sessions")],
  ];
}

/** What {@link agentSources} looks at. */
export interface SourcePlaces {
  readonly library: Library;
  readonly home: string;
  readonly cwd: string;
}

/** The folders of other agents that exist, with counts. Only names are read, no file is opened. */
export async function agentSources(places: SourcePlaces): Promise<readonly AgentSource[]> {
  const { library, home, cwd } = places;
  const pi = library.roots.find(({ kind }) => kind === "pi")?.directory;
  const consents = await library.consents();
  const sources: AgentSource[] = [];
  for (const [agent, root] of knownPlaces(home, cwd, pi ?? path.join(home, ".pi/agent/sessions"))) {
    const sessions = await countFiles(root);
    if (sessions === 0) continue;
    const readable = agent === "pi" && pi !== undefined;
    const consented = consents.has(agent);
    sources.push({ agent, root, sessions, readable, consented });
  }
  return sources;
}

async function countFiles(root: string): Promise<number> {
  let count = 0;
  const waiting = [root];
  for (
    let folder = waiting.pop();
    folder !== undefined && count < MOST_FILES;
    folder = waiting.pop()
  ) {
    for (const one of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (one.isDirectory()) waiting.push(path.join(folder, one.name));
      else if (one.isFile() && /\.jsonl(\.zst)?$/.test(one.name)) count++;
    }
  }
  return count;
}
