import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "../../scripts/build.ts";
import { bundle } from "../../scripts/bundle.ts";
import * as source from "../../src/index.ts";
import * as testingSource from "../../src/store/testing/index.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const MANIFEST = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly version: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

let temp: string;
/** The package as it is installed, in somebody's node_modules. */
let home: string;

before(() => {
  temp = mkdtempSync(path.join(tmpdir(), "branchline-package-"));
  home = path.join(temp, "node_modules/branchline");
  mkdirSync(home, { recursive: true });
  build(path.join(home, "dist"));
  for (const file of ["package.json", ...MANIFEST.files]) {
    const from = path.join(ROOT, file);
    if (file !== "dist" && existsSync(from))
      cpSync(from, path.join(home, file), { recursive: true });
  }
  for (const name of Object.keys(MANIFEST.dependencies)) {
    const link = path.join(temp, "node_modules", name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(ROOT, "node_modules", name), link);
  }
});

after(() => rmSync(temp, { recursive: true, force: true }));

/** A bare Node beside the package, without our conditions and with folders of its own. */
function node(...args: readonly string[]): SpawnSyncReturns<string> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: path.join(temp, "home") };
  return spawnSync(process.execPath, args, { encoding: "utf8", cwd: temp, env });
}

const bin = (...args: readonly string[]): SpawnSyncReturns<string> =>
  node(path.join(home, MANIFEST.bin.branchline as string), ...args);

/** Names that a module exports as somebody who installed the package sees them. */
function names(specifier: string): unknown {
  const code = `console.log(JSON.stringify(Object.keys(await import("${specifier}")).sort()))`;
  const { stdout, stderr } = node("--input-type=module", "-e", code);
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

test("the package runs without its sources: version, help, list, a session of its own", () => {
  assert.equal(existsSync(path.join(home, "src")), false);
  const version = bin("--version");
  assert.deepEqual([version.stdout, version.stderr], [`${MANIFEST.version}\n`, ""]);
  assert.match(bin("--help").stdout, /search/);
  const listed = bin("ls", "--root", path.join(home, "examples/sessions"), "--json");
  assert.equal(listed.status, 0, listed.stderr);
  assert.ok(listed.stdout.split("\n").length > 3);
  const made = bin("new", "packed");
  assert.equal(made.status, 0, made.stderr);
  assert.match(bin("ls").stdout, /packed/);
  assert.equal(bin("ls", "--no-such").status, 2);
});

test("both entry points give what their sources give", () => {
  assert.deepEqual(names("branchline"), Object.keys(source).sort());
  assert.deepEqual(names("branchline/store/testing"), Object.keys(testingSource).sort());
});

test("classes are the same through both entry points", () => {
  const code = `
    const { createMemoryStore, BranchlineError } = await import("branchline");
    const { runCase, selectCases } = await import("branchline/store/testing");
    const { contractCases } = await import("branchline/store/testing");
    const store = createMemoryStore();
    const error = await store.open("0198c0de-0000-7000-8000-000000000087").catch((e) => e);
    console.log(error instanceof BranchlineError, contractCases.length > 50, typeof runCase, typeof selectCases);
    await store.close();`;
  const { stdout, stderr } = node("--input-type=module", "-e", code);
  assert.equal(stderr, "");
  assert.equal(stdout, "true true function function\n");
});

test("types of both entry points hold for somebody who installed the package", () => {
  symlinkSync(path.join(ROOT, "node_modules/@types"), path.join(temp, "node_modules/@types"));
  writeFileSync(path.join(temp, "package.json"), '{ "type": "module" }');
  const file = path.join(temp, "use.ts");
  const flags = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--types",
    "node",
  ];
  const libs = ["--lib", "es2025,esnext.disposable"];
  const check = (code: string): number | null => {
    writeFileSync(file, code);
    const tsc = path.join(ROOT, "node_modules/.bin/tsc");
    const done = spawnSync(tsc, [...flags, ...libs, file], { cwd: temp, encoding: "utf8" });
    return done.status;
  };
  const imports = `import { createMemoryStore, Session, type Entry } from "branchline";
    import { contractCases } from "branchline/store/testing";`;
  const use = `await using store = createMemoryStore();
    await using session = await Session.attach(await store.create({ cwd: "/" }));
    export const cases: number = contractCases.length;`;
  assert.equal(check(`${imports} ${use} export const entries: readonly Entry[] = [];`), 0);
  assert.notEqual(check(`${imports} ${use} export const wrong: string = session.tree;`), 0);
});

test("exports, bin and files of package.json agree with what is packed", () => {
  for (const [name, conditions] of Object.entries(MANIFEST.exports)) {
    for (const [condition, target] of Object.entries(conditions)) {
      const from = condition === "source" ? ROOT : home;
      assert.ok(existsSync(path.join(from, target)), `${name} ${condition}: ${target}`);
    }
    assert.equal(Object.keys(conditions).at(-1), "default", "conditions behind it never count");
  }
  for (const target of Object.values(MANIFEST.bin)) {
    assert.ok(MANIFEST.files.includes(target.split("/")[0] as string));
    assert.ok(readFileSync(path.join(home, target), "utf8").startsWith("#!/usr/bin/env node\n"));
  }
  const packed = globSync("dist/**/*.{ts,js}", { cwd: home });
  assert.deepEqual(
    packed.filter((file) => /\.test\./.test(file)),
    [],
  );
  assert.deepEqual(
    packed.filter((file) => /\/testing\//.test(file) && !file.startsWith("dist/store/testing/")),
    [],
  );
  for (const file of packed) {
    const text = readFileSync(path.join(home, file), "utf8");
    assert.doesNotMatch(text, /(?:from|import\() ?"\.[^"]*(?<!\.d)\.ts"/, file);
  }
});

/** Files that a command line loads, by name. */
function loadedBy(...args: readonly string[]): readonly string[] {
  const hooks = path.join(temp, "hooks.mjs");
  writeFileSync(
    hooks,
    `import { registerHooks } from "node:module";
     registerHooks({ load(url, context, next) {
       if (url.startsWith("file:")) process.stderr.write("loaded " + url + "\\n");
       return next(url, context);
     } });`,
  );
  const main = path.join(home, MANIFEST.bin.branchline as string);
  const { stderr, status } = node("--import", hooks, main, ...args);
  assert.equal(status, 0, stderr);
  return stderr.split("\n").filter((line) => line.startsWith("loaded "));
}

test("T14: ls loads a handful of files and neither the parser nor the benchmark", () => {
  const loaded = loadedBy("ls");
  assert.ok(loaded.length > 2 && loaded.length <= 16, loaded.join("\n"));
  assert.deepEqual(
    loaded.filter((line) => /commander|\/bench\//.test(line)),
    [],
  );
});

test("the benchmark's process runs from the package", () => {
  const file = path.join(home, "dist/bench/scenario-process.js");
  const module = pathToFileURL(path.join(home, "dist/bench/scenarios/table.js")).href;
  const { stdout, stderr } = node(file, JSON.stringify({ module, scenario: "none", input: {} }));
  assert.equal(stdout.trim(), '{"error":"no scenario is called none"}', stderr);
});

test("the joiner refuses what it does not know", () => {
  const folder = path.join(temp, "odd");
  mkdirSync(folder);
  const refuses = (code: string): void => {
    writeFileSync(path.join(folder, "a.js"), code);
    assert.throws(() => bundle(folder, ["a.js"]), TypeError, code);
  };
  refuses('export * from "./b.js";\n');
  refuses("export default 1;\n");
  refuses('import "./b.js";\n');
  refuses("export let changing = 1;\n");
  refuses("export const late = await Promise.resolve(1);\n");
  writeFileSync(path.join(folder, "b.js"), "export const here = import.meta.url;\n");
  refuses('import { here } from "./b.js";\nexport const there = here;\n');
});
