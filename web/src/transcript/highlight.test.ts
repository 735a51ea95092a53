import assert from "node:assert/strict";
import { test } from "node:test";
import { languageNamed, languageOfPath } from "./code-language.ts";
import { highlighted } from "./highlight.ts";

const whole = (source: string, language: string): string | undefined =>
  highlighted(source, language)
    ?.map(({ text }) => text)
    .join("");

test("languages by the name of a fence and by the end of a path", () => {
  assert.deepEqual(["TS", "py", "c++", "text", ""].map(languageNamed), [
    "typescript",
    "python",
    "cpp",
    null,
    null,
  ]);
  assert.deepEqual(["/a/b.test.ts", "Makefile", "x.unknown", "甲.yml"].map(languageOfPath), [
    "typescript",
    null,
    null,
    "yaml",
  ]);
});

test("the parts of highlighted code are the code, in all languages, with markup as text", () => {
  const source = '<b>"x"</b> // 注释 `$1`\nconst a = {"k": [1, null]}\n# $(rm) é\n';
  for (const name of ["bash", "c", "cpp", "css", "diff", "go", "java", "js", "json", "md"].concat([
    "py",
    "rb",
    "rs",
    "sql",
    "ts",
    "html",
    "yaml",
  ])) {
    assert.equal(whole(source, languageNamed(name) ?? ""), source, name);
  }
  const parts = highlighted("const a = '甲';", "typescript") ?? [];
  assert.deepEqual(
    parts.filter(({ kind }) => kind !== "").map(({ text }) => text),
    ["const", "'甲'"],
  );
});

test("plain: too long, of no known language, nested too deep (S7)", () => {
  assert.equal(highlighted("x".repeat(20_001), "json"), null);
  assert.equal(highlighted("x", "constructor"), null);
  const nested = "`${".repeat(6000);
  const since = performance.now();
  assert.equal(highlighted(nested, "typescript"), null);
  assert.ok(performance.now() - since < 5000);
});
