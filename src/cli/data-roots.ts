import { userInfo } from "node:os";
import path from "node:path";
import type { CliIo } from "./cli-io.ts";

/** A folder that holds sessions. */
export interface DataRoot {
  /** "own" = ours, "pi" = the session folder of Pi, "given" = named by --root. */
  readonly kind: "own" | "pi" | "given";
  readonly directory: string;
}

function setting(io: CliIo, name: string): string | undefined {
  const value = io.env[name];
  return value === undefined || value === "" ? undefined : value;
}

function home(io: CliIo): string {
  // With HOME set to nothing, os.homedir() says nothing too, and sessions would go to the current folder.
  return setting(io, "HOME") ?? userInfo().homedir;
}

function expand(io: CliIo, directory: string): string {
  const whole = directory.replace(/^~(?=$|[/\\])/, () => home(io));
  return path.resolve(io.cwd, whole);
}

/** Our own data root: BRANCHLINE_HOME, else XDG_DATA_HOME/branchline, else ~/.local/share/branchline. */
export function ownRoot(io: CliIo): DataRoot {
  const own = setting(io, "BRANCHLINE_HOME");
  if (own !== undefined) return { kind: "own", directory: expand(io, own) };
  const xdg = setting(io, "XDG_DATA_HOME");
  // The XDG rules say that a relative path there has to be ignored.
  const base =
    xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home(io), ".local/share");
  return { kind: "own", directory: path.join(base, "branchline") };
}

/** Pi's session folder, by the settings that Pi itself reads (formats.md §2). */
export function piRoot(io: CliIo): DataRoot {
  const sessions = setting(io, "PI_CODING_AGENT_SESSION_DIR");
  if (sessions !== undefined) return { kind: "pi", directory: expand(io, sessions) };
  const agent = setting(io, "PI_CODING_AGENT_DIR") ?? path.join(home(io), ".pi/agent");
  return { kind: "pi", directory: path.join(expand(io, agent), "sessions") };
}

/** The folders in which sessions are looked for; with --root only that one. */
export function dataRoots(io: CliIo, root: string | undefined): readonly [DataRoot, ...DataRoot[]] {
  if (root !== undefined) return [{ kind: "given", directory: expand(io, root) }];
  return [ownRoot(io), piRoot(io)];
}
