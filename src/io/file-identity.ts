import type { FileIdentity } from "./file-system.ts";

/** True when both are the same file on the same device, whatever their names. */
export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
