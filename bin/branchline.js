#!/usr/bin/env node
// Plain JavaScript on purpose: a .ts entry could not even be read by the Node versions that this
// file has to turn away with a clear line.

/**
 * Keeps what V8 made of our modules in the user's cache folder, so that the next start is faster. Not in
 * the folder for temporary files, where others could put code; off while coverage is measured, which
 * it makes less exact. A failure is not worth a word.
 */
function keepCompiled() {
  const [module, path] = [builtin("node:module"), builtin("node:path")];
  const { XDG_CACHE_HOME: xdg = "", HOME: home = "", NODE_V8_COVERAGE: coverage } = process.env;
  const base = path.isAbsolute(xdg) ? xdg : path.isAbsolute(home) ? path.join(home, ".cache") : "";
  if (base !== "" && !coverage)
    module.enableCompileCache(path.join(base, "branchline", "compiled"));
}

/** An import of these would make Node look up all that they export, and load streams for it. */
const builtin = (name) => process.getBuiltinModule(name);

const NEEDED = [24, 15];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `branchline: this is Node ${process.versions.node}, needed is Node ${NEEDED.join(".")} or newer; inside a clone \`npm run -s branchline -- …\` uses the right one.\n`,
  );
  process.exitCode = 1;
} else {
  // A reader that went away (`… | head`) ends the program as SIGPIPE ends others: quietly, not as success.
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(141);
    process.stderr.write(`branchline: standard output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // A clone runs its sources without a build; the published package has only dist/.
  keepCompiled();
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const built = new URL("../dist/cli/main.js", import.meta.url);
  const { run } = await import((builtin("node:fs").existsSync(source) ? source : built).href);
  process.exitCode = await run(process.argv.slice(2));
}
