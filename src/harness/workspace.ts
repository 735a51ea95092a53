/** One name in a folder of a workspace. */
export interface WorkspaceName {
  /** From the root of the workspace, with `/` between the names; "" is the root. */
  readonly path: string;
  readonly kind: "file" | "folder";
  /** Of a file; 0 of a folder. */
  readonly bytes: number;
}

/** The beginning of a file. */
export interface WorkspaceText {
  readonly text: string;
  /** Size of the whole file. */
  readonly bytes: number;
  /** True where the file is longer than what was read. */
  readonly cut: boolean;
}

/**
 * A folder that tools may work in, and nothing outside of it. Paths are relative to its root. Whatever
 * leads out (`..`, absolute paths, links) is refused with FILE_UNSAFE, also where it would only be read
 * (P10).
 */
export interface Workspace {
  /** The names in a folder, sorted, hidden ones and links left out, at most `limit`. Throws FILE_UNSAFE, FILE_MISSING. */
  list(folder: string, limit: number): Promise<readonly WorkspaceName[]>;
  /** The first `maxBytes` bytes of a file as text. Throws FILE_UNSAFE, FILE_MISSING. */
  read(path: string, maxBytes: number): Promise<WorkspaceText>;
  /** Writes a whole file, atomically; folders are made. Throws FILE_UNSAFE, IO_FAILED. */
  write(path: string, text: string): Promise<void>;
}
