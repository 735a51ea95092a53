import { statSync } from "node:fs";
import type { FileStat } from "./file-system.ts";

/**
 * What stands at a path, without waiting for a thread: a few µs instead of a few dozen, for whoever looks
 * at thousands of files. Follows links; undefined where nothing is or nothing can be told.
 */
export function statNow(path: string): FileStat | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return {
      kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other",
      dev: stats.dev,
      ino: stats.ino,
      size: Number(stats.size),
      mtimeMs: Number(stats.mtimeNs) / 1e6,
      mode: Number(stats.mode) & 0o777,
      links: Number(stats.nlink),
    };
  } catch {
    // Not to be told: the caller opens the file and gets the reason.
    return undefined;
  }
}
