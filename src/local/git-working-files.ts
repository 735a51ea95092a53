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
const STATUS = [
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

/** The programs that change contents on their way, with the place where each setting comes from. */
const FILTERS = ["config", "--show-scope", "--includes", "--null", "--get-regexp", "^filter\\."];

/** Settings of the person who runs this, and of the machine. */
const TRUSTED_SCOPES: ReadonlySet<string> = new Set(["system", "global", "command"]);

/** `git config` says so where nothing fits. */
const NOTHING_FOUND = 1;

/**
 * What every call of git gets: it fetches nothing that is missing in a partial clone (a transport is a
 * program that the repository names), and asks nobody.
 */
const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  LC_ALL: "C",
};

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
  async look(): Promise<GitState | null> {
    const filters = await this.#ask(FILTERS, {});
    if (filters.code !== 0 && filters.code !== NOTHING_FOUND) return null;
    const status = await this.#ask(STATUS, withoutFilters(filters.text));
    return status.code === 0 || status.isTooLong ? stateOf(status.text) : null;
  }

  #ask(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<GitAnswer> {
    const { cwd, timeoutMs = 5000, command = "git" } = this.#options;
    const env = { ...process.env, ...ENVIRONMENT, ...settings };
    const options = { cwd, env, timeout: timeoutMs, maxBuffer: MAX_BYTES, windowsHide: true };
    return new Promise((resolve) => {
      execFile(command, args, options, (error, text) => {
        const code = error === null ? 0 : (error.code ?? null);
        resolve({ code, text, isTooLong: code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" });
      });
    });
  }
}

/** What git wrote and how it ended: its exit code, or the name of what kept it from ending by itself. */
interface GitAnswer {
  readonly code: string | number | null;
  readonly text: string;
  readonly isTooLong: boolean;
}

/**
 * The environment that switches off the filters which a repository's own configuration defines: `git
 * status` runs them on changed files, and whoever made the repository chose the program. Where one is
 * needed to compare (Git LFS installed for a single repository), files look changed. `text` is what
 * {@link FILTERS} gave: scope, then name and value, each ended by a NUL.
 */
function withoutFilters(text: string): Readonly<Record<string, string>> {
  const parts = text.split("\0");
  const names = new Set<string>();
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [name = ""] = parts[at + 1]?.split("\n") ?? [];
    if (!TRUSTED_SCOPES.has(parts[at] ?? "")) names.add(name.slice(0, name.lastIndexOf(".")));
  }
  const settings = [...names].flatMap((name) => [
    [`${name}.clean`, ""],
    [`${name}.process`, ""],
    [`${name}.required`, "false"],
  ]);
  const pairs = settings.flatMap(([key = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) };
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
