import { isObject } from "../entry/entry-check.ts";

/** What git says of a folder. */
export interface WorkingFilesState {
  /** Full id of the commit, null before the first one. */
  readonly commit: string | null;
  /** null where no branch is checked out. */
  readonly branch: string | null;
  /** True where tracked files differ from the commit, or files are there that git does not know. */
  readonly dirty: boolean;
}

/**
 * The folder of a run, looked at before its first and after its last tool, so that a person can go back
 * to it. Nothing is restored by itself.
 */
export interface WorkingFiles {
  /** null where there is no git, no repository, or no answer in time. Never throws. */
  look(): Promise<WorkingFilesState | null>;
}

/** The state as it stands in a row, or null where none does. */
export function workingFilesState(value: unknown): WorkingFilesState | null {
  if (!isObject(value) || typeof value.dirty !== "boolean") return null;
  const { commit, branch, dirty } = value;
  return {
    commit: typeof commit === "string" ? commit : null,
    branch: typeof branch === "string" ? branch : null,
    dirty,
  };
}
