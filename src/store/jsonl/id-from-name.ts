import { basename } from "node:path";

/** Pi names files `<time>_<id>.jsonl`; of another name the whole stem stands for the id. */
export function idFromName(path: string): string {
  const stem = basename(path).replace(/\.jsonl(\.zst)?$/, "");
  return stem.slice(stem.indexOf("_") + 1);
}
