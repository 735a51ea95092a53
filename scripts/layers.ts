/**
 * The layer and cycle check. dependency-cruiser reads the imports (type-only ones too), the rules
 * come from `layer-table.ts`. TypeScript 7 has no JavaScript API, and without the swc parser
 * dependency-cruiser would see no import at all and call that success: so the check also demands
 * that every source file was seen, and a minimum of imports.
 *
 * Run: `node scripts/layers.ts` to check, `node scripts/layers.ts --write` to rewrite the table in docs/layers.md.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Visitor } from "@swc/core/Visitor.js";
import { cruise, type ICruiseResult, type IRegularForbiddenRuleType } from "dependency-cruiser";
import { LAYERS, type Layer, MINIMUM, TEST_FOLDERS } from "./layer-table.ts";

/** What the check found. `problems` is empty when all is well. */
export interface LayerReport {
  readonly modules: number;
  readonly imports: number;
  /** One line each. */
  readonly problems: readonly string[];
}

const TEST_FILE = "\\.test\\.ts$";
const FOLDERS_WITH_CODE = ["src", "scripts", "test", "examples", "bench"];
const PACKAGE_KINDS = [
  "npm",
  "npm-dev",
  "npm-optional",
  "npm-peer",
  "npm-bundled",
  "npm-no-pkg",
  "npm-unknown",
  "unknown",
  "undetermined",
];

/**
 * The parser knows `using` declarations, the visitor that dependency-cruiser builds on does not and
 * throws: they are shown to it as the `const` that they are to an import check.
 */
const visitStatement = Visitor.prototype.visitStatement;
Visitor.prototype.visitStatement = function (statement) {
  const { type, decls } = statement as { type: string; decls?: unknown };
  const known = { ...statement, type: "VariableDeclaration", kind: "const", declarations: decls };
  return visitStatement.call(this, type === "UsingDeclaration" ? (known as never) : statement);
};

/** Path of a row → regular expression. `capture` makes the `*` a group, so that a rule can say "the same folder". */
function pattern(row: string, wildcard: string): string {
  const escaped = row.replaceAll(".", "\\.");
  if (escaped.endsWith("*\\.ts")) return `^src/${escaped.replace("*", "[^/]+")}$`;
  if (escaped.endsWith("/")) return `^src/${escaped.replace("*", wildcard)}`;
  return `^src/${escaped.replace("\\.ts", "(?:\\.test)?\\.ts")}$`;
}

const anyOf = (rows: readonly { readonly path: string }[]): string[] =>
  rows.map((row) => pattern(row.path, "[^/]+"));

const TESTING = anyOf(TEST_FOLDERS);
const own = (row: { readonly path: string }): string => pattern(row.path, "$1");

function rulesOf(layer: Layer): IRegularForbiddenRuleType[] {
  const from = pattern(layer.path, "([^/]+)");
  const lower = LAYERS.filter((other) => other.level < layer.level || other.base === true);
  const upToLevel = LAYERS.filter((other) => other.level <= layer.level || other.base === true);
  return [
    {
      name: `level ${layer.level}: src/${layer.path} imports only its own folder and lower levels`,
      severity: "error",
      from: { path: from, pathNot: [TEST_FILE, ...TESTING] },
      to: { path: "^src/", pathNot: [own(layer), ...anyOf(lower)] },
    },
    {
      name: `level ${layer.level}: tests of src/${layer.path} import nothing above their level`,
      severity: "error",
      from: { path: from.replace("^", "^(?=.*\\.test\\.ts$)"), pathNot: TESTING },
      to: { path: "^src/", pathNot: [...anyOf(upToLevel), ...TESTING] },
    },
  ];
}

function testFolderRule(folder: { readonly path: string; readonly level: number }) {
  const below = LAYERS.filter((other) => other.level <= folder.level || other.base === true);
  return {
    name: `src/${folder.path} imports nothing above level ${folder.level}`,
    severity: "error" as const,
    from: { path: pattern(folder.path, "") },
    to: { path: "^src/", pathNot: [...anyOf(below), ...TESTING] },
  };
}

function generalRules(): IRegularForbiddenRuleType[] {
  const product = { path: "^src/", pathNot: [TEST_FILE, ...TESTING] };
  const without = (rows: readonly Layer[]) => ({
    ...product,
    pathNot: [...product.pathNot, ...anyOf(rows)],
  });
  const rule = (
    name: string,
    from: IRegularForbiddenRuleType["from"],
    to: IRegularForbiddenRuleType["to"],
  ): IRegularForbiddenRuleType => ({ name, severity: "error", from, to });
  return [
    rule("no import cycles, types included", {}, { circular: true }),
    rule("an import must lead to a file", {}, { path: "^\\.", couldNotResolve: true }),
    rule("node: modules only where the table says so", without(LAYERS.filter((l) => l.node)), {
      dependencyTypes: ["core"],
    }),
    rule("npm packages only where the table says so", without(LAYERS.filter((l) => l.packages)), {
      dependencyTypes: PACKAGE_KINDS as never,
      pathNot: "^\\.",
    }),
    rule("test-only folders stay out of the product", product, { path: TESTING }),
    rule("the product imports only from src/", product, {
      path: "^(?:scripts|test|examples|bench|bin|web|interop-tests|mutation)/",
    }),
  ];
}

/** Every rule that the table amounts to, in dependency-cruiser's form. */
export function layerRules(): IRegularForbiddenRuleType[] {
  return [...generalRules(), ...LAYERS.flatMap(rulesOf), ...TEST_FOLDERS.map(testFolderRule)];
}

function outsideOfTable(files: readonly string[]): string[] {
  const known = [...anyOf(LAYERS), ...TESTING].map((source) => new RegExp(source));
  return files
    .filter((file) => file.startsWith("src/") && !known.some((layer) => layer.test(file)))
    .map((file) => `${file}: no row of scripts/layer-table.ts covers this file`);
}

/**
 * Checks the tree under `root`.
 * @param root absolute path of the folder that holds src/
 * @param minimum fewer modules or imports than this are a problem of their own
 */
export async function checkLayers(
  root: string,
  minimum: { readonly modules: number; readonly imports: number } = MINIMUM,
): Promise<LayerReport> {
  const files = FOLDERS_WITH_CODE.flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ["**/node_modules/**"] }),
  ).map((file) => file.split(path.sep).join("/"));
  const folders = FOLDERS_WITH_CODE.filter((folder) => files.some((f) => f.startsWith(folder)));
  const { output } = await cruise(
    folders,
    {
      baseDir: root,
      parser: "swc",
      tsPreCompilationDeps: true,
      doNotFollow: { path: "node_modules" },
      validate: true,
      ruleSet: { forbidden: layerRules() },
    },
    { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  );
  const { modules, summary } = output as ICruiseResult;
  const seen = new Set(modules.map((module) => module.source));
  const imports = summary.totalDependenciesCruised ?? 0;
  const problems = [
    ...summary.violations.map((v) => `${v.from} → ${v.to}: ${v.rule.name}`),
    ...outsideOfTable(files),
    ...files.filter((file) => !seen.has(file)).map((file) => `${file}: the parser did not see it`),
  ];
  if (files.length < minimum.modules || imports < minimum.imports) {
    problems.push(
      `only ${files.length} modules and ${imports} imports found, expected at least ${minimum.modules} and ${minimum.imports}: is the parser (swc) at work?`,
    );
  }
  return { modules: files.length, imports, problems };
}

const BEGIN = "<!-- table: scripts/layer-table.ts -->";
const END = "<!-- end of table -->";

/** The table of layers as Markdown. */
export function layerTableMarkdown(): string {
  const rows = LAYERS.map(
    (l) =>
      `| ${l.level} | \`src/${l.path}\` | ${l.about} | ${l.node ? "yes" : ""} | ${l.packages ? "yes" : ""} |`,
  );
  return [
    "| level | files | holds | `node:` | npm packages |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** The document with its table replaced by the present one. */
export function withLayerTable(document: string): string {
  const start = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  return `${document.slice(0, start)}${BEGIN}\n${layerTableMarkdown()}\n${document.slice(end)}`;
}

async function main(root: string, args: readonly string[]): Promise<void> {
  const file = path.join(root, "docs/layers.md");
  const document = readFileSync(file, "utf8");
  if (args.includes("--write")) writeFileSync(file, withLayerTable(document));
  const report = await checkLayers(root);
  for (const problem of report.problems) console.log(problem);
  console.log(`${report.modules} modules, ${report.imports} imports`);
  process.exitCode = report.problems.length > 0 ? 1 : 0;
}

if (import.meta.main) await main(path.resolve(import.meta.dirname, ".."), process.argv.slice(2));
