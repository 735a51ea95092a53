import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFile } from "../../scripts/source-rules.ts";

const FINDS: readonly {
  readonly name: string;
  readonly file?: string;
  readonly text: string;
  readonly problem: RegExp;
}[] = [
  { name: "a long file", text: "// x\n".repeat(501), problem: /501 lines/ },
  { name: "a bare error", text: 'throw new Error("x");\n', problem: /a\.ts:1: a bare error/ },
  { name: "a bare type error", text: '  throw new TypeError("x");\n', problem: /bare error/ },
  {
    name: "an undocumented export",
    text: "\nexport const a = 1;\n",
    problem: /a\.ts:2: the export a/,
  },
  {
    name: "an undocumented async function",
    text: "export async function go() {}\n",
    problem: /the export go/,
  },
  { name: "a vague folder", file: "src/utils/a.ts", text: "", problem: /"utils"/ },
  { name: "a vague file", file: "src/entry/types.ts", text: "", problem: /"types"/ },
  {
    name: "a path of one machine",
    file: "docs/a.md",
    text: ["see ", "/work", "/main"].join(""),
    problem: /a path of one machine/,
  },
  {
    name: "a package host",
    file: "docs/a.md",
    text: ["https://regis", "try.example.org/x"].join(""),
    problem: /a package host/,
  },
];

for (const { name, file = "src/tree/a.ts", text, problem } of FINDS) {
  test(`house rules find ${name}`, () => assert.match(checkFile(file, text).join("\n"), problem));
}

test("house rules accept what is allowed", () => {
  const text =
    "/** A. */\nexport const a = 1;\n/** One line. */\nexport function f(x: string): void;\nexport function f(x: number): void;\n";
  assert.deepEqual(checkFile("src/tree/a.ts", text), []);
  const noted = "/** A. */\n// biome-ignore lint/x: why\nexport const a = 1;\n";
  assert.deepEqual(checkFile("src/tree/a.ts", noted), []);
  assert.deepEqual(checkFile("src/tree/a.ts", "// x\n".repeat(500)), []);
  assert.deepEqual(
    checkFile("src/tree/a.test.ts", 'export const a = new Error("x");\n'.repeat(600)),
    [],
  );
  assert.deepEqual(checkFile("scripts/a.ts", 'throw new Error("x");\n'), []);
  assert.deepEqual(checkFile("src/tree/a.ts", " * @throws new Error( of whatever\n"), []);
});
