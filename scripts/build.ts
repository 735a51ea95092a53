/**
 * `npm run build`: dist/ as it is published. `tsc` emits declarations and JavaScript, and the modules
 * are joined into a few files (bundle.ts). Sources, tests and test doubles stay out, but for the store
 * contract, which authors of stores use.
 *
 * Run: `node scripts/build.ts [FOLDER]`; the folder is made anew.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bundle } from "./bundle.ts";

const ROOT = path.resolve(import.meta.dirname, "..");

/** Files that are imported or started by their path: those of package.json, the launcher and the benchmark. */
const ENTRIES = [
  "index.js",
  "harness/index.js",
  "client/index.js",
  "protocol/index.js",
  "adapters/openai-compatible/index.js",
  "adapters/pi-ai/index.js",
  "adapters/ai-sdk/index.js",
  "store/testing/index.js",
  "cli/main.js",
  "cli/package-folder.js",
  "cli/parse-command.js",
  "cli/version.js",
  "server/server.js",
  "bench/user-bench.js",
  "bench/measure.js",
  "bench/write-session.js",
  "bench/session-process.js",
  "bench/scenario-process.js",
  "bench/scenarios/table.js",
];

/**
 * The entry points that many processes start with, or that a browser loads: what they share is joined for
 * them, whoever else needs it.
 */
const SHAPING = [
  "index.js",
  "harness/index.js",
  "client/index.js",
  "protocol/index.js",
  "cli/main.js",
];

function compile(folder: string, ...flags: readonly string[]): void {
  const tsc = path.join(ROOT, "node_modules/.bin/tsc");
  const args = ["-p", path.join(ROOT, "tsconfig.build.json"), "--outDir", folder, ...flags];
  const done = spawnSync(tsc, args, { cwd: ROOT, encoding: "utf8" });
  if (done.status !== 0) throw new TypeError(`tsc failed:\n${done.stdout}${done.stderr}`);
}

/** Declarations keep the names of sources, which are not there when the package is installed. */
function nameBuiltFiles(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
}

/** Builds into a folder, which is removed first. Throws where the compiler or the joining fails. */
export function build(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  compile(folder, "--removeComments");
  // Comments stay where editors show them: in the declarations.
  compile(folder, "--emitDeclarationOnly");
  for (const file of globSync("**/*.d.ts", { cwd: folder }))
    nameBuiltFiles(path.join(folder, file));
  const files = bundle(folder, ENTRIES, SHAPING);
  for (const file of globSync("**/*.js", { cwd: folder })) rmSync(path.join(folder, file));
  for (const { file, code } of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), code);
  }
}

/** The page and the page of exports, as web/dist. */
function buildPages(): void {
  const done = spawnSync(process.execPath, [path.join(ROOT, "web/build.ts")], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (done.status !== 0) throw new TypeError(`vite failed:\n${done.stdout}${done.stderr}`);
}

if (import.meta.main) {
  build(path.resolve(process.argv[2] ?? path.join(ROOT, "dist")));
  buildPages();
}
