import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ownFile } from "./own-file.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const FOLDERS = ["examples/sessions", "test/golden/damaged"];
/** Larger files are left out: what is looked for is in the shapes, not in the size. */
const MAX_BYTES = 30_000;

/** The files that mutations begin from: our own, recorded ones, and all damaged ones of the golden corpus. */
export async function fuzzCorpus(): Promise<readonly Uint8Array[]> {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name)),
  );
  const files = paths
    .filter((path) => path.endsWith(".jsonl") && statSync(path).size < MAX_BYTES)
    .map((path) => new Uint8Array(readFileSync(path)));
  return [await ownFile(1, 5_000, "single"), await ownFile(2, 5_000, "group"), ...files];
}
