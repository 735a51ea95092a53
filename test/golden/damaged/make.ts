/**
 * Writes the damaged files and their sidecars beside this file, and removes what is no longer made.
 * Run: `node test/golden/damaged/make.ts`. The expectations are written by hand in `cases/`, never
 * recorded from the engine.
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { damagedCases } from "./cases.ts";
import { corpusFiles } from "./sidecar.ts";

const files = corpusFiles(damagedCases());
const folder = import.meta.dirname;
for (const name of readdirSync(folder)) {
  if (/\.(jsonl|expected\.json)$/.test(name) && !files.has(name)) rmSync(join(folder, name));
}
for (const [name, content] of files) writeFileSync(join(folder, name), content);
console.log(`${files.size / 2} damaged files`);
