import { execFile } from "node:child_process";

/** What git says of a folder (the port `WorkingFiles` of the harness). */
export interface GitState {
  /** Full id of the commit, null before the first one. */
  readonly commit: string | null;
  /** null where no branch is checked out. */
  readonly branch: string | null;
  readonly dirty: boolean;
}

/** How git is asked. */
export interface GitOptions {
  readonly cwd: string;
  /** Then it is given up, in ms; default 5000. */
  readonly timeoutMs?: number;
  /** The program; default "git". */
  readonly command?: string;
}

/** Most bytes of an answer: a folder with more changes than that is dirty all the same. */
const MAX_BYTES: number = 1024 * 1024;

/** Nothing that a repository's configuration could start, no prompt, no lock, no page. */
const ARGUMENTS = [
  ...["--no-optional-locks", "--no-pager"],
  ...["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"],
  ...[
    "status",
    "--porcelain=v2",
    "--branch",
    "--untracked-files=normal",
    "--ignore-submodules=all",
  ],
];

/**
 * Looks at a folder through `git status`. null where there is no git, no repository or no answer in
 * time; never throws, since a run goes on without it.
 */
export class GitWorkingFiles {
  readonly #options: GitOptions;

  constructor(options: GitOptions) {
    this.#options = options;
  }

  /** The folder as it is now. */
  look(): Promise<GitState | null> {
    const { cwd, timeoutMs = 5000, command = "git" } = this.#options;
    const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };
    const options = { cwd, env, timeout: timeoutMs, maxBuffer: MAX_BYTES, windowsHide: true };
    return new Promise((resolve) => {
      execFile(command, ARGUMENTS, options, (error, stdout) => {
        const isTooLong = error?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
        resolve(error === null || isTooLong ? stateOf(stdout) : null);
      });
    });
  }
}

/** Reads the lines of `git status --porcelain=v2 --branch`; null where they are none. */
function stateOf(text: string): GitState | null {
  const lines = text.split("\n").filter((line) => line !== "");
  const told = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const commit = told("oid");
  if (commit === undefined) return null;
  const branch = told("head") ?? "(detached)";
  return {
    commit: commit === "(initial)" ? null : commit,
    branch: branch === "(detached)" ? null : branch,
    dirty: lines.some((line) => !line.startsWith("#")),
  };
}
