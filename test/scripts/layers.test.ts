import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { checkLayers, withLayerTable } from "../../scripts/layers.ts";

const NO_MINIMUM = { modules: 0, imports: 0 };

/** Checks a planted tree: path → source text. */
async function check(files: Readonly<Record<string, string>>, minimum = NO_MINIMUM) {
  const root = mkdtempSync(path.join(tmpdir(), "branchline-layers-"));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    }
    return (await checkLayers(root, minimum)).problems;
  } finally {
    rmSync(root, { recursive: true });
  }
}

const TREE = { "src/tree/path.ts": "export interface Path { readonly leaf: string }\n" };

/** Planted violations: each must give exactly one problem that matches. */
const VIOLATIONS: readonly {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly problem: RegExp;
}[] = [
  {
    name: "an import upwards, of a type only",
    files: { ...TREE, "src/entry/a.ts": 'export type { Path } from "../tree/path.ts";\n' },
    problem: /src\/entry\/a\.ts → src\/tree\/path\.ts: level 0/,
  },
  {
    name: "an import between equal levels",
    files: {
      "src/io/scan.ts": "export const scan = 1;\n",
      "src/entry/a.ts": 'import { scan } from "../io/scan.ts";\nexport const a = scan;\n',
    },
    problem: /src\/entry\/a\.ts → src\/io\/scan\.ts: level 0/,
  },
  {
    name: "an import between two folders of one row",
    files: {
      "src/interop/pi/a.ts": "export const a = 1;\n",
      "src/interop/codex/b.ts": 'export { a } from "../pi/a.ts";\n',
    },
    problem: /codex\/b\.ts → src\/interop\/pi\/a\.ts: level 5/,
  },
  {
    name: "a backend that the contract imports",
    files: {
      "src/store/memory/m.ts": "export const m = 1;\n",
      "src/store/store.ts": 'export { m } from "./memory/m.ts";\n',
    },
    problem: /src\/store\/store\.ts → src\/store\/memory\/m\.ts: level 2/,
  },
  {
    name: "a node: module in a pure layer",
    files: { "src/tree/a.ts": 'import { readFileSync } from "node:fs";\nvoid readFileSync;\n' },
    problem: /src\/tree\/a\.ts → fs: node: modules/,
  },
  {
    name: "a node: module, loaded late",
    files: { "src/tree/a.ts": 'export const late = (): unknown => import("node:fs");\n' },
    problem: /src\/tree\/a\.ts → fs: node: modules/,
  },
  {
    name: "an npm package in the core",
    files: { "src/session/a.ts": 'import { x } from "some-package";\nvoid x;\n' },
    problem: /src\/session\/a\.ts → some-package: npm packages/,
  },
  {
    name: "a test that reaches above its level",
    files: { ...TREE, "src/entry/a.test.ts": 'import type {} from "../tree/path.ts";\n' },
    problem: /src\/entry\/a\.test\.ts → src\/tree\/path\.ts: level 0: tests/,
  },
  {
    name: "test-only code in the product",
    files: {
      "src/store/testing/cases.ts": "export const cases = 1;\n",
      "src/session/a.ts": 'export { cases } from "../store/testing/cases.ts";\n',
    },
    problem: /src\/session\/a\.ts → src\/store\/testing\/cases\.ts/,
  },
  {
    name: "a script in the product",
    files: {
      "scripts/s.ts": "export const s = 1;\n",
      "src/cli/a.ts": 'export { s } from "../../scripts/s.ts";\n',
    },
    problem: /src\/cli\/a\.ts → scripts\/s\.ts: the product/,
  },
  {
    name: "an import that leads nowhere",
    files: { "src/tree/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n' },
    problem: /src\/tree\/a\.ts → \.\/b\.ts/,
  },
  {
    name: "a folder that has no row",
    files: { "src/extras/a.ts": "export const a = 1;\n" },
    problem: /src\/extras\/a\.ts: no row/,
  },
];

for (const { name, files, problem } of VIOLATIONS) {
  test(`layer check finds ${name}`, async () => {
    const problems = await check(files);
    assert.ok(
      problems.some((line) => problem.test(line)),
      `nothing matches ${problem} in:\n${problems.join("\n")}`,
    );
  });
}

test("layer check finds a cycle, also of types only", async () => {
  const problems = await check({
    "src/tree/a.ts": 'import type { B } from "./b.ts";\nexport interface A { readonly b: B }\n',
    "src/tree/b.ts": 'import type { A } from "./a.ts";\nexport interface B { readonly a: A }\n',
  });
  assert.match(problems.join("\n"), /no import cycles/);
});

test("layer check accepts what is allowed", async () => {
  assert.deepEqual(
    await check({
      ...TREE,
      "src/errors.ts": "export class E extends Error {}\n",
      "src/entry/a.ts": 'import { E } from "../errors.ts";\nvoid E;\n',
      "src/io/a.ts": 'import { E } from "../errors.ts";\nimport "node:fs";\nvoid E;\n',
      "src/interop/pi/a.ts": 'export { b } from "./b.ts";\n',
      "src/interop/pi/b.ts": "export const b = 1;\n",
      "src/store/testing/cases.ts": 'export type { Path } from "../../tree/path.ts";\n',
      "src/session/a.test.ts":
        'import "node:test";\nimport "fast-check";\nimport "../store/testing/cases.ts";\nimport "../tree/path.ts";\n',
      "src/cli/a.ts": 'import "node:fs";\nimport "commander";\nimport "../tree/path.ts";\n',
    }),
    [],
  );
});

test("layer check reads on after a `using` declaration", async () => {
  const problems = await check({
    ...TREE,
    "src/entry/a.ts":
      'export async function a(b: AsyncDisposable, c: Disposable): Promise<unknown> {\n  await using d = b;\n  using e = c;\n  return [d, e, await import("../tree/path.ts")];\n}\n',
  });
  assert.match(problems.join("\n"), /src\/entry\/a\.ts → src\/tree\/path\.ts: level 0/);
});

test("layer check is not content with an empty tree", async () => {
  const problems = await check(TREE, { modules: 1, imports: 1 });
  assert.match(problems.join("\n"), /only 1 modules and 0 imports/);
});

test("docs/layers.md holds the present table", () => {
  const document = readFileSync(path.join(import.meta.dirname, "../../docs/layers.md"), "utf8");
  assert.equal(document, withLayerTable(document), "run: npx node scripts/layers.ts --write");
});
