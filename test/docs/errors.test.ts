import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The keys of the interface that is the closed set of codes. */
function errorCodes(): readonly string[] {
  const fields = /export interface ErrorFields \{(.*?)\n\}/s.exec(read("src/errors.ts"))?.[1] ?? "";
  return [...fields.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map((match) => match[1] as string);
}

/** The members of the union of problem codes. */
function problemCodes(): readonly string[] {
  const union = /export type ProblemCode =(.*?)\n\n/s.exec(read("src/entry/problem.ts"))?.[1] ?? "";
  return [...union.matchAll(/^ {2}\| "([A-Z0-9_]+)"/gm)].map((match) => match[1] as string);
}

/** The rows of the table below a heading: code and the three texts. */
function rows(heading: string): readonly (readonly string[])[] {
  const section = read("docs/errors.md").split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `([A-Z0-9_]+)` \| (.+) \|$/gm)].map((match) => [
    match[1] as string,
    ...(match[2] as string).split(" | "),
  ]);
}

describe("docs/errors.md", () => {
  for (const [heading, codes, least] of [
    ["Errors", errorCodes(), 28],
    ["Problems", problemCodes(), 23],
  ] as const) {
    it(`${heading}: documents every code, in order, with meaning, cause and remedy`, () => {
      assert.ok(codes.length >= least, `${codes.length} codes were found in the source`);
      assert.deepEqual(
        rows(heading).map(([code]) => code),
        codes,
      );
      for (const row of rows(heading)) {
        assert.equal(row.length, 4, row[0]);
        for (const text of row) assert.notEqual(text.trim(), "", row[0]);
      }
    });
  }
});
