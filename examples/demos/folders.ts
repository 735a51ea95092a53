import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder that is there as long as the demo runs. */
export function temporaryFolder(): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), "branchline-demo-"));
  return {
    folder,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
