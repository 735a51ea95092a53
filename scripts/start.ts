/**
 * `npm start`: builds the page if its sources are newer than what was built, then serves it, and prints one
 * address. Arguments go on to `branchline serve` (`npm start -- --port 4400`). Without vite, or where the
 * build fails, the API is served alone and that is said.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { run } from "../src/cli/main.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const BUILT = path.join(ROOT, "web/dist/index.html");
/** Whatever the page is made from. */
const SOURCES = [
  "web/src",
  "web/public",
  "web/index.html",
  "web/vite-options.ts",
  "web/export-template.ts",
  "src/client",
  "src/protocol",
];

function changed(place: string): number {
  const stat = statSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(place, { recursive: true, encoding: "utf8" });
  const times = names.map(
    (name) => statSync(path.join(place, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return times.reduce((newest, time) => Math.max(newest, time), stat.mtimeMs);
}

function isStale(): boolean {
  const built = changed(BUILT);
  return SOURCES.some((source) => changed(path.join(ROOT, source)) > built);
}

function buildPage(): void {
  const done = spawnSync(process.execPath, [path.join(ROOT, "web/build.ts")], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (done.status === 0) return;
  const lines = `${done.stderr}${done.stdout}`.trim().split("\n").slice(-5).join("\n");
  console.error(`note: the page could not be built:\n${lines}`);
}

if (isStale()) buildPage();
process.exitCode = await run(["serve", ...process.argv.slice(2)]);
